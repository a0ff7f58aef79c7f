"""Numbers on the screen: enough digits, never a bound that looks like certainty."""

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from vecdecay.analysis.cell import MetricSummary
from vecdecay.analysis.intervals import rate_interval
from vecdecay.analysis.moments import Summary
from vecdecay.numerals import count, digits_of, distinct, duration, estimate, mark, plain, short


def of_rate(mean: float, sessions: int) -> MetricSummary:
    """Return the summary of a rate over some sessions, half of them above the mean."""
    low, high = rate_interval(mean, 0.0, sessions)
    return MetricSummary(Summary(sessions, 0, mean, 0.1, 0.0, 1.0, False), low, high)


def of_amount(mean: float | None, low: float | None, high: float | None, same: bool = False) -> MetricSummary:
    """Return the summary of an unbounded metric; ``same`` if every session gave the mean."""
    ends = (mean, mean) if same else (0.0, 99.0)
    return MetricSummary(Summary(9, 0, mean, None, *ends, same), low, high)


@pytest.mark.parametrize(
    ("mean", "sessions", "shown"),
    [
        (1.0, 50, ("1.000", "(≥ 0.929)")),
        (0.0, 50, ("0.000", "(≤ 0.071)")),
        (1.0, 10**6, ("1.000", "(≥ 0.999996)")),
        (0.0, 10**6, ("0.000", "(≤ 0.000004)")),
        (1.0, 10**9, ("1.000", "(≥ 0.999999996)")),
        (0.548, 50, ("0.548", "(0.412–0.678)")),
        (0.5481, 10**6, ("0.5481", "(0.5471–0.5491)")),
    ],
)
def test_a_rate_shows_its_interval(mean: float, sessions: int, shown: tuple[str, str]) -> None:
    """At 0 and 1 one side, between them two; more sessions, more digits."""
    assert estimate(of_rate(mean, sessions), "share") == shown


@given(st.floats(0, 1), st.integers(1, 10**10))
def test_no_bound_looks_like_certainty(mean: float, sessions: int) -> None:
    """Only exactly 0 and 1 are printed as such, and no one-sided bound at all."""
    summary = of_rate(mean, sessions)
    number, interval = estimate(summary, "share")
    if mean == 1.0:
        assert float(interval.strip("(≥ )")) < 1.0
    elif mean == 0.0:
        assert float(interval.strip("(≤ )")) > 0.0
    else:
        assert float(number) == pytest.approx(mean, abs=5e-4)
        low, high = map(float, interval.strip("()").split("–"))
        assert low <= float(number) <= high


def test_an_amount_is_whole_where_every_session_gave_the_same_whole_number() -> None:
    """4 turns, not 4.00; and 4.25 if they differ, with the interval where there is one."""
    assert estimate(of_amount(4.0, 4.0, 4.0, same=True), "turns") == ("4", "")
    assert estimate(of_amount(4.5, 4.5, 4.5, same=True), "turns") == ("4.50", "")
    assert estimate(of_amount(4.25, 4.1, 4.4), "turns") == ("4.25", "(4.10–4.40)")
    assert estimate(of_amount(4.25, 4.2498, 4.2502), "turns") == ("4.2500", "(4.2498–4.2502)")
    assert estimate(of_amount(4.25, None, None), "turns") == ("4.25", "")
    assert estimate(of_amount(0.5, None, None), "share") == ("0.500", "")


def test_digits_of_a_column_are_used_as_given() -> None:
    """A whole number and a rate of 1 too; a bound that would look like certainty has more."""
    assert estimate(of_amount(4.0, 4.0, 4.0, same=True), "turns", digits=2) == ("4.00", "")
    assert estimate(of_amount(4.25, 4.1, 4.4), "turns", digits=3) == ("4.250", "(4.100–4.400)")
    assert estimate(of_rate(1.0, 50), "share", digits=4) == ("1.0000", "(≥ 0.9287)")
    assert estimate(of_rate(0.0, 10**6), "share", digits=4) == ("0.0000", "(≤ 0.000004)")
    assert estimate(of_rate(0.548, 50), "share", digits=4)[0] == "0.5480"


def test_how_many_digits_a_value_needs() -> None:
    """None for a whole number of turns, three for a share, and as many as show the nearer end of the interval."""
    assert digits_of(of_amount(4.0, 4.0, 4.0, same=True), "turns") == 0
    assert digits_of(of_amount(1.0, 1.0, 1.0, same=True), "share") == 3
    assert digits_of(of_amount(None, None, None), "turns") == 0
    assert digits_of(of_amount(0.5, None, None), "share") == 3
    assert digits_of(of_amount(4.25, 4.2498, 4.26), "turns") == 4
    assert digits_of(of_amount(4.25, 4.24, 4.2502), "turns") == 4
    assert [digits_of(of_rate(mean, 10**6), "share") for mean in (0.0, 0.5481, 1.0)] == [3, 4, 3]


def test_no_value_is_a_dash() -> None:
    """Survival time without evictions has none."""
    assert estimate(of_amount(None, None, None), "turns") == ("–", "")
    assert estimate(of_amount(None, None, None), "share") == ("–", "")
    assert short(None) == "–"


@given(st.lists(st.floats(0.001, 1000), min_size=1, max_size=20, unique=True))
def test_values_of_an_axis_stay_apart(values: list[float]) -> None:
    """In as few digits as that takes: no two are shown alike, and with one digit fewer some would be."""
    texts = distinct(values)
    assert list(texts) == values
    assert len(set(texts.values())) == len(values)
    digits = max(len(text.split("e")[0].replace(".", "").strip("0")) for text in texts.values())
    if 3 < digits <= 12:
        assert len({float(f"{value:.{digits - 1}g}") for value in values}) < len(values)


def test_values_of_an_axis_of_any_type() -> None:
    """Lists, texts, flags, whole numbers, infinity."""
    values = [(0.5, 1.0), "a", True, 7, 0.1 + 0.2, math.inf]
    assert list(distinct(values).values()) == ["0.5, 1", "a", "true", "7", "0.3", "inf"]


def test_the_mark_follows_the_exact_values() -> None:
    """Not the printed digits: 1.000 of sessions that differ in the tenth digit bears no mark."""
    assert mark(of_amount(4.0, 4.0, 4.0, same=True)) == "="
    assert mark(of_amount(4.0, 4.0, 4.0)) == ""
    one_session = MetricSummary(Summary(1, 0, 4.0, None, 4.0, 4.0, False), None, None)
    assert mark(one_session) == ""


def test_parameters_are_written_as_people_write_them() -> None:
    """Whole floats without a point, lists with commas, flags as in a sweep file."""
    assert [plain(value) for value in (8.0, 0.2, 1e300, 7, True, (0.7, 1.0), [3, 8.5], "text")] == [
        "8",
        "0.2",
        "1e+300",
        "7",
        "true",
        "0.7, 1",
        "3, 8.5",
        "text",
    ]


@given(st.floats(allow_nan=False, allow_infinity=False))
def test_no_digit_of_a_parameter_is_lost(value: float) -> None:
    """What is shown is the number."""
    assert float(plain(value)) == value


def test_units_change_where_the_digits_run_out() -> None:
    """The largest number of each unit and the smallest of the next."""
    assert [duration(seconds) for seconds in (0.0004, 0.9, 0.9996, 99.9, 99.96, 5998, 6000)] == [
        "0 ms",
        "900 ms",
        "1.0 s",
        "99.9 s",
        "1.7 min",
        "100.0 min",
        "1.7 h",
    ]
    assert [count(number, "cell") for number in (0, 1, 2, 12345)] == ["0 cells", "1 cell", "2 cells", "12,345 cells"]
    assert math.isclose(float(short(2 / 3)), 0.667)
