"""The compiled loops that play blocks of sessions."""
