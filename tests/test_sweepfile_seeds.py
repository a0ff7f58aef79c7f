"""The three forms of seeds, one meaning each, and every mistake in them."""

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from vecdecay.errors import InvalidInputError
from vecdecay.sweepfile.problems import Findings
from vecdecay.sweepfile.seeds import MOST_SEEDS, SEEDS_ALLOWED, plain_seeds, read_seeds, seeds_value
from vecdecay.sweepfile.toml_text import plain


def read(raw: Any) -> Any:
    """Return the seeds read, or the lines of the error."""
    findings = Findings("f")
    seeds = read_seeds(raw, ("seeds",), findings)
    try:
        findings.stop_if_any()
    except InvalidInputError as error:
        assert seeds is None
        return [line.removeprefix("f: seeds") for line in error.problems]
    return seeds


def test_the_forms() -> None:
    """A count, a first seed with a count, a list of any integers in its order."""
    assert read(3) == range(3)
    assert read({"first": -2, "count": 4}) == range(-2, 2)
    assert read({"list": [2**70, -5, 0]}) == (2**70, -5, 0)
    assert read(MOST_SEEDS) == range(MOST_SEEDS)


def test_a_list_of_consecutive_seeds_is_the_range() -> None:
    """Two ways to write the same seeds are the same sweep; a falling list is another order."""
    assert read({"list": [7, 8, 9]}) == range(7, 10)
    assert read({"list": [9, 8, 7]}) == (9, 8, 7)


@pytest.mark.parametrize(
    "raw", [0, -1, MOST_SEEDS + 1, True, 2.0, "20", [1, 2], {}, {"first": 1}, {"first": 1, "list": [1]}]
)
def test_other_forms_are_refused(raw: Any) -> None:
    """Anything else names the value and the three forms."""
    (line,) = read(raw)
    assert SEEDS_ALLOWED in line


def test_mistakes_inside_a_form_name_their_place() -> None:
    """Each wrong entry is named; a seed that stands twice too, since rows are told apart by it."""
    assert read({"first": 0.5, "count": 0}) == [
        ".first: is 0.5; allowed: an integer",
        f".count: is 0; allowed: an integer from 1 to {MOST_SEEDS:,}",
    ]
    assert read({"list": [1, True, "a", 1]}) == [
        ".list[2]: is True; allowed: an integer",
        ".list[3]: is 'a'; allowed: an integer",
        ".list[4]: is 1 again; allowed: each seed once",
    ]
    assert read({"list": []}) == [".list: is []; allowed: a list of at least one integer"]
    assert read({"frist": 1, "count": 2})[0].endswith("did you mean first?")


@given(
    st.lists(st.integers(), min_size=1, unique=True)
    | st.builds(lambda a, n: list(range(a, a + n)), st.integers(), st.integers(1, 9))
)
def test_the_written_form_reads_back(seeds: list[int]) -> None:
    """What is written for some seeds is read as the same seeds, in the same order."""
    once = read({"list": seeds})
    assert list(once) == seeds
    assert read(seeds_value(once)) == once


def test_seeds_from_python_take_one_of_the_forms() -> None:
    """A range of step 1 is never written out; another one, a list, a tuple and an array are lists in their order."""
    assert plain_seeds(range(-5, 10**12)) == {"first": -5, "count": 10**12 + 5}
    for given_seeds in ([0, 2, 4], (0, 2, 4), range(0, 6, 2), np.arange(0, 6, 2)):
        assert read(plain(plain_seeds(given_seeds))) == (0, 2, 4)
    assert plain_seeds({"first": 1, "count": 2}) == {"first": 1, "count": 2}
    assert plain_seeds(20) == 20
