"""What it means: exact statistics, intervals and findings."""
