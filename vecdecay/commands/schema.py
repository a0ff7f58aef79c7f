"""``vecdecay schema``: what an editor needs to complete and check sweep files."""

import json

from vecdecay.commands.screen import show
from vecdecay.sweepfile.schema import json_schema


def schema_command() -> None:
    """Print the JSON Schema of sweep files."""
    show(json.dumps(json_schema(), indent=2, ensure_ascii=False))
