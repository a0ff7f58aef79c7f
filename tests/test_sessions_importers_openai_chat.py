"""Chat logs: conversations wherever they stand, items at paths that the caller names."""

import json
from pathlib import Path
from typing import Any

import pytest
from importer_samples import ITEM_PATH, call

from vecdecay.errors import InvalidInputError
from vecdecay.sessions.importers import import_trace
from vecdecay.sessions.importers.openai_chat import steps_of, values_at

USER = {"role": "user", "content": "x"}
TALK = [USER, call(path="a.py"), call(path="b.py", other=1), USER, call(path=["a.py", "c.py"])]
TOUCHES = [(2, "a.py"), (3, "b.py"), (5, "a.py"), (5, "c.py")]


def touches(path: Path, *item_paths: str) -> dict[str, list[tuple[int, str]]]:
    """Return turn and item of every touch, by session."""
    found: dict[str, list[tuple[int, str]]] = {}
    for row in import_trace("openai-chat", path, item_path=item_paths or [ITEM_PATH])[0].to_pylist():
        found.setdefault(row["session"], []).append((row["turn"], row["item"]))
    return found


@pytest.mark.parametrize("value", [TALK, {"messages": TALK}, {"a": [{"traj": TALK, "id": 5}], "b": None}])
def test_a_conversation_is_found_wherever_it_stands(value: Any, tmp_path: Path) -> None:
    """A list of messages is one."""
    path = tmp_path / "log.json"
    path.write_text(json.dumps(value))
    assert touches(path) == {"log.json": TOUCHES}


def test_lines_are_conversations_or_messages(tmp_path: Path) -> None:
    """Several conversations in a file are numbered; the lines of a file that are messages are one."""
    path = tmp_path / "log.jsonl"
    path.write_text("\n".join(json.dumps({"messages": one}) for one in (TALK[:2], [USER], TALK[1:3])))
    assert touches(path) == {"log.jsonl#1": TOUCHES[:1], "log.jsonl#3": [(1, "a.py"), (2, "b.py")]}
    path.write_text("\n".join(map(json.dumps, TALK)) + "\nno JSON\n")
    assert touches(path) == {"log.jsonl": TOUCHES}
    other = tmp_path / "log.json"
    other.write_bytes(path.read_bytes())
    assert touches(other) == {"log.json": TOUCHES}
    assert import_trace("openai-chat", path, item_path=ITEM_PATH)[1] == [
        "4 touches of 3 items in 1 conversations",
        "1 lines left out, which are no JSON objects: log.jsonl row 6",
    ]


def test_a_log_of_requests_holds_each_conversation_once(tmp_path: Path) -> None:
    """Every request repeats what was said before."""
    path = tmp_path / "log.jsonl"
    talks = [TALK[:2], TALK[:3], TALK, [*TALK[:2], USER], TALK[:2]]
    path.write_text("\n".join(json.dumps({"messages": one}) for one in talks))
    assert touches(path) == {"log.jsonl#1": TOUCHES, "log.jsonl#2": TOUCHES[:1], "log.jsonl#3": TOUCHES[:1]}
    assert import_trace("openai-chat", path, item_path=ITEM_PATH)[1] == [
        "6 touches of 3 items in 3 conversations",
        "2 conversations left out, which the next one repeats and continues",
    ]


@pytest.mark.parametrize(
    ("path", "values"),
    [
        ("a", [1]),
        ("b.c", ["x"]),
        ("d[].e", [2, 3]),
        ("d[1].e", [3]),
        ("d[7].e", []),
        ("d", [{"e": 2}, {"e": 3}]),
        ("f.g[0]", [5]),
        ("f.*", [5, 6]),
        ("b.*", ["x", "y"]),
        ("a.b", []),
        ("a[]", []),
        ("missing", []),
    ],
)
def test_a_path_leads_to_values(path: str, values: list[Any]) -> None:
    """Texts on the way are read as JSON."""
    message = {"a": 1, "b": {"c": "x", "z": "y"}, "d": [{"e": 2}, {"e": 3}], "f": '{"g": [5, 6]}'}
    assert list(values_at(message, steps_of(path))) == values


@pytest.mark.parametrize("path", ["", ".", "a.", "a..b", "a[", "a[x]", "a[-1]", "a]b", ".a"])
def test_what_is_no_path_is_refused(path: str) -> None:
    """With what a path may be."""
    with pytest.raises(InvalidInputError, match=r"--item-path is .*; allowed: names with dots between them"):
        steps_of(path)


def test_without_a_path_that_fits_those_of_the_log_are_shown(tmp_path: Path) -> None:
    """No path, and one at which there is nothing."""
    path = tmp_path / "log.json"
    path.write_text(json.dumps(TALK))
    shown = (
        r"; tool calls have tool_calls\[\].function.arguments.path \(3\), tool_calls\[\].function.arguments.other \(1\)"
    )
    with pytest.raises(InvalidInputError, match=f"log.json: name the items with --item-path{shown}"):
        import_trace("openai-chat", path)
    with pytest.raises(InvalidInputError, match=f"log.json: there is nothing at file{shown}"):
        import_trace("openai-chat", path, item_path=["file"])


def test_values_that_are_no_names_are_counted(tmp_path: Path) -> None:
    """Numbers are; texts of several lines, long ones, and lists of lists are not."""
    path = tmp_path / "log.json"
    values = [5, 5.5, True, None, "", "a\nb", "a" * 501, [[1]], {"a": 1}, "fine"]
    path.write_text(json.dumps([USER, *(call(path=one) for one in values)]))
    table, notes = import_trace("openai-chat", path, item_path=ITEM_PATH)
    assert table["item"].to_pylist() == ["5", "fine"]
    assert notes[1:] == [
        "7 messages hold values that are no names, which are left out: log.json rows 3, 4, 6, 7, 8 and 2 more"
    ]
