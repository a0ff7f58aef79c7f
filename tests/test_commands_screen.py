"""Tables and paragraphs: aligned, as wide as the terminal, no trailing blanks, no broken word."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from vecdecay.commands.screen import pairs, paragraph, show, table, width, width_of
from vecdecay.run.progress import tell

WORDS = st.text("abcdef.é≥–", min_size=1, max_size=12)


def test_numbers_stand_to_the_right_and_text_to_the_left() -> None:
    """Also under titles of several lines, which end on one line."""
    assert table(["name", "rate", "a long\ntitle"], [["b", "0.25", "x"], ["keep_all", "–", "yy"]]) == [
        "                a long",
        "name      rate  title",
        "──────────────────────",
        "b         0.25  x",
        "keep_all     –  yy",
    ]


def test_parts_of_a_cell_are_aligned_each_for_itself() -> None:
    """A mark stands below a mark, whether there is an interval before it or not."""
    assert table(["rate"], [[("1.000", "(≥ 0.929)", "=")], [("0.5", "(0.4–0.6)", "")], [("10.25", "", "=")]]) == [
        "rate",
        "─────────────────",
        "1.000 (≥ 0.929) =",
        "  0.5 (0.4–0.6)",
        "10.25           =",
    ]


def test_parts_that_are_empty_everywhere_take_no_room() -> None:
    """Then a cell of parts is a number like any other."""
    assert table(["turns"], [[("4", "", "")], [("13", "", "")]]) == ["turns", "─────", "    4", "   13"]


@given(st.lists(st.lists(WORDS, min_size=3, max_size=3), min_size=1, max_size=5))
def test_every_cell_stands_in_its_row(rows: list[list[str]]) -> None:
    """No text is lost and none is taken for markup; no line has trailing blanks."""
    lines = table(["[bold]A", "B", "C:smile:"], rows)
    assert len(lines) == len(rows) + 2
    assert lines[0].split() == ["[bold]A", "B", "C:smile:"]
    assert all(line == line.rstrip() for line in lines)
    assert [line.split() for line in lines[2:]] == rows


@pytest.mark.parametrize("columns", [20, 50, 80, 200])
def test_a_table_that_is_too_wide_becomes_records(columns: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """A line per value, a blank line between rows; the same values, and no line that is too long."""
    monkeypatch.setenv("COLUMNS", str(columns))
    rows = [[f"value_{row}_{place}" for place in range(8)] for row in range(2)]
    header = [f"title\n{place}" for place in range(8)]
    lines = table(header, rows)
    assert width_of(lines) <= columns
    values = [word for line in lines for word in line.split() if word.startswith("value")]
    assert values == [value for row in rows for value in row]
    if columns == 50:
        assert lines[:2] == ["title 0  value_0_0", "title 1  value_0_1"]
        assert lines[8] == ""
    assert len(lines) == {20: 17, 50: 17, 80: 17, 200: 5}[columns]


def test_the_width_is_that_of_the_terminal(monkeypatch: pytest.MonkeyPatch) -> None:
    """80 columns where nothing says otherwise, as in a pipe; prose has at most 100."""
    assert width() == 80
    for columns, longest in (("50", 50), ("80", 80), ("200", 100), ("3", 20), ("nonsense", 80)):
        monkeypatch.setenv("COLUMNS", columns)
        assert longest - 5 < width_of(paragraph("word " * 100)) <= longest


def test_paragraphs_are_wrapped_and_indented() -> None:
    """The first line has its own beginning; long words are not cut, and a number stays with its sign."""
    lines = paragraph("word " * 40, "- ")
    assert width_of(lines) <= 80
    assert [line[:2] for line in lines] == ["- ", "  ", "  "]
    assert " ".join(line[2:] for line in lines) == ("word " * 40).strip()
    assert paragraph("x" * 100) == ["x" * 100]
    assert paragraph(f"{'x' * 76} 95 %") == ["x" * 76, "95 %"]
    assert width_of([]) == 0


def test_pairs_align_their_meanings(monkeypatch: pytest.MonkeyPatch) -> None:
    """The second line of a meaning stands below its first; below the name where there is no room beside it."""
    lines = pairs([("a", "m " * 50), ("long_name", "n"), ("b", "")])
    assert lines[0].startswith("  a          m m")
    assert lines[1].startswith(" " * 13 + "m m")
    assert lines[2:] == ["  long_name  n", "  b"]
    assert pairs([]) == []
    monkeypatch.setenv("COLUMNS", "30")
    assert pairs([("a_rather_long_name", "some words of it")]) == ["  a_rather_long_name", "      some words of it"]


def test_results_and_notes_go_different_ways(capsys: pytest.CaptureFixture[str]) -> None:
    """What a pipe takes up is the result alone."""
    show("a", "b")
    tell("note")
    show()
    assert capsys.readouterr() == ("a\nb\n", "note\n")
