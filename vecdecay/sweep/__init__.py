"""Many of it: sweep files, their plan, and the run that survives any interruption."""
