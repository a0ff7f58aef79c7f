"""``vecdecay explain``: everything that has a name is explained, and anything else is one line."""

import json
import re
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
from command_line import Ending, small_sweep, type_in

from vecdecay.cli import options
from vecdecay.commands import explain_policy, overview, result_table, screen
from vecdecay.engines.kernels.fields import EVICTION_REASONS
from vecdecay.glossary import GLOSSARY, meanings
from vecdecay.policies import POLICIES, CachePolicy, SystemPolicy
from vecdecay.quantities import (
    CELL_COLUMNS,
    HISTOGRAM_COLUMNS,
    ITEM_COLUMNS,
    METRICS,
    SESSION_COLUMNS,
    SUMMARY_SUFFIXES,
    TOKEN_COLUMNS,
    TURN_COLUMNS,
)
from vecdecay.run.folder import CELLS_NAME, SWEEP_NAME
from vecdecay.run.provenance import PROVENANCE_NAME
from vecdecay.sessions import WORKLOADS
from vecdecay.sessions.importers import IMPORTERS
from vecdecay.store.ledger import LEDGER_NAME
from vecdecay.store.manifest import MANIFEST_NAME
from vecdecay.sweepfile.files import known_sweeps
from vecdecay.sweepfile.tables import SweepFile, model_inside
from vecdecay.testing.probing import has_score


def explained(capsys: pytest.CaptureFixture[str], *names: str) -> str:
    """Return what is printed of a name, on one line; nothing but that is printed, in at most 80 columns."""
    ending = type_in(capsys, "explain", *names)
    assert (ending.code, ending.err) == (0, "")
    assert all(len(line) <= 80 or " " not in line.strip() for line in ending.out.splitlines())
    return " ".join(ending.out.split())


@pytest.mark.parametrize("described", [*POLICIES, *WORKLOADS], ids=lambda described: described.name)
def test_policies_and_workloads_are_explained(described: type, capsys: pytest.CaptureFixture[str]) -> None:
    """Summary, formula, source, and for every parameter its meaning, range and default."""
    text = explained(capsys, described.name)
    wanted = [described.summary, described.source, getattr(described, "formula", "")]
    wanted += [part for one in described.every_parameter() for part in (one.name, one.meaning, one.allowed())]
    missing = [part for part in wanted if " ".join(part.split()) not in text]
    assert missing == []
    assert text.count("default ") >= len(described.every_parameter())


@pytest.mark.parametrize("name", IMPORTERS)
def test_importers_are_explained(name: str, capsys: pytest.CaptureFixture[str]) -> None:
    """What an item and a session are, the options, and what is typed."""
    text = explained(capsys, name)
    wanted = [IMPORTERS[name].summary, " session ", " item", f"vecdecay import {name} SOURCE -o trace.parquet"]
    wanted += [f"--{option.replace('_', '-')}" for option in IMPORTERS[name].options]
    assert [part for part in wanted if part not in text] == []


@pytest.mark.parametrize("policy", [one for one in POLICIES if has_score(one())], ids=lambda policy: policy.name)
def test_the_lives_under_every_policy_are_told(policy: type, capsys: pytest.CaptureFixture[str]) -> None:
    """Its clock, and figures: a table of recalls with lives and half-lives, or that an item never goes."""
    text = explained(capsys, policy.name)
    assert " clock counts in " in text
    assert re.search(r" 5( [\d.–]+)+ 6( [\d.–]+)+ ", text)  # the last two rows
    assert "Lives with the default parameters" in text


@pytest.mark.parametrize("policy", [one for one in POLICIES if not has_score(one())], ids=lambda policy: policy.name)
def test_a_policy_over_all_items_tells_its_victim(policy: type, capsys: pytest.CaptureFixture[str]) -> None:
    """Its formula says who goes; no item has a life of its own, and there is no clock."""
    text = explained(capsys, policy.name)
    assert "evict" in policy.formula or "short:" in policy.formula
    assert "No life of one item can be stated: the policy decides over all items together." in text
    assert (" clock " in text) == issubclass(policy, SystemPolicy)
    assert not issubclass(policy, CachePolicy) or "capacity_items" in text


OWN = """
from dataclasses import dataclass
from vecdecay import StatefulPolicy

@dataclass(frozen=True)
class Fading(StatefulPolicy):
    eviction_threshold: float = 0.2
    rate: float = 0.5

    def on_register(self, turn):
        return (turn,)

    def on_recall(self, state, turn):
        return (turn,)

    def retention(self, state, turn):
        return self.rate ** (turn - state[0])

@dataclass(frozen=True)
class Rising(Fading):
    rate: float = 2.0
"""


def test_a_stateful_policy_of_a_persons_own(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """0.5 at age 1, below 0.2 at age 3, whenever it was recalled; one that could not be played is a mistake."""
    monkeypatch.chdir(tmp_path)
    Path("own.py").write_text(OWN, "utf-8")
    text = explained(capsys, "own.py:Fading")
    assert "counts in turns" in text
    assert "0 1 3 1 1 3 2 1 3 3 1 3 4 1 3 5 1 3 6 1 3 The same whether" in text
    refused(type_in(capsys, "explain", "own.py:Rising"), "Rising.retention(", "allowed: a number from 0 to 1")


@pytest.mark.parametrize("metric", METRICS, ids=lambda metric: metric.name)
def test_metrics_are_explained(metric, capsys: pytest.CaptureFixture[str]) -> None:
    """Meaning, formula, unit, which way is better, and the columns that hold it."""
    text = explained(capsys, metric.name)
    assert metric.meaning in text
    assert metric.formula in text
    assert f"{metric.unit} per session" in text
    assert f"{metric.name}_low" in text


COLUMNS = [
    (table, column)
    for table, columns in (
        ("cells", CELL_COLUMNS),
        ("histograms", HISTOGRAM_COLUMNS),
        ("sessions", SESSION_COLUMNS),
        ("sessions", TOKEN_COLUMNS),
        ("items", ITEM_COLUMNS),
        ("turns", TURN_COLUMNS),
    )
    for column in columns
]


@pytest.mark.parametrize(("table", "column"), COLUMNS, ids=lambda value: getattr(value, "name", value))
def test_columns_are_explained(table: str, column, capsys: pytest.CaptureFixture[str]) -> None:
    """Every column of every table, with its type; a name of several tables is told for each."""
    text = explained(capsys, column.name)
    assert f"column {column.name} of {table} meaning {column.meaning} type {column.dtype}" in text
    assert (", may be null" in text) or not column.nullable


@pytest.mark.parametrize("suffix", [suffix for suffix, _ in SUMMARY_SUFFIXES])
def test_columns_of_summaries_are_explained(suffix: str, capsys: pytest.CaptureFixture[str]) -> None:
    """A metric's summary in cells.parquet, and that of a checkpoint with its own turn."""
    words = dict(SUMMARY_SUFFIXES)[suffix]
    assert f"{words}: {METRICS[2].meaning}" in explained(capsys, f"survival_time_{suffix}")
    assert "pass of turn 70" in explained(capsys, f"foundational_recall_rate_at_70_{suffix}")


def test_columns_of_checkpoints_are_explained(capsys: pytest.CaptureFixture[str]) -> None:
    """With the turn that stands in the name."""
    assert "after the pass of turn 30; null after" in explained(capsys, "foundational_present_at_30")


def test_parameters_are_explained(capsys: pytest.CaptureFixture[str]) -> None:
    """By their own name, for everything that has them, or after the name of what has them."""
    text = explained(capsys, "window_size")
    assert text == explained(capsys, "recency_window.window_size")
    assert "parameter window_size of the policy recency_window" in text
    assert "allowed a finite number above 0 default 15 unit turns" in text
    assert "of the workload published_sessions" in explained(capsys, "session_length")


@pytest.mark.parametrize("name", [name for name, _ in known_sweeps()])
def test_sweeps_are_explained(name: str, capsys: pytest.CaptureFixture[str]) -> None:
    """Every sweep file that comes with the program can be read and told."""
    text = explained(capsys, name)
    assert f"sweep {name}" in text
    assert f"vecdecay run {name}" in text
    # One has the name of a command as well, which is told after it.
    assert text.endswith(f"vecdecay {name} --help" if name == "sensitivity" else f"vecdecay run {name}")


def test_what_is_off_its_default_is_told_of_a_sweep(capsys: pytest.CaptureFixture[str]) -> None:
    """The failure case is the workload without recalls."""
    assert "recalls_per_foundational 0" in explained(capsys, "single_use")


@pytest.mark.parametrize(
    ("name", "hint"),
    [
        ("footprnt", "footprint"),
        ("ebinghaus", "ebbinghaus"),
        ("windw_size", "window_size"),
        ("headlin", "headline"),
        ("mises", "misses"),
    ],
)
def test_an_unknown_name_is_one_line_with_the_nearest_one(
    name: str, hint: str, capsys: pytest.CaptureFixture[str]
) -> None:
    """Exit 2, nothing on the standard output."""
    refused(type_in(capsys, "explain", name), f"{name!r} is unknown", f"did you mean {hint}?")


def test_terms_are_explained(capsys: pytest.CaptureFixture[str]) -> None:
    """In any case, with blanks or underscores, and in the plural where that is no term of its own."""
    for term, meaning in GLOSSARY.items():
        plural = term if term[-1] in "s%=–" or f"{term}s" in GLOSSARY else f"{term}s"
        for word in (term, term.upper(), term.replace(" ", "_"), plural):
            assert (term, meaning) in meanings(word)
    assert " ".join(GLOSSARY["working set"].split()) in explained(capsys, "working", "set")
    assert meanings("nothing of the kind") == []


@pytest.mark.parametrize(
    "word",
    [
        "foundational",
        "horizon",
        "working_set",
        "footprint",
        "axis",
        "cell",
        "seeds",
        "detail",
        "checkpoint",
        "combine",
        "invariant",
        "auto",
        "stateful",
        "lockstep",
        "reference",
        "block",
        "part",
        "run",
        "sweep",
        "histogram",
        "touch",
        "age",
        "retention",
        "stability",
        "threshold",
        "window",
        "eviction_pass",
        "hit",
        "miss",
        "occupancy",
        "token-turns",
        "residency_interval",
        "noise",
        "workload",
        "trace",
        "source",
        "policy",
        "capacity",
        "victim",
        "paired_difference",
        "engine",
        "forget",
        "query",
        "relevance",
        "importance",
        "category",
        "attribute",
        "pinned",
        "fact",
        "half-life",
        "point",
        "share",
        "clock",
        "kernel",
    ],
)
def test_every_word_of_the_field_is_known(word: str, capsys: pytest.CaptureFixture[str]) -> None:
    """Those that the documents of the program use."""
    assert "meaning" in explained(capsys, word)


def test_words_of_tables_files_and_sweeps_are_known(capsys: pytest.CaptureFixture[str]) -> None:
    """Each reason of an eviction, each file of a run, each key of a sweep file with what it may hold."""
    keys, models = set[str](), [SweepFile]
    for model in models:
        for name, field in model.model_fields.items():
            keys.add(field.alias or name)
            models += filter(None, [model_inside(field.annotation)])
    files = [CELLS_NAME, MANIFEST_NAME, PROVENANCE_NAME, LEDGER_NAME, SWEEP_NAME]
    assert len(keys) > 25
    for word in (*EVICTION_REASONS, *files, *keys):
        assert "meaning" in explained(capsys, word), word
    assert "allowed grid, zip, points or random default grid" in explained(capsys, "combine")


def test_every_option_is_explained(capsys: pytest.CaptureFixture[str]) -> None:
    """With what it is for, for each command that has it."""
    for command, texts in options().items():
        assert f"vecdecay {command}" in explained(capsys, command)
        for option, text in texts.items():
            assert text, option
            shown = explained(capsys, "--", option) if option.startswith("-") else explained(capsys, option.lower())
            assert " ".join(text.split()) in shown
    assert "of vecdecay run" in explained(capsys, "seeds")


SWEEPS_WITH_EVERY_TABLE = ("headline", "noise", "sensitivity", "policies", "./grid.toml")


def test_every_title_of_a_table_is_explained(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], warm_kernels: None
) -> None:
    """Of the results of sweeps of every shape, and of policies of every kind."""
    monkeypatch.chdir(tmp_path)
    axis = '[[axis]]\nparameter = "workload.noise_per_turn"\nrange = { from = 0, to = 60, step = 1 }'
    Path("grid.toml").write_text(small_sweep(more=axis), "utf-8")
    titles: set[str] = set()

    def table(header: Sequence[str], rows: Any, *_: Any, **__: Any) -> list[str]:
        titles.update(header)
        return drawn(header, rows)

    drawn = screen.table
    for module in (result_table, overview, explain_policy):
        monkeypatch.setattr(module, "table", table)
    for name in SWEEPS_WITH_EVERY_TABLE:
        type_in(capsys, "run", name, "--seeds", "5", "--quiet")
    for name in ("ebbinghaus", "fsrs6", "memory_bank_as_published", "your_memory"):
        type_in(capsys, "explain", name)
    labels = {entry.name for entry in POLICIES}
    words = {" ".join(re.sub(r"\(.*\)", "", title.replace(".\n", ".")).split()) for title in titles} - labels
    words = {re.sub(f"^({'|'.join(labels)}) ", "", word) for word in words}
    words = {re.sub(r" [\d.]+$", "", word) for word in words if not re.match(r"\d+( |$)(?!%)", word)}
    assert {"foundational recall rate", "survival rate", "cell", "half-life", "at the last moment"} <= words
    assert [word for word in sorted(words) if type_in(capsys, "explain", word).code] == []


def test_facts_as_json(capsys: pytest.CaptureFixture[str]) -> None:
    """Every entry with its title, its facts by name, and the lines of the screen."""
    (entry,) = json.loads(type_in(capsys, "explain", "ebbinghaus", "--json").out)
    assert entry["formula"] == POLICIES[0].formula
    assert any("eviction_threshold" in line for line in entry["text"])
    (sweep,) = json.loads(type_in(capsys, "explain", "headline", "--json").out)
    assert len(sweep["policy"]) == 2


@pytest.mark.parametrize("name", ["", " ", "x" * 10_000, "foundational_present_at_", "\x1b[31m", "../headline"])
def test_an_odd_name_is_one_line(name: str, capsys: pytest.CaptureFixture[str]) -> None:
    """However long it is and whatever characters it holds."""
    refused(type_in(capsys, "explain", name), "is unknown; allowed: ")


def refused(ending: Ending, *parts: str) -> None:
    """Check that a name was refused in one printable line."""
    assert (ending.code, ending.out) == (2, "")
    (line,) = ending.complaints
    assert all(part in line for part in parts)
    assert line.isprintable()
    assert len(line) < 250
