"""Tables and paragraphs: aligned, at most 80 columns, no trailing blanks."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from vecdecay.commands.screen import WIDTH, pairs, paragraph, show, table, tell, width_of

WORDS = st.text("abcdef.é≥–", min_size=1, max_size=12)


def test_numbers_stand_to_the_right_and_text_to_the_left() -> None:
    """Also under titles of several lines, which end on one line."""
    assert table(["name", "rate", "a long\ntitle"], [["b", "0.25", "x"], ["keep_all", "–", "yy"]]) == [
        "                a long",
        "name      rate  title",
        "--------  ----  ------",
        "b         0.25  x",
        "keep_all     –  yy",
    ]


def test_parts_of_a_cell_are_aligned_each_for_itself() -> None:
    """A mark stands below a mark, whether there is an interval before it or not."""
    assert table(["rate"], [[("1.000", "(≥ 0.929)", "=")], [("0.5", "(0.4–0.6)", "")], [("10.25", "", "=")]]) == [
        "rate",
        "-----------------",
        "1.000 (≥ 0.929) =",
        "  0.5 (0.4–0.6)",
        "10.25           =",
    ]


def test_parts_that_are_empty_everywhere_take_no_room() -> None:
    """Then a cell of parts is a number like any other."""
    assert table(["turns"], [[("4", "", "")], [("13", "", "")]]) == ["turns", "-----", "    4", "   13"]


@given(st.lists(st.lists(WORDS, min_size=3, max_size=3), min_size=1, max_size=5))
def test_every_cell_stands_under_its_title(rows: list[list[str]]) -> None:
    """No text is lost, no line has trailing blanks, and all columns start at the same place."""
    lines = table(["A", "B", "C"], rows)
    assert len(lines) == len(rows) + 2
    assert all(line == line.rstrip() for line in lines)
    starts = [0]
    for rule in lines[1].split("  ")[:-1]:
        starts.append(starts[-1] + len(rule) + 2)
    for row, line in zip(rows, lines[2:], strict=True):
        ends = [*starts[1:], len(line) + 2]
        assert [line[start : end - 2].strip() for start, end in zip(starts, ends, strict=True)] == row


def test_paragraphs_are_wrapped_and_indented() -> None:
    """The first line has its own beginning; long words are not cut."""
    text = "word " * 40
    lines = paragraph(text, "- ")
    assert width_of(lines) <= WIDTH
    assert [line[:2] for line in lines] == ["- ", "  ", "  "]
    assert " ".join(line[2:] for line in lines) == text.strip()
    assert paragraph("x" * 100) == ["x" * 100]
    assert width_of([]) == 0


def test_pairs_align_their_meanings() -> None:
    """The second line of a meaning stands below its first."""
    lines = pairs([("a", "m " * 50), ("long_name", "n")])
    assert lines[0].startswith("  a          m m")
    assert lines[1].startswith(" " * 13 + "m m")
    assert lines[2] == "  long_name  n"
    assert pairs([]) == []


def test_results_and_notes_go_different_ways(capsys: pytest.CaptureFixture[str]) -> None:
    """What a pipe takes up is the result alone."""
    show("a", "b")
    tell("note")
    show()
    assert capsys.readouterr() == ("a\nb\n", "note\n")
