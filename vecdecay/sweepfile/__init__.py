"""The sweep file: read, checked with every mistake at once, written."""
