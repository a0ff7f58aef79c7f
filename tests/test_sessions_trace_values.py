"""Each column is read in one type; the rows that hold something else are named, or left out."""

import datetime as dt
from typing import Any

import pyarrow as pa
import pytest

import vecdecay as vd
from vecdecay.errors import InvalidInputError

BASE = {"session": ["a", "a"], "turn": [1, 3], "item": ["x", "y"]}
WHOLE = "allowed: whole numbers from 0 to 2,147,483,647"
TEXTS = pa.array(["x", "y"])


def read(skip_bad_rows: bool = False, **columns: Any) -> vd.Trace:
    """Read a log of two rows with some columns replaced."""
    return vd.Trace.read(pa.table(BASE | columns), skip_bad_rows=skip_bad_rows)


@pytest.mark.parametrize(
    ("role", "column", "line"),
    [
        ("turn", ["x", "2"], f"turn is 'x' in row 1; {WHOLE}"),
        ("turn", [1.0, float("nan")], f"turn is empty in row 2; {WHOLE}"),
        ("turn", [1.0, 1.5], f"turn is 1.5 in row 2; {WHOLE}"),
        ("turn", [-1, 3], f"turn is -1 in row 1; {WHOLE}"),
        ("turn", [1, 2**31], f"turn is 2147483648 in row 2; {WHOLE}"),
        ("turn", pa.array([1, 2**64 - 1], pa.uint64()), f"turn is 18446744073709551615 in row 2; {WHOLE}"),
        ("turn", pa.nulls(2), f"turn is empty in rows 1, 2; {WHOLE}"),
        ("turn", [True, False], f"turn is of the type bool; {WHOLE}"),
        ("turn", [dt.date(2024, 1, 1)] * 2, f"turn is of the type date32[day]; {WHOLE}"),
        ("turn", [[1], [2]], f"turn is of the type list<item: int64>; {WHOLE}"),
        ("item", ["x", None], "item is empty in row 2; allowed: integers or texts, one in every row"),
        ("item", [1.0, 2.5], "item is 2.5 in row 2; allowed: integers or texts, one in every row"),
        ("item", [1.0, float("inf")], "item is inf in row 2; allowed: integers or texts, one in every row"),
        ("item", [["x"], ["y"]], "item is of the type list<item: string>; allowed: integers or texts"),
        ("item", pa.DictionaryArray.from_arrays([0, 1], ["x", None]), "item is empty in row 2; allowed: integers"),
        ("session", [None, 1], "session is empty in row 1; allowed: integers or texts, one in every row"),
        ("kind", ["insert", "zap"], "kind is 'zap' in row 2; allowed: register or 0, recall or 1, forget or 2"),
        ("kind", [0, 7], "kind is 7 in row 2; allowed: register or 0, recall or 1, forget or 2"),
        ("kind", [0, 3], "kind is 3 in row 2; allowed: register or 0, recall or 1, forget or 2"),
        ("kind", ["0", "²"], "kind is '²' in row 2; allowed: register or 0, recall or 1, forget or 2"),
        ("order", [1, None], "order is empty in row 2; allowed: whole numbers from"),
        ("tokens", [-1, 5], f"tokens is -1 in the first row of item 1; {WHOLE}"),
        ("tokens", [1, None], f"tokens is empty in the first row of item 2; {WHOLE}"),
        ("expires", ["x", "y"], "expires is of the type string; allowed: int64"),
        ("pinned", ["x", "y"], "pinned is of the type string; allowed: bool"),
        ("foundational", [[1], [2]], "foundational is of the type list<item: int64>; allowed: bool"),
        ("importance", ["x", "y"], "importance is of the type string; allowed: double"),
        ("importance", [0.5, 7.0], "importance is 7.0; allowed: a number from 0 to 1"),
    ],
)
def test_wrong_values_are_refused_with_their_rows(role: str, column: Any, line: str) -> None:
    """One line that says what, where and what is allowed."""
    with pytest.raises(InvalidInputError) as caught:
        read(**{role: column})
    (problem,) = caught.value.problems
    assert problem.startswith(f"Table: {line}")


def test_all_mistakes_are_named_at_once() -> None:
    """A line per column; at most five rows are listed."""
    log = pa.table({"session": [None] * 9, "turn": [-1] * 9, "item": ["x"] * 9, "kind": ["zap"] * 9})
    with pytest.raises(InvalidInputError) as caught:
        vd.Trace.read(log)
    assert [line.split("; ")[0] for line in caught.value.problems] == [
        "Table: session is empty in rows 1, 2, 3, 4, 5 and 4 more",
        "Table: kind is 'zap' in rows 1, 2, 3, 4, 5 and 4 more",
        "Table: turn is -1 in rows 1, 2, 3, 4, 5 and 4 more",
    ]


@pytest.mark.parametrize(
    "column",
    [
        TEXTS.dictionary_encode(),
        pa.DictionaryArray.from_arrays([1, 0], ["y", "x"]),
        TEXTS.cast(pa.large_string()),
        TEXTS.cast(pa.string_view()),
        TEXTS.cast(pa.binary()),
        [7, 9],
        [7.0, 9.0],
        [dt.datetime(2024, 1, 1), dt.datetime(2024, 1, 2)],
    ],
)
def test_items_of_any_plain_type_are_read(column: Any) -> None:
    """Dictionaries, large texts and views too; items are numbered by their rows, not by a dictionary's order."""
    trace = read(item=column, session=pa.DictionaryArray.from_arrays([1, 0], ["q", "p"]))
    assert trace.session_names() == ["p", "q"]
    assert [trace.session(place).events for place in (0, 1)] == [((1, 0, 0),), ((1, 0, 0),)]


@pytest.mark.parametrize(
    "column", [["1", " 3 "], [1.0, 3.0], pa.array([1, 3], pa.uint64()), pa.array([1, 3], pa.int8())]
)
def test_turns_of_any_whole_type_are_read(column: Any) -> None:
    """Texts and floats that are whole numbers are whole numbers."""
    assert read(turn=column).session(0).events == ((1, 0, 0), (3, 0, 1))


def test_kinds_have_names_and_numbers() -> None:
    """The names of other logs too."""
    for kinds in (["register", "RECALL"], [0, 1], ["0", "1"], ["insert", "access"], [0.0, 1.0]):
        assert read(kind=kinds, item=["x", "x"]).session(0).events == ((1, 0, 0), (3, 1, 0))


@pytest.mark.parametrize(
    ("role", "column"),
    [
        ("item", ["x", None]),
        ("turn", ["1", "zap"]),
        ("turn", [1, -4]),
        ("kind", ["register", "zap"]),
        ("order", [1, None]),
    ],
)
def test_bad_rows_can_be_left_out(role: str, column: Any) -> None:
    """They are counted and named; where no row is left, the log is refused."""
    trace = read(skip_bad_rows=True, **{role: column})
    assert trace.session(0).events == ((1, 0, 0),)
    assert "1 rows left out: row 2" in trace.notes
    with pytest.raises(InvalidInputError, match="no row can be read"):
        read(skip_bad_rows=True, turn=[-1, -1])


def test_rows_are_named_as_the_log_has_them() -> None:
    """Rows that were left out count in the numbers of later messages."""
    log = pa.table({"session": [1] * 4, "turn": [-1, 1, 2, 3], "item": ["x"] * 4, "kind": [0, 0, 1, 0]})
    with pytest.raises(InvalidInputError, match="registered again in row 4"):
        vd.Trace.read(log, registered_again="error", skip_bad_rows=True)


@pytest.mark.parametrize("given", [None, 5, ["a"], object()])
def test_what_is_no_log_is_refused(given: Any) -> None:
    """One line with what is allowed."""
    with pytest.raises(InvalidInputError, match=r"^a trace is read from .*; allowed: a path, or a table"):
        vd.Trace.read(given)
