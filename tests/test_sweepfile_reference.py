"""The reference page: every key is on it, its examples are sound, and it fits a screen."""

import pytest
from pydantic import BaseModel

from vecdecay.quantities import METRIC_NAMES
from vecdecay.sweepfile.model import num_points
from vecdecay.sweepfile.reference import COMBINATIONS, START, WIDTH, reference_text
from vecdecay.sweepfile.spec import parse_sweep
from vecdecay.sweepfile.tables import SweepFile, allowed_text, model_inside

FLAT = " ".join(reference_text().split())


def test_every_key_stands_on_the_page() -> None:
    """With its meaning and what it may hold, tables inside tables too."""
    waiting: list[type[BaseModel]] = [SweepFile]
    seen = 0
    while waiting:
        for name, field in waiting.pop().model_fields.items():
            seen += 1
            assert f"{field.alias or name}" in FLAT
            assert f"{field.description}." in FLAT
            inner = model_inside(field.annotation)
            waiting += [inner] if inner else []
            assert inner or name == "point" or allowed_text(field) in FLAT, name
    assert seen > 30
    assert 'detail (default "cells")' in FLAT
    assert "seeds (required)" in FLAT
    assert "checkpoints (default [])" in FLAT
    assert all(name in FLAT for name in METRIC_NAMES)


def test_the_page_fits_a_screen() -> None:
    """No line is longer than 100 characters, and none ends in a space."""
    lines = reference_text().split("\n")
    assert max(map(len, lines)) <= WIDTH == 100
    assert [line for line in lines if line != line.rstrip()] == []


@pytest.mark.parametrize(("combine", "points"), [("grid", 15), ("zip", 5), ("points", 2), ("random", 20)])
def test_each_example_is_a_sound_sweep(combine: str, points: int) -> None:
    """With the number of points that is said; the page shows it line by line."""
    text, example = COMBINATIONS[combine]
    # What is a key of [sweep] in an example stands before its first table.
    keys, header, tables = example.partition("[[")
    start = START.replace("seeds = 1000\n", f'seeds = 1000\ncombine = "{combine}"\n{keys}')
    assert num_points(parse_sweep(f"{start}\n{header}{tables}")) == points
    assert all(line.strip() in reference_text() for line in (START + example).splitlines())
    assert f"{points} points" in text or combine in ("grid", "random")
    assert list(COMBINATIONS) == ["grid", "zip", "points", "random"]
