"""What axes can name, and what is said of a name that leads nowhere."""

import pytest

from vecdecay.errors import InvalidInputError
from vecdecay.policies import Ebbinghaus, RecencyWindow, Sm2
from vecdecay.sweepfile.axis_reading import Targets
from vecdecay.sweepfile.problems import Findings


@pytest.fixture
def targets() -> Targets:
    """Two labels that are sound and one whose kind is a mistake."""
    return Targets({"curve": Ebbinghaus, "window": RecencyWindow, "broken": None})


def said(targets: Targets, name: str) -> str:
    """Return what is said of a name, nothing where it is found or excused."""
    findings = Findings("f")
    targets.find(name, ("axis", 0), findings)
    try:
        findings.stop_if_any()
    except InvalidInputError as error:
        return str(error).removeprefix("f: axis[1]: ")
    return ""


def test_a_parameter_is_found_by_label_and_name(targets: Targets) -> None:
    """The label is the policy's own; the kind is no label."""
    found = targets.find("window.window_size", (), Findings("f"))
    assert found is not None
    assert found.name == "window_size"
    assert said(targets, "recency_window.window_size").endswith("did you mean window.window_size?")


def test_a_name_that_leads_nowhere_is_answered_with_the_nearest(targets: Targets) -> None:
    """Wrong label, wrong parameter, no dot: the nearest is offered, or what there is."""
    assert said(targets, "curve.treshold_eviction") != ""
    assert said(targets, "curve.eviction_treshold").endswith("; did you mean curve.eviction_threshold?")
    first = "curve.eviction_threshold, curve.baseline_stability, curve.reinforcement_gain"
    assert f"'x' is no parameter of this sweep; allowed: {first}" in said(targets, "x")
    assert "window.window_size" in said(targets, "x")
    for label in "abc":
        targets.classes[label] = Sm2
    assert said(targets, "x").count(",") == 12  # no more than a dozen are listed
    assert said(targets, "x").endswith(", …")


def test_a_consequence_of_another_mistake_is_no_mistake(targets: Targets) -> None:
    """Parameters of a policy of unknown kind, and labels that could not be read, are passed over."""
    assert said(targets, "broken.anything") == ""
    assert said(targets, "absent.window_size") != ""
    targets.incomplete = True
    assert said(targets, "absent.window_size") == ""
