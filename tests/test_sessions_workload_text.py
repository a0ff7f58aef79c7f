"""Tests of vecdecay.sessions.workload_text: a workload as one line of text, and back."""

from collections.abc import Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rhythm_strategies import attribute_values, noise_values, seeded_workloads
from rhythms import SEEDED

from vecdecay.errors import InvalidInputError
from vecdecay.sessions import WORKLOADS, Mixture, PublishedSessions, Workload
from vecdecay.sessions.rhythms import RHYTHMS
from vecdecay.sessions.workload_text import text_of_workload, workload_of_text


@pytest.mark.parametrize("described", RHYTHMS)
def test_a_bare_name_is_the_defaults(described: type[Workload]) -> None:
    """And the defaults are written as the bare name."""
    assert workload_of_text(described.name) == described()
    assert text_of_workload(described()) == described.name


@given(
    seeded_workloads(SEEDED[1], st.just({"recalls_per_turn": 0.30000000000000004})), noise_values(), attribute_values()
)
def test_every_parameter_survives_the_text(workload: Workload, noise: dict, attributes: dict) -> None:
    """Numbers to the last digit, tuples and names."""
    assert workload_of_text(text_of_workload(workload)) == workload
    other = SEEDED[1](**{**noise, **attributes})
    assert workload_of_text(text_of_workload(other)) == other


def test_the_published_workload_has_a_text_too() -> None:
    """With its offsets."""
    workload = PublishedSessions(recall_base_offsets=(1.5, 20.0), noise_per_turn=0)
    assert text_of_workload(workload) == "published_sessions(noise_per_turn=0, recall_base_offsets=(1.5, 20.0))"
    assert workload_of_text(text_of_workload(workload)) == workload


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("", "allowed: name or name"),
        ("steady_use(", "allowed: name or name"),
        ("steady_use(0.5)", "allowed: name or name"),
        ("steady_use(**{})", "allowed: name or name"),
        (
            "steady_use(recalls_per_turn=f())",
            "^SteadyUse.recalls_per_turn is 'f.*'; allowed: a number, a text in quotes",
        ),
        ("__import__('os').getcwd()", "allowed: name or name"),
        ("steady", "did you mean steady_use"),
        ("mixture", "^'mixture' is no workload that a mixture can be made of; allowed: published_sessions, "),
        ("zipf", "^'zipf' is no workload; did you mean zipf_recalls"),
        ("steady_use(recalls=1)", "no parameter 'recalls'"),
        ("steady_use(recalls_per_turn=-1, session_length=0)", "recalls_per_turn is -1"),
    ],
)
def test_what_is_no_workload_is_refused(text: str, words: str) -> None:
    """Nothing in a text is ever executed; mistakes in parameters are those of the workload."""
    with pytest.raises(InvalidInputError, match=words.replace("(", r"\(")):
        workload_of_text(text)


@pytest.mark.parametrize("value", ["nan", "inf", "-inf", "+nan", "1e999"])
def test_what_is_no_finite_number_is_named(value: str) -> None:
    """Words that TOML has for numbers reach the parameter, which says what it is and what is allowed."""
    shown = {"+nan": "nan", "1e999": "inf"}.get(value, value)
    single = f"SteadyUse.recalls_per_turn is {shown}; allowed: a finite number at least 0 and at most 100"
    several = (
        f"SteadyUse.category_weights is (1, {shown}, 0, 0); allowed: 4 finite numbers, each at least 0 and at most 1"
    )
    text = f"steady_use(recalls_per_turn={value}, category_weights=(1, {value}, 0, 0))"
    assert refused(text) == (single, several)
    with pytest.raises(InvalidInputError) as caught:
        Mixture([text], (1.0,))
    assert caught.value.problems == tuple(f"Mixture.workloads[0]: {line}" for line in (single, several))


def test_a_parameter_that_stands_twice_is_refused() -> None:
    """In one line, whichever values it has; what else is wrong is told too, unless it rests on one of these."""
    line = "SteadyUse.num_foundational is given more than once; allowed: one value"
    assert refused("steady_use(num_foundational=3,num_foundational=4)") == (line,)
    assert refused("steady_use(num_foundational=3,session_length=9,num_foundational=3,num_foundational=-1)") == (line,)
    both = refused("steady_use(num_foundational=3,x=1,num_foundational=4,recalls_per_turn=-1,x=2,noise_per_turn=0.5)")
    assert [one.partition(";")[0] for one in both] == [
        line.partition(";")[0],
        "SteadyUse has no parameter 'x'",
        "SteadyUse.recalls_per_turn is -1",
        "SteadyUse.noise_per_turn is 0.5",
    ]
    assert len(refused("periodic(period_jitter=90,period_turns=2,period_turns=200)")) == 1
    with pytest.raises(
        InvalidInputError, match=r"^Mixture\.workloads\[1\]: Drift\.items_in_use is given more than once"
    ):
        Mixture(["drift", "drift(items_in_use=2, items_in_use=2)"], (0.5, 0.5))


def test_a_mixture_has_a_text_where_it_is_asked_for() -> None:
    """It may be of any workloads but mixtures."""
    mixture = Mixture(("steady_use(recalls_per_turn=0.2)", "drift"), (0.25, 0.75))
    assert workload_of_text(text_of_workload(mixture), WORKLOADS) == mixture
    assert workload_of_text("mixture", WORKLOADS) == Mixture()
    (line,) = refused("mixture(workloads=['mixture', 'drift'], shares=[0.5, 0.5])", WORKLOADS)
    assert line.startswith("Mixture.workloads[0]: 'mixture' is no workload that a mixture can be made of; allowed: ")
    assert refused("mixtur", WORKLOADS) == ("'mixtur' is no workload; did you mean mixture?",)


def refused(text: str, kinds: Sequence[type[Workload]] = RHYTHMS) -> tuple[str, ...]:
    """Return the lines with which a text is refused."""
    with pytest.raises(InvalidInputError) as caught:
        workload_of_text(text, kinds)
    return caught.value.problems
