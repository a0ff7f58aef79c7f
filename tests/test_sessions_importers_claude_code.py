"""Transcripts of Claude Code: every touch of a file once, in the turn of its message, and no text."""

import datetime as dt
import json
from pathlib import Path
from typing import Any

import pytest

import vecdecay as vd
from vecdecay.errors import InvalidInputError
from vecdecay.sessions.importers import import_trace
from vecdecay.sessions.importers.claude_code import read_claude_code

SECRET = "words that nobody else should read"


def line(uuid: str, message: str, *paths: str, session: str = "s1", **more: Any) -> dict[str, Any]:
    """Return a line of the assistant that reads some files."""
    uses = [{"type": "tool_use", "name": "Read", "input": {"file_path": path, "why": SECRET}} for path in paths]
    content = [{"type": "text", "text": SECRET}, *uses]
    message_of = {"id": message, "role": "assistant", "content": content}
    return {"type": "assistant", "uuid": uuid, "sessionId": session, "message": message_of} | more


def written(folder: Path, name: str, *lines: Any) -> None:
    """Write a transcript; texts go in as they are."""
    path = folder / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("".join((one if isinstance(one, str) else json.dumps(one)) + "\n" for one in lines), "utf-8")


def touches(folder: Path) -> list[tuple[str, int, str]]:
    """Return session, turn and item of every touch."""
    table, _ = read_claude_code(folder)
    return [(row["session"], row["turn"], row["item"]) for row in table.to_pylist()]


def test_a_turn_is_a_message_and_an_item_is_a_path(tmp_path: Path) -> None:
    """The lines of a message share its turn; messages without tools are turns too; people's messages are none."""
    search = {"type": "tool_use", "name": "Grep", "input": {"pattern": SECRET, "path": "src"}}
    notebook = {"type": "tool_use", "name": "NotebookEdit", "input": {"notebook_path": "n.ipynb"}}
    mixed = line("u5", "m3")
    mixed["message"]["content"] += [search, notebook, {"type": "tool_use", "input": {"path": 5}}, "text", None]
    written(
        tmp_path,
        "p/a.jsonl",
        {"type": "user", "uuid": "u0", "sessionId": "s1", "message": {"content": SECRET}},
        line("u1", "m1", "a.py"),
        line("u2", "m1", "b.py"),
        line("u3", "m2"),
        mixed,
    )
    assert touches(tmp_path) == [("s1", 1, "a.py"), ("s1", 1, "b.py"), ("s1", 3, "src"), ("s1", 3, "n.ipynb")]


def test_repeated_lines_count_once(tmp_path: Path) -> None:
    """A later file that repeats a session adds only what is new, in the session it belongs to."""
    written(tmp_path, "a.jsonl", line("u1", "m1", "a.py"), line("x1", "m1", "c.py", session="s2"))
    written(tmp_path, "b.jsonl", line("u1", "m1", "a.py"), line("u2", "m2", "a.py"))
    assert touches(tmp_path) == [("s1", 1, "a.py"), ("s1", 2, "a.py"), ("s2", 1, "c.py")]
    assert "1 lines that repeat an earlier one left out" in read_claude_code(tmp_path)[1]


def test_times_and_compactions_are_kept(tmp_path: Path) -> None:
    """A time is UTC, null where it is none; compactions before a touch are counted."""
    written(
        tmp_path,
        "a.jsonl",
        line("u1", "m1", "a.py", timestamp="2024-05-01T10:00:00.25+02:00"),
        {"type": "system", "subtype": "compact_boundary", "uuid": "c1", "sessionId": "s1"},
        line("u2", "m2", "a.py", timestamp="yesterday"),
    )
    table, notes = read_claude_code(tmp_path)
    assert table["time"].to_pylist() == [dt.datetime(2024, 5, 1, 8, 0, 0, 250_000, dt.UTC), None]
    assert table["compactions"].to_pylist() == [0, 1]
    assert notes == ["1 transcripts, 1 sessions with messages", "1 compactions"]


def test_lines_that_cannot_be_read_are_counted_and_named(tmp_path: Path) -> None:
    """No line ends the import."""
    written(tmp_path, "a.jsonl", line("u1", "m1", "a.py"), '{"type": "assi', "[1]", "", "[" * 100_000)
    (tmp_path / "b.jsonl").write_bytes(b"\xff\xfe\n")
    assert touches(tmp_path) == [("s1", 1, "a.py")]
    assert read_claude_code(tmp_path)[1][1] == (
        "4 lines left out, which are no JSON objects: a.jsonl rows 2, 3, 5; b.jsonl row 1"
    )


def test_no_text_is_kept_and_names_can_be_hashed(tmp_path: Path) -> None:
    """Paths and ids only; with anonymise, not even these, and the sessions are the same but for the names."""
    written(tmp_path, "a.jsonl", *(line(f"u{n}", f"m{n}", path) for n, path in enumerate(("a.py", "b.py", "a.py"))))
    table, _ = read_claude_code(tmp_path)
    hashed, _ = import_trace("claude-code", tmp_path, anonymise=True)
    assert SECRET not in str(table.to_pylist())
    shown = str(hashed.to_pylist())
    assert "a.py" not in shown
    assert "s1" not in shown
    assert vd.Trace.read(hashed).session(0) == vd.Trace.read(table).session(0)
    assert import_trace("claude-code", tmp_path, anonymise=True)[0]["item"] != hashed["item"]


def test_what_is_imported_is_a_trace(tmp_path: Path) -> None:
    """The first touch registers, later ones recall."""
    written(tmp_path, "a.jsonl", line("u1", "m1", "a.py"), line("u2", "m2"), line("u3", "m3", "a.py", "b.py"))
    table, _ = import_trace("claude-code", tmp_path)
    trace = vd.Trace.read(table)
    assert trace.session(0).events == ((1, 0, 0), (3, 1, 0), (3, 0, 1))
    assert (trace.session_names(), trace.item_names(0)) == (["s1"], ["a.py", "b.py"])


def test_folders_without_touches_are_refused(tmp_path: Path) -> None:
    """One line; a folder that is not there has none either."""
    for folder, reason in (
        (tmp_path, r"no file in it ends in \.jsonl"),
        (tmp_path / "none", "no file or folder of this"),
    ):
        with pytest.raises(InvalidInputError, match=reason):
            read_claude_code(folder)
    written(tmp_path, "a.jsonl", line("u1", "m1"))
    with pytest.raises(InvalidInputError, match="no file is touched in 1 transcripts"):
        read_claude_code(tmp_path)
