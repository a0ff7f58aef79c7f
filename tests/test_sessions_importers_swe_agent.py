"""Trajectories of SWE-agent: which paths an action touches, in which step."""

import json
from pathlib import Path
from typing import Any

import pytest

from vecdecay.errors import InvalidInputError
from vecdecay.sessions.importers import import_trace


def touches(folder: Path, *actions: str, state: Any = None, key: str = "trajectory") -> list[tuple[int, str]]:
    """Return turn and item of every touch of a trajectory."""
    given = {"working_dir": "/repo", "open_file": "n/a"} if state is None else state
    path = folder / "a.traj"
    path.write_text(json.dumps({key: [{"action": one, "state": given} for one in actions]}))
    return [(row["turn"], row["item"]) for row in import_trace("swe-agent", path)[0].to_pylist()]


@pytest.mark.parametrize(
    ("action", "items"),
    [
        ("open src/x.py 1474", ["/repo/src/x.py"]),
        ('open "/repo/tests/x.py"', ["/repo/tests/x.py"]),
        ("create ../new", ["/new"]),
        ("str_replace_editor view /repo/a", ["/repo/a"]),
        ("str_replace_editor str_replace x.py --old_str 'a\nb", ["/repo/x.py"]),
        ("find_file fields.py src", ["/repo/src"]),
        ("find_file fields.py", []),
        ('search_dir "a b" lib', ["/repo/lib"]),
        ("cat a.py b/c 20 -n *.md", ["/repo/a.py", "/repo/b/c"]),
        ("cd lib && python run.py > out.txt; ls ~/notes", ["/repo/lib/run.py", "/repo/lib/out.txt", "~/notes"]),
        ("head -n 20 1.5", []),
        ("rm 'unclosed.py", ["/repo/'unclosed.py"]),
        ("submit flag{a/b.c}", []),
        ("", []),
        ("&& ;", []),
    ],
)
def test_an_action_names_paths(action: str, items: list[str], tmp_path: Path) -> None:
    """Each relative to the folder in which the step was taken."""
    assert touches(tmp_path, action, "open z.py") == [*((1, one) for one in items), (2, "/repo/z.py")]


def test_edits_touch_the_file_that_is_open(tmp_path: Path) -> None:
    """The state says which; without a state it is the last that was opened or made."""
    state = json.dumps({"working_dir": "/w", "open_file": "/w/o.py"})
    assert touches(tmp_path, "edit 1:2\nx", "goto 5", "search_file word", state=state) == [
        (n, "/w/o.py") for n in (1, 2, 3)
    ]
    actions = ("edit 1:1", "create a.py", "insert 3", "ls b.py", "scroll_down")
    expected = [(2, "a.py"), (3, "a.py"), (4, "b.py"), (5, "a.py")]
    assert touches(tmp_path, *actions, state="no JSON") == expected
    assert touches(tmp_path, *actions, state={"open_file": 5}, key="history") == expected


def test_steps_that_are_none_are_counted(tmp_path: Path) -> None:
    """A trajectory without a list of steps is refused."""
    path = tmp_path / "a.traj"
    path.write_text(json.dumps({"trajectory": [{"action": "open a.py"}, 5, {"action": None}, {"action": "open a.py"}]}))
    table, notes = import_trace("swe-agent", path)
    assert table["turn"].to_pylist() == [1, 4]
    assert notes == [
        "2 touches of 1 files in 1 trajectories",
        "2 steps left out, which hold no action: a.traj rows 2, 3",
    ]
    for content in ("[]", '{"trajectory": {}}', '{"info": 1}'):
        path.write_text(content)
        with pytest.raises(InvalidInputError, match="is no trajectory"):
            import_trace("swe-agent", path)
