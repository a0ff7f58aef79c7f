"""What the command ``vecdecay`` does: one file per command, and what they share."""
