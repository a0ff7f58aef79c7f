"""What the command ``vecdecay`` does: one file per command, and what they share.

A command raises InvalidInputError, with a line per mistake, for what was typed wrong; OutputError for a folder or file
that cannot be read or written; VecdecayError for an extra that is not installed. ``cli`` prints the lines.
"""
