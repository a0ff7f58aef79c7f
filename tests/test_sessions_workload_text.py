"""Tests of vecdecay.sessions.workload_text: a workload as one line of text, and back."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rhythms import SEEDED, attribute_values, noise_values, seeded_workloads

from vecdecay.errors import InvalidInputError
from vecdecay.sessions import PublishedSessions, Workload
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
        ("steady_use(recalls_per_turn=f())", "allowed: name or name"),
        ("__import__('os').getcwd()", "allowed: name or name"),
        ("steady", "did you mean steady_use"),
        ("mixture", "is no workload"),
        ("steady_use(recalls=1)", "no parameter 'recalls'"),
        ("steady_use(recalls_per_turn=-1, session_length=0)", "recalls_per_turn is -1"),
    ],
)
def test_what_is_no_workload_is_refused(text: str, words: str) -> None:
    """Nothing in a text is ever executed; mistakes in parameters are those of the workload."""
    with pytest.raises(InvalidInputError, match=words.replace("(", r"\(")):
        workload_of_text(text)
