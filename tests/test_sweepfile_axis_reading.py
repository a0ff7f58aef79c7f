"""Axes against the parameter that takes their values: every form, every mistake."""

import pytest
from sweep_texts import parsed, problems, sweep_text

from vecdecay.sweepfile.axes import IntegerRange, Linspace, Listed, Logspace


def axis(line: str, parameter: str = "ebbinghaus.baseline_stability") -> str:
    """Return an axis as a file writes it."""
    return f'[[axis]]\nparameter = "{parameter}"\n{line}\n'


def refused(line: str, parameter: str = "ebbinghaus.baseline_stability", combine: str = "grid") -> list[str]:
    """Return what is said of one faulty axis."""
    lines = problems(sweep_text(sweep=f'combine = "{combine}"', rest=axis(line, parameter)))
    return [one.removeprefix("axis[1].") for one in lines]


def test_every_form_is_read_in_the_type_of_its_parameter() -> None:
    """Listed integers become floats where the parameter is one; the other forms keep their rule."""
    forms = {
        "values = [1, 2.5]": Listed((1.0, 2.5)),
        "linspace = { from = 1, to = 2, count = 3 }": Linspace(1.0, 2.0, 3),
        "logspace = { from = 1, to = 2, count = 3 }": Logspace(1.0, 2.0, 3),
        "range = { from = 1, to = 9 }": IntegerRange(1, 9, 1),
    }
    for line, values in forms.items():
        assert repr(parsed(rest=axis(line)).axes[0].values) == repr(values)
    lists = parsed(rest=axis("values = [[1, 2], [3]]", "workload.recall_base_offsets"))
    assert lists.axes[0].values == Listed(((1.0, 2.0), (3.0,)))


def test_zero_has_no_sign() -> None:
    """-0.0 and 0.0 are one value, so that equal cells print alike."""
    assert repr(parsed(rest=axis("values = [-0.0]", "ebbinghaus.reinforcement_gain")).axes[0].values[0]) == "0.0"
    assert problems(sweep_text(rest=axis("values = [-0.0, 0]", "ebbinghaus.reinforcement_gain"))) == [
        "axis[1].values[2]: is 0 again; allowed: each value once"
    ]


@pytest.mark.parametrize(
    ("line", "lines"),
    [
        ("", ["axis[1]: has no values; allowed: exactly one of values, linspace, logspace, range"]),
        (
            "values = [1]\nrange = { from = 1, to = 2 }",
            ["axis[1]: has values and range; allowed: exactly one of values, linspace, logspace, range"],
        ),
        ("values = []", ["values: is empty; allowed: at least one value"]),
        (
            "values = [1, 0, nan, true, '1', [2]]",
            [
                f"values[{n}]: is {v}; allowed: a finite number above 0"
                for n, v in enumerate(("0", "nan", "True", "'1'", "[2]"), 2)
            ],
        ),
        ("values = [2, 1, 2.0]", ["values[3]: is 2.0 again; allowed: each value once"]),
        ("range = { from = 0, to = 3 }", ["range.from: is 0; allowed: a finite number above 0"]),
        ("range = { from = 3, to = 1 }", ["range: runs from 3 down to 1; allowed: the smaller integer first"]),
        ("range = { from = 1, to = 10_000_001 }", ["range: has 10,000,001 values; allowed: at most 10,000,000"]),
        ("range = { from = 1, to = 9.5 }", ["range.to: is 9.5; allowed: an integer from -2**53 to 2**53"]),
        ("range = { from = 1, to = 1e400 }", ["range.to: is inf; allowed: an integer from -2**53 to 2**53"]),
        ("range = { from = 1, to = 9, step = 0 }", ["range.step: is 0; allowed: an integer from 1 to 2**53"]),
        ("range = { from = 1 }", ["range.to: missing; allowed: an integer from -2**53 to 2**53"]),
        ("range = { from = 1, to = 2, stop = 2 }", ["range.stop: unknown key; did you mean step?"]),
        ("linspace = { from = -1, to = 2, count = 3 }", ["linspace.from: is -1.0; allowed: a finite number above 0"]),
        ("linspace = { from = 1, to = nan, count = 3 }", ["linspace.to: is nan; allowed: a finite number"]),
        ("linspace = { from = 1, to = 1" + "0" * 400 + ", count = 3 }", None),
        (
            "linspace = { from = 1, to = 2, count = 0 }",
            ["linspace.count: is 0; allowed: an integer from 1 to 10,000,000"],
        ),
        ("linspace = 3", ["linspace: is 3; allowed: { from = number, to = number, count = integer }"]),
        ("linspace = { from = 1, to = 1, count = 2 }", None),
        ("linspace = { from = 1, to = 2, count = 1 }", None),
        ("linspace = { from = 1, to = 1.0000000000000002, count = 3 }", None),
        ("logspace = { from = 0, to = 2, count = 3 }", ["logspace.from: is 0.0; allowed: a finite number above 0"]),
        ("logspace = { from = 1e-320, to = 2, count = 3 }", None),
    ],
)
def test_each_mistake_is_one_line(line: str, lines: list[str] | None) -> None:
    """Key, value and what is allowed; where the wording is long, one line for one mistake is enough."""
    found = refused(line)
    if lines is None:
        assert len(found) == 1
        assert "; allowed: " in found[0]
    else:
        assert found == lines


def test_forms_that_give_numbers_of_another_kind_are_refused() -> None:
    """No floats for an integer, nothing but lists for a list."""
    spaced = "linspace = { from = 1, to = 2, count = 2 }"
    assert refused(spaced, "workload.noise_per_turn")[0].startswith(
        "linspace: gives floats; allowed for noise_per_turn: an integer"
    )
    assert refused(spaced, "workload.recall_base_offsets")[0].startswith("linspace: gives floats; ")
    assert refused("range = { from = 1, to = 2 }", "workload.recall_base_offsets")[0].startswith(
        "range: gives integers; "
    )


def test_a_column_of_a_zip_may_repeat_itself() -> None:
    """In a grid a value that stands twice doubles cells; in a zip it is wanted."""
    assert parsed(sweep='combine = "zip"', rest=axis("values = [1, 1]")).axes[0].values == Listed((1.0, 1.0))
    assert len(refused("values = [1, 1]\n", combine="random")) == 2  # the repetition, and no random_points
