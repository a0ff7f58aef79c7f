"""Many sessions: planned, played, kept, verified."""
