"""Points as numbers: the order of a grid, columns of a zip, draws that depend on nothing but themselves."""

import itertools
from collections import Counter

from conftest import examples
from hypothesis import given, settings
from hypothesis import strategies as st
from sweep_texts import AXES, parsed

from vecdecay.sweepfile.model import grid_places, num_points, places, random_place

ZIP = '[[axis]]\nparameter = "ebbinghaus.eviction_threshold"\nvalues = [0.1, 0.1, 0.3]\n'


@settings(max_examples=examples(100))
@given(st.lists(st.integers(1, 4), max_size=4).map(tuple))
def test_a_grid_counts_like_a_number(sizes: tuple[int, ...]) -> None:
    """The last axis varies fastest, every combination comes once."""
    expected = list(itertools.product(*map(range, sizes)))
    assert [grid_places(sizes, number) for number in range(len(expected))] == expected


def test_the_number_of_points() -> None:
    """The product, the common length, the number asked for; without axes one."""
    assert num_points(parsed()) == 1
    assert num_points(parsed(rest=AXES)) == 15
    assert num_points(parsed(sweep='combine = "zip"', rest=ZIP)) == 3
    assert num_points(parsed(sweep='combine = "random"\nrandom_points = 7', rest=AXES)) == 7
    point = '[[point]]\n"ebbinghaus.eviction_threshold" = 0.1\n'
    assert num_points(parsed(sweep='combine = "points"', rest=point * 4)) == 4


def test_the_places_of_a_point() -> None:
    """In a zip every axis stands at the point's own number."""
    assert [places(parsed(rest=AXES), point) for point in (0, 1, 5, 14)] == [(0, 0), (0, 1), (1, 0), (2, 4)]
    assert places(parsed(sweep='combine = "zip"', rest=ZIP), 2) == (2,)
    assert places(parsed(), 0) == ()


def drawn(num: int, seed: int, *axes: str) -> list[tuple[int, ...]]:
    """Return the places of all points of a random sweep over some axes of nine values."""
    rest = "".join(f'[[axis]]\nparameter = "{axis}"\nrange = {{ from = 1, to = 9 }}\n' for axis in axes)
    spec = parsed(sweep=f'combine = "random"\nrandom_points = {num}\nrandom_seed = {seed}', rest=rest)
    return [places(spec, point) for point in range(num)]


def test_random_points_depend_on_nothing_else() -> None:
    """Another axis, another order of axes and more points change no draw; another seed does."""
    window, noise = "recency_window.window_size", "workload.noise_per_turn"
    alone = [place for (place,) in drawn(50, 3, window)]
    assert [place for place, _ in drawn(50, 3, window, noise)] == alone
    assert [place for _, place in drawn(50, 3, noise, window)] == alone
    assert [place for (place,) in drawn(90, 3, window)][:50] == alone
    assert [place for (place,) in drawn(50, 4, window)] != alone
    assert drawn(50, 3, noise) != drawn(50, 3, window)


def test_random_places_are_pinned_and_uniform() -> None:
    """The first draws are fixed for good, since stored sweeps hold them; 20,000 draws fill 10 places evenly."""
    assert [random_place(0, "ebbinghaus.eviction_threshold", point, 1000) for point in range(5)] == PINNED
    counts = Counter(random_place(1, "a.b", point, 10) for point in range(20_000))
    assert sorted(counts) == list(range(10))
    # Chi-square with 9 degrees of freedom: above 33.7 once in 10,000 such tests; these draws are always the same.
    assert sum((count - 2000) ** 2 / 2000 for count in counts.values()) < 33.7
    assert {random_place(0, "a.b", point, 1) for point in range(9)} == {0}


# From outside: printf '0/ebbinghaus.eviction_threshold/0' | sha256sum, read as a number, modulo 1000; and so on.
PINNED = [358, 916, 140, 939, 624]
