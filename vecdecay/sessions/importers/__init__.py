"""From what agents leave on disk to a table that ``Trace.read`` takes: one file per format."""

from vecdecay.sessions.importers.claude_code import read_claude_code

IMPORTERS = {"claude-code": read_claude_code}
"""The formats, by the names under which ``vecdecay import`` knows them."""
