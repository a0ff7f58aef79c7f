"""``vecdecay schema``: a JSON Schema and nothing else."""

import json

import pytest
from command_line import type_in

from vecdecay.sweepfile.schema import json_schema


def test_the_schema_is_printed_whole(capsys: pytest.CaptureFixture[str]) -> None:
    """What an editor reads from the standard output is the schema itself."""
    ending = type_in(capsys, "schema")
    assert (ending.code, ending.err) == (0, "")
    assert json.loads(ending.out) == json_schema()
