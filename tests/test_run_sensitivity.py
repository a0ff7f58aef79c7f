"""``sensitivity``: indices of SALib on expected values, common random numbers, and two parameters that are one knob."""

import json
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow.parquet as pq
import pytest
from command_line import type_in

import vecdecay as vd
from vecdecay.commands.sensitivity import answers
from vecdecay.errors import InvalidInputError, VecdecayError
from vecdecay.run import sensitivity as module
from vecdecay.run.ranges import Varied
from vecdecay.run.sensitivity import METHODS

SOURCE = vd.PublishedSessions(session_length=60, noise_per_turn=1)
BOTH = {"eviction_threshold": (0.2, 0.8), "baseline_stability": (2.0, 8.0)}


def column(found: vd.Sensitivity, measure: str, name: str) -> dict[str, Any]:
    """Return a column of a measure by parameter."""
    return {row["parameter"]: row[name] for row in found.table.to_pylist() if row["measure"] == measure}


@pytest.mark.parametrize("method", METHODS)
def test_indices_of_a_known_function(method: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Hit rate x + x × y, held 3 × x: what a linear parameter, a product and an idle parameter come to by hand."""

    def known(design: Any, *_: Any) -> np.ndarray:
        x, y, _ = design.points.T
        return np.array([x + x * y, 3.0 * x])

    monkeypatch.setattr(module, "_played", known)
    ranges = {**BOTH, "reinforcement_gain": (0.5, 1.5)}
    found = vd.sensitivity(SOURCE, vd.Ebbinghaus(), vary=ranges, method=method, samples=1024, seeds=range(3))
    x, y, idle = ranges
    if method == "morris":
        # On four levels the step of x changes the rate by (1 + y) per whole range, y in {0, 1/3, 2/3, 1}.
        effect = column(found, "hit_rate", "effect")
        assert (effect[x], effect[y]) == (pytest.approx(1.5, abs=0.05), pytest.approx(0.5, abs=0.05))
        assert effect[idle] == 0.0
        assert column(found, "mean_working_set", "effect")[x] == pytest.approx(3.0)
        assert column(found, "mean_working_set", "spread")[x] == pytest.approx(0.0, abs=1e-9)
        assert column(found, "hit_rate", "effect_low")[x] < 1.5 < column(found, "hit_rate", "effect_high")[x]
        return
    # Of x + x y on the unit square: variances 3/16 of x alone, 1/48 of y alone, 1/144 of both together.
    parts = {x: 3 / 16, y: 1 / 48, "both": 1 / 144}
    whole = sum(parts.values())
    alone, total = (column(found, "hit_rate", name) for name in ("alone", "total"))
    assert alone[x] == pytest.approx(parts[x] / whole, abs=0.02)
    assert alone[y] == pytest.approx(parts[y] / whole, abs=0.02)
    assert total[x] == pytest.approx((parts[x] + parts["both"]) / whole, abs=0.02)
    assert (alone[idle], total[idle]) == (pytest.approx(0.0, abs=0.01), pytest.approx(0.0, abs=0.01))
    (pair,) = (one for one in found.pairs.to_pylist() if (one["measure"], one["second"]) == ("hit_rate", y))
    assert pair["together"] == pytest.approx(parts["both"] / whole, abs=0.03)
    assert column(found, "hit_rate", "alone_low")[x] < parts[x] / whole < column(found, "hit_rate", "alone_high")[x]


def test_points_are_played_on_the_same_sessions() -> None:
    """Each gives what ``simulate`` gives of its policy and workload, the hit rate of all recalls together."""
    varied = Varied("eviction_threshold", 0.2, 0.8, False), Varied("workload.num_foundational", 1.0, 3.0, True)
    design = module._Design("morris", 2, varied, module._salib("morris"))
    described = {"ebbinghaus": vd.Ebbinghaus(baseline_stability=4.0), "workload": SOURCE}
    found = module._played(design, described, range(30), 2)
    for place, (first, second) in enumerate(design.points.tolist()):
        source = vd.PublishedSessions(session_length=60, noise_per_turn=1, num_foundational=1 + min(int(second * 3), 2))
        rows = vd.simulate(source, vd.Ebbinghaus(0.2 + first * (0.8 - 0.2), 4.0), seeds=range(30)).sessions
        recalls, misses = (sum(rows[name].to_pylist()) for name in ("recalls", "misses"))
        held = sum(rows["working_set_sum"].to_pylist()) / (30 * 60)
        assert found[:, place].tolist() == [(recalls - misses) / recalls, held]


def test_it_is_the_same_again_whatever_the_threads() -> None:
    """Design, results and bootstrap have fixed seeds."""
    found = [vd.sensitivity(SOURCE, vd.Ebbinghaus(), vary=BOTH, seeds=range(40), threads=n) for n in (1, 3)]
    assert found[0].table.equals(found[1].table)
    assert found[0].knobs == found[1].knobs
    assert repr(found[0]) == (
        "Sensitivity (morris) of ebbinghaus on 40 sessions of published_sessions: 2 parameters, 60 points"
    )


def test_what_is_one_knob_is_found_and_nothing_else() -> None:
    """Threshold and baseline of the forgetting curve: no session tells the two settings apart. A gain is no such."""
    found = vd.sensitivity(SOURCE, vd.Ebbinghaus(), seeds=range(5), samples=2)
    assert [(one.first, one.second) for one in found.knobs] == [("eviction_threshold", "baseline_stability")]
    knob = found.knobs[0]
    assert knob.formula == "baseline_stability × ln(1 / eviction_threshold)"
    twins = [vd.Ebbinghaus(*values) for values in (knob.values, knob.other_values)]
    assert twins[0] != twins[1]
    items = [vd.simulate(SOURCE, one, seeds=range(200), detail="items").items for one in twins]
    same = [one == other for one, other in zip(*(each["evicted_turn"].to_pylist() for each in items), strict=True)]
    assert sum(same) > 0.99 * len(same)  # lives are whole turns: one in some hundreds may be a turn off
    assert vd.sensitivity(SOURCE, vd.RecencyWindow(), seeds=range(5), samples=2).knobs == ()
    assert "one knob: 0.2 and 8 give every item the life that" in list(answers(found))[-1]


def test_the_usual_ranges_are_allowed_ones() -> None:
    """Half to twice a value, halfway to an exclusive bound that is closer; what is 0, infinite or refused is fixed."""
    found = vd.sensitivity(SOURCE, vd.Ebbinghaus(eviction_threshold=0.9), seeds=range(3), samples=2)
    ranges = {row["parameter"]: (row["from"], row["to"]) for row in found.table.to_pylist()}
    assert ranges["eviction_threshold"] == (0.45, pytest.approx(0.95))
    assert ranges["baseline_stability"] == (4.0, 16.0)
    assert ranges["workload.num_foundational"] == (2.0, 6.0)
    assert found.fixed == ("max_stability", "cooldown_turns", "grace_turns")
    assert "job_period_hours" in vd.sensitivity(SOURCE, vd.YourMemory(), seeds=range(3), samples=2).fixed
    assert Varied("n", 2.0, 4.0, True).values(np.array([0.0, 0.34, 0.67, 1.0])) == [2, 3, 4, 4]


def test_nothing_that_differs_has_no_index() -> None:
    """Null, and never NaN; the sentence says so."""
    found = vd.sensitivity(vd.NeverRecalled(), vd.Ebbinghaus(), vary=BOTH, seeds=range(3), samples=2)
    assert set(column(found, "hit_rate", "effect").values()) == {None}
    assert next(answers(found)) == "hit rate: nothing in these ranges moves it"


def test_mistakes_are_named_together() -> None:
    """Before anything is played."""
    vary = {"eviction_treshold": (0.1, 0.2), "baseline_stability": (8.0, 2.0), "workload.session_length": (10, 2.5)}
    with pytest.raises(InvalidInputError) as caught:
        vd.sensitivity(SOURCE, vd.Ebbinghaus(), vary=vary, method="morriss", samples=1, seeds=range(3))
    problems = caught.value.problems
    assert len(problems) == 5
    assert "did you mean morris?" in problems[0]
    assert "did you mean eviction_threshold?" in problems[2]
    with pytest.raises(InvalidInputError, match="a power of two"):
        vd.sensitivity(SOURCE, vd.Ebbinghaus(), method="sobol", samples=20, seeds=range(3))
    with pytest.raises(InvalidInputError, match="0 parameters can be varied; allowed: at least two"):
        vd.sensitivity(vd.session_of([vd.events.register(1, "a")]), vd.KeepAll())


def test_the_screen_the_file_and_the_json(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Sentences first; the same figures in all three; the narrow screen is narrow."""
    path = tmp_path / "indices.parquet"
    typed = ("sensitivity", "headline", "--vary", "eviction_threshold=0.4:0.9", "--vary", "baseline_stability=1:8")
    ended = type_in(capsys, *typed, "--output", str(path))
    assert (ended.code, ended.err) == (0, "")
    text = " ".join(ended.out.split())
    assert text.startswith("headline, 50 sessions at each of 60 points; ebbinghaus, morris: 2 parameters - hit rate: ")
    assert max(map(len, ended.out.splitlines()[:-1])) <= 80
    found = json.loads(type_in(capsys, *typed, "--json").out)
    assert found["indices"] == pq.read_table(path).to_pylist()
    for row in found["indices"]:
        assert f"{row['effect']:.3f} ({row['effect_low']:.3f}–{row['effect_high']:.3f}) {row['spread']:.3f}" in text
    sobol = " ".join(type_in(capsys, *typed, "--method", "sobol").out.split())
    assert "share of the variance" in sobol


def test_mistakes_in_what_is_typed_are_lines(capsys: pytest.CaptureFixture[str]) -> None:
    """Of source, policy and ranges together; of the extra one line that names it."""
    ended = type_in(capsys, "sensitivity", "headlin", "--policy", "ebinghaus", "--vary", "a", "--output", "x.csv")
    assert (ended.code, ended.out, len(ended.complaints)) == (2, "", 4)


def test_without_the_extra_it_is_named(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    """One line, exit 1, before anything is played."""
    for name in [name for name in sys.modules if name.partition(".")[0] == "SALib"]:
        monkeypatch.delitem(sys.modules, name)
    monkeypatch.setitem(sys.modules, "SALib", None)
    ended = type_in(capsys, "sensitivity", "headline")
    assert (ended.code, ended.complaints) == (
        1, ["sensitivity needs the package SALib; install it with: pip install 'vecdecay[sensitivity]'"],
    )  # fmt: skip
    with pytest.raises(VecdecayError, match="SALib"):
        vd.sensitivity(SOURCE, vd.Ebbinghaus(), seeds=range(3))
