"""What the numbers of a sweep mean: exact summaries over sessions, and intervals for them."""
