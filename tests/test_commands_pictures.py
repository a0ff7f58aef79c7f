"""Sparklines, bars and heat maps: every value where it belongs, in whatever room there is."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from vecdecay.commands.pictures import heat_map, sparkline

SPARKS = "▁▂▃▄▅▆▇█"


@given(st.lists(st.floats(0, 1), min_size=1, max_size=60))
def test_a_sparkline_rises_with_its_values(values: list[float]) -> None:
    """A character each; none is higher than that of a larger value; 0 is the lowest and 1 the highest."""
    line = sparkline(np.array(values), 100)
    assert len(line) == len(values)
    for one, mark in zip(values, line, strict=True):
        assert abs(SPARKS.index(mark) / 7 - one) <= 1 / 7
    assert sparkline(np.array([0.0, 1.0, math.nan]), 100) == "▁█ "


def test_neighbours_are_averaged_where_there_is_no_room() -> None:
    """A value that is not there counts for nothing."""
    assert sparkline(np.array([0.0, 1.0, 1.0, 1.0, math.nan, 0.0]), 3) == "▅█▁"
    assert sparkline(np.array([math.nan, math.nan, 1.0]), 2) == " █"


@pytest.mark.parametrize("columns", [30, 50, 80, 200])
def test_a_heat_map_fits_and_keeps_its_corners(columns: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """Rows downwards, columns to the right, the first and the last column named, a dot where nothing was played."""
    monkeypatch.setenv("COLUMNS", str(columns))
    values = np.zeros((40, 300))
    values[:, 200:] = 1.0
    values[:10, :100] = math.nan
    lines = heat_map(values, [f"r{number}" for number in range(40)], ["first", *["?"] * 298, "last"], most_rows=8)
    assert len(lines) == 9
    assert max(map(len, lines)) <= columns
    assert lines[0].split() == ["first", "last"]
    assert [line.split()[0] for line in lines[1:]] == [f"r{number}" for number in range(0, 40, 5)]
    assert lines[1].strip("r0 ")[0] == "·"
    assert lines[8][5] == " "
    assert all(line[-1] == "█" for line in lines[1:])


def test_a_small_heat_map_is_drawn_wide() -> None:
    """Four characters a value, darker where it is higher."""
    lines = heat_map(np.array([[0.0, 1.0], [0.5, 0.25]]), ["a", "bb"], ["x", "y"], most_rows=9)
    assert lines == ["    x      y", " a      ████", "bb  ▒▒▒▒░░░░"]
