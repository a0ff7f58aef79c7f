"""``vecdecay recommend``: the recommendation first, then the policies by rank; a file that other commands take."""

import json
import tomllib
from dataclasses import dataclass
from pathlib import Path

import pytest
from command_line import type_in

import vecdecay as vd
from vecdecay.errors import InvalidInputError

SMALL = "published_sessions(session_length=60, noise_per_turn=1)"
POLICIES = ("ebbinghaus", "recency_window", "keep_all")


def test_the_recommendation_comes_first(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """With its price, and a file that ``run`` and ``replay`` take."""
    path = tmp_path / "recommended.toml"
    ended = type_in(capsys, "recommend", SMALL, *POLICIES, "--target", "0.9", "--seeds", "201", "--output", str(path))
    assert (ended.code, ended.err) == (0, "")
    text = " ".join(ended.out.split())
    assert text.startswith(f"{SMALL}: 101 sessions to choose, 100 to confirm - use ")
    for part in ("- use ebbinghaus with eviction_threshold 0.", "- next comes ", "- one point of hit rate more costs "):
        assert part in text
    run = type_in(capsys, "run", str(path), "--output", str(tmp_path / "run"))
    assert run.code == 0
    log = tmp_path / "log.csv"
    log.write_text("session,turn,item\na,1,x\na,3,x\n", "utf-8")
    replayed = type_in(capsys, "replay", str(log), "--policy", str(path), "--json")
    assert [one["policy"] for one in json.loads(replayed.out)["policies"]] == ["ebbinghaus"]


def test_of_a_log_too_the_file_can_be_run(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """It names the log by its whole path; a sweep over a log gives the same."""
    log, path = tmp_path / "log.csv", tmp_path / "recommended.toml"
    rows = [f"{session},{turn},x" for session in range(9) for turn in (1, 3, 9, 30)]
    log.write_text("\n".join(["session,turn,item", *rows]), "utf-8")
    typed = ("recency_window", "--target", "0.3", "--output", str(path))
    assert type_in(capsys, "recommend", str(log), *typed).code == 0
    run = type_in(capsys, "run", str(path), "--output", str(tmp_path / "run"))
    assert (run.code, "9 sessions of " in " ".join(run.out.split())) == (0, True)
    first = tomllib.loads(path.read_text("utf-8"))
    assert type_in(capsys, "recommend", str(path), *typed[1:]).code == 0
    second = tomllib.loads(path.read_text("utf-8"))
    assert (second["policy"], second["trace"]["path"]) == (first["policy"], first["trace"]["path"])


def test_nothing_qualifying_ends_with_a_code(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    """And names what comes closest; no file is written."""
    path = tmp_path / "recommended.toml"
    ended = type_in(capsys, "recommend", SMALL, *POLICIES, "--target", "0.999", "--seeds", "20", "--output", str(path))
    assert ended.code == 1
    text = " ".join(ended.out.split())
    assert "- nothing qualifies: no policy surely hits 0.999 of the recalls; more sessions may show one" in text
    assert "- closest comes " in text
    assert not path.exists()
    ended = type_in(capsys, "recommend", SMALL, "keep_all", "--budget", "2", "--seeds", "20", "--json")
    assert (ended.code, json.loads(ended.out)["policy"]) == (1, None)


def test_a_file_that_is_no_policy_is_a_line(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Where it holds none or several, or cannot be read."""
    path = tmp_path / "two.toml"
    path.write_text("[[policy]]\nkind = 'keep_all'\n[[policy]]\nkind = 'ebbinghaus'\n", "utf-8")
    for name, line in ((str(path), "exactly one [[policy]]"), (str(tmp_path / "no.toml"), "cannot be read")):
        ended = type_in(capsys, "recommend", SMALL, name, "--target", "0.5")
        assert (ended.code, len(ended.complaints)) == (2, 1)
        assert line in ended.complaints[0]


def test_what_is_held_is_called_by_its_size(capsys: pytest.CaptureFixture[str]) -> None:
    """Items where every item has the size 1, tokens elsewhere."""
    arguments = ("ebbinghaus", "recency_window", "--target", "0.5")
    plain = type_in(capsys, "recommend", "recency_biased", *arguments, "--seeds", "100").out
    sized = type_in(capsys, "recommend", "sample", *arguments).out
    assert "tokens" not in plain
    assert "items held" in plain
    assert "tokens held" in sized


OWN = """
from dataclasses import dataclass

@dataclass(frozen=True)
class Gentle:
    '''A curve.'''
    half_life: float = 10.0
    eviction_threshold: float = 0.2

    def retention(self, age, recall_count):
        return 1.0 / (1.0 + age / (self.half_life * recall_count))

def pulse(seed, gap=20):
    return [(1, "register", "rule"), (1 + gap + seed % 5, "recall", "rule"), (60, "register", "last")]
"""


def test_a_policy_and_a_workload_of_ones_own_are_written(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """By the whole path of their file, so that run and replay take the sweep file in any folder."""
    monkeypatch.chdir(tmp_path)
    Path("mine.py").write_text(OWN, "utf-8")
    typed = ("mine.py:Gentle(half_life=12)", "recency_window", "--target", "0.7", "--seeds", "40")
    assert type_in(capsys, "recommend", "mine.py:pulse", *typed, "--output", "recommended.toml").code == 0
    path = tmp_path / "recommended.toml"
    found = tomllib.loads(path.read_text("utf-8"))
    assert found["workload"]["kind"] == f"{tmp_path / 'mine.py'}:pulse"
    (policy,) = found["policy"]
    (tmp_path / "elsewhere").mkdir()
    monkeypatch.chdir(tmp_path / "elsewhere")
    assert type_in(capsys, "run", str(path), "--output", "run", "--quiet").code == 0
    assert [policy["kind"], policy["label"]] in (
        [f"{tmp_path / 'mine.py'}:Gentle", "Gentle"], ["recency_window", "recency_window"]
    )  # fmt: skip
    only = ("mine.py:Gentle", "--target", "0.7", "--seeds", "40", "--output", str(path))
    monkeypatch.chdir(tmp_path)
    assert type_in(capsys, "recommend", "recency_biased", *only).code == 0
    monkeypatch.chdir(tmp_path / "elsewhere")
    replayed = type_in(capsys, "replay", "sample", "--policy", str(path), "--json")
    assert [one["policy"] for one in json.loads(replayed.out)["policies"]] == ["Gentle"]


def test_what_is_in_no_file_is_not_written(monkeypatch: pytest.MonkeyPatch) -> None:
    """A class of a script or notebook: one line, and no file that cannot be run."""

    @dataclass(frozen=True)
    class Local:
        """A window."""

        eviction_threshold: float = 0.5

        def retention(self, age: int, recall_count: int) -> float:
            """Return a line."""
            return max(0.0, 1.0 - age / 40.0)

    found = vd.recommend(vd.PublishedSessions(session_length=60), [Local()], target=0.5, seeds=range(40))
    with pytest.raises(InvalidInputError, match="Local is defined in no file that could be named"):
        found.toml()


def test_each_policy_is_given_as_a_share_of_the_best() -> None:
    """Its hits on the sessions that chose, of the most that the bound allows with so much held."""
    source = vd.RecencyBiased(session_length=60)
    found = vd.recommend(source, [vd.RecencyWindow(), vd.KeepAll()], target=0.5, seeds=range(100))
    best = vd.bounds(source, seeds=range(0, 100, 2), size="tokens")
    for row in found.table.to_pylist():
        held = row["mean_tokens"] * best.session_turns
        assert row["share_of_best"] == pytest.approx(row["hit_rate"] * best.recalls / best.best_hits(round(held)))
        assert 0.0 < row["share_of_best"] <= 1.0
