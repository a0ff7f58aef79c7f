"""Cells whose policies come to the same in every session are played once, and hold what each by itself comes to."""

from typing import Any

import pytest

import vecdecay as vd
from vecdecay.engines.registry import stream_counted
from vecdecay.run import play


def test_thresholds_between_two_steps_are_played_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """A fine axis of thresholds, in one run and value by value."""
    played: list[vd.Ebbinghaus] = []

    def counting(workload: Any, seeds: Any, policies: Any) -> Any:
        played.extend(policies)
        return stream_counted(workload, seeds, policies)

    source, seeds = vd.PublishedSessions(session_length=40), range(5000)
    policies = [vd.Ebbinghaus(0.6 + place / 200) for place in range(16)]
    single = [vd.simulate(source, one, seeds=seeds, detail="cells").results[0].summaries for one in policies]
    monkeypatch.setattr(play, "stream_counted", counting)
    together = vd.simulate(source, policies, seeds=seeds, detail="cells", threads=1).results
    assert [one.summaries for one in together] == single
    assert len({str(one) for one in single}) <= len(set(played)) < 12
