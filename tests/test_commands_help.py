"""``vecdecay help``: the pages hold all that the records hold, every example runs, and a narrow terminal shows them."""

import contextlib
import functools
import re
import shlex
import textwrap
import tomllib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from command_line import type_in

import vecdecay as vd
from vecdecay.commands import examples, starters
from vecdecay.commands.help import PAGES, page
from vecdecay.commands.screen import width_of
from vecdecay.glossary import GLOSSARY
from vecdecay.items import Attributes
from vecdecay.policies.rules import Rules
from vecdecay.quantities import (
    CELL_COLUMNS,
    CHECKPOINT_COLUMNS,
    HISTOGRAM_COLUMNS,
    ITEM_COLUMNS,
    METRICS,
    SESSION_COLUMNS,
    SUMMARY_SUFFIXES,
    TOKEN_COLUMNS,
    TURN_COLUMNS,
)
from vecdecay.run.sweep import run_sweep
from vecdecay.sessions.events import Registration
from vecdecay.sessions.importers import IMPORTERS
from vecdecay.sessions.trace_columns import COLUMNS, MEANINGS
from vecdecay.sessions.trace_rules import TraceRules
from vecdecay.sweepfile.model import num_points
from vecdecay.sweepfile.spec import parse_sweep
from vecdecay.sweepfile.tables import SweepFile, allowed_text, model_inside

QUANTITIES = (
    *CELL_COLUMNS, *HISTOGRAM_COLUMNS, *SESSION_COLUMNS, *TOKEN_COLUMNS, *CHECKPOINT_COLUMNS, *ITEM_COLUMNS,
    *TURN_COLUMNS,
)  # fmt: skip


def words(*texts: str) -> str:
    """Return texts with every run of blanks as one blank."""
    return " ".join(" ".join(texts).split())


def keys(model: Any = SweepFile) -> Iterator[tuple[str, str, str]]:
    """Yield name, meaning and allowed values of all keys of a sweep file."""
    for name, field in model.model_fields.items():
        inner = model_inside(field.annotation)
        yield field.alias or name, str(field.description), "" if inner else allowed_text(field)
        if inner:
            yield from keys(inner)


def wanted() -> Iterator[tuple[str, str]]:
    """Yield page and a text that it has to hold."""
    for parts in keys():
        yield from (("sweepfile", part) for part in parts)
    yield from (("glossary", words(*entry)) for entry in GLOSSARY.items())
    for one in (*QUANTITIES, *METRICS):
        yield from (("results", part) for part in (one.name, one.meaning.replace("{turn}", "T"), one.unit))
    yield from (("results", words(f"METRIC_{suffix}", meaning)) for suffix, meaning in SUMMARY_SUFFIXES)
    for name, others in COLUMNS.items():
        yield "traces", words(name, f"{MEANINGS[name]}; also found as {', '.join(others)}")
    yield from (("traces", part) for rule in TraceRules.parameters() for part in (rule.name, *rule.choices[:2]))
    yield from (("traces", words(name, one.summary)) for name, one in IMPORTERS.items())
    yield from (("own-policy", name) for name in Rules._fields)
    yield from (
        ("own-workload", name.replace("attributes", "Attributes"))
        for name in (*Registration._fields, *Attributes._fields)
    )
    yield from (("python", f"vd.{name}") for name in vd.__all__ if name != "__version__")


@functools.cache
def pages() -> dict[str, str]:
    """Return all pages, with single blanks."""
    return {name: words(*page(name)) for name in PAGES}


def test_a_page_holds_all_that_its_records_hold() -> None:
    """Keys, words, columns, rules, formats and names: whatever is added to the program is on a page at once."""
    found = list(wanted())
    assert len(found) > 400
    assert [(name, text) for name, text in found if words(text) not in pages()[name]] == []


def test_docstrings_are_on_their_pages_whole() -> None:
    """Every argument of every function, with its meaning."""
    for name in ("simulate", "sweep", "curve", "compare", "recommend", "front", "bounds", "play"):
        text = (getattr(vd, name).__doc__ or "").split(">>>")[0]
        plain = words(re.sub(r":\w+:`(?:\w+\.)*(\w+)`", r"\1", text).replace("``", "")).replace(":", "")
        assert plain in pages()["python"].replace(":", ""), name


@pytest.mark.parametrize("columns", [50, 80, 200])
@pytest.mark.parametrize("name", PAGES)
def test_no_line_is_wider_than_the_terminal(name: str, columns: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """Prose is wrapped, code was written for fifty columns, and no line ends in blanks."""
    monkeypatch.setenv("COLUMNS", str(columns))
    lines = page(name)
    assert width_of(lines) <= columns, max(lines, key=len)
    assert all(line == line.rstrip() for line in lines)


def test_what_can_be_typed(capsys: pytest.CaptureFixture[str]) -> None:
    """Without a topic the topics; a page by its name; anything else is one line."""
    listed = type_in(capsys, "help")
    assert (listed.code, listed.err) == (0, "")
    assert all(f"  {name} " in listed.out for name in PAGES)
    shown = type_in(capsys, "help", "own_policy")
    assert shown.out.splitlines() == page("own-policy")
    ending = type_in(capsys, "help", "sweep")
    assert (ending.code, ending.out) == (2, "")
    (line,) = ending.complaints
    assert line.endswith("did you mean sweepfile?")
    assert "vecdecay COMMAND --help" in type_in(capsys, "help", "xyz").err


def starter_tables() -> dict[str, Any]:
    """Return the starter sweep without its axes."""
    tables = tomllib.loads(starters.named(starters.SWEEP, "study"))
    del tables["axis"]
    return tables


def write_starters() -> None:
    """Write what the examples need into the current folder."""
    Path("gentle.py").write_text(starters.named(starters.POLICY, "gentle"), "utf-8")
    Path("pulse.py").write_text(starters.named(starters.WORKLOAD, "pulse"), "utf-8")
    Path("study.toml").write_text(starters.named(starters.SWEEP, "study"), "utf-8")
    Path("log.csv").write_text(examples.LOG, "utf-8")


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with the files of the starters, in which Python finds them."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.syspath_prepend(tmp_path)
    write_starters()
    return tmp_path


@pytest.mark.parametrize("piece", examples.PIECES, ids=lambda piece: piece.meaning[:30])
def test_a_piece_makes_a_sweep_of_as_many_points_as_it_says(piece: examples.Piece, folder: Path) -> None:
    """It is played, beside the tables of the starter sweep that it leaves alone."""
    tables, own = starter_tables(), tomllib.loads(piece.text)
    if "trace" in own:
        del tables["workload"], tables["sweep"]["seeds"]
    else:
        tables["sweep"]["seeds"] = 3
    tables = {**tables, **own, "sweep": {**tables["sweep"], **own.get("sweep", {})}}
    assert num_points(parse_sweep(tables)) == piece.points
    run = run_sweep(parse_sweep(tables), folder / "run", threads=1, check=0)
    assert run.is_complete
    assert run.cells.num_rows == piece.points * len(tables["policy"])
    shown = "\n".join(page("sweepfile"))
    assert piece.text in f"{shown}\n"


def test_every_key_is_in_an_example() -> None:
    """But for the digest, which nobody writes."""
    texts = "\n".join([starters.SWEEP, *(piece.text for piece in examples.PIECES)])
    written = {name for name, _, _ in keys()} - {"file_sha256"}
    missing = [name for name in written if not any(mark in texts for mark in (f"{name} =", f"[{name}]"))]
    assert missing == []
    for key, choices in (("combine", ("grid", "zip", "points", "random")), ("kind", ("mixture", "lru"))):
        assert [word for word in choices if f'{key} = "{word}"' not in texts] == []


def commands(text: str) -> list[list[str]]:
    """Return the commands of an example, as a shell splits them."""
    lines = text.replace("\\\n", " ").splitlines()
    assert all(line.startswith("$ vecdecay ") for line in lines)
    return [shlex.split(line)[2:] for line in lines]


@pytest.mark.parametrize("name", examples.CONSOLE)
def test_what_a_page_types_succeeds(name: str, folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Each command of a page, one after the other; what it writes anew is not there before."""
    assert examples.CONSOLE[name].splitlines()[0] in page(name)
    for arguments in commands(examples.CONSOLE[name]):
        if arguments[0] == "new":
            ending = {"sweep": ".toml"}.get(arguments[1], ".py")
            Path(arguments[2] + ending).unlink()
        few = ["--seeds", "5"] if arguments[0] == "run" and "--seeds" not in arguments else []
        ended = type_in(capsys, *arguments, *few)
        assert ended.code == 0, (arguments, ended.err)
        assert ended.out


@pytest.mark.parametrize("name", examples.PYTHON)
def test_the_python_of_a_page_runs(name: str, folder: Path) -> None:
    """In the folder of the starters; a value of a last line is there."""
    assert examples.PYTHON[name].splitlines()[0] in page(name)
    namespace: dict[str, Any] = {"__name__": "page"}
    if name == "results":
        vd.sweep("study.toml", output="output/study", set={"seeds": 5}, threads=1)
    if name == "own-policy":
        Path("spaced.py").write_text(examples.STATEFUL, "utf-8")
        exec("from spaced import Spaced", namespace)
    with contextlib.redirect_stdout(None):
        exec(examples.PYTHON[name], namespace)
    assert len(namespace) > 3
    if name == "own-policy":
        few = {"sessions": vd.Drift(), "policies": namespace["Spaced"](), "seeds": range(3), "detail": "items"}
        assert vd.simulate(**few).items == vd.simulate(**few, engine="reference").items


def test_the_tests_of_a_policy_pass_and_can_fail(folder: Path) -> None:
    """As they are on the page; and they find a policy whose score rises with age."""
    namespace: dict[str, Any] = {"__name__": "page"}
    exec(examples.TESTING, namespace)
    tests = [one for name, one in namespace.items() if name.startswith("test_")]
    assert len(tests) == 3
    for test in tests:
        test()
    rising = starters.named(starters.POLICY, "gentle").replace(
        "return 0.5 ** (age / life)", "return min(1.0, age / 99)"
    )
    exec(rising, namespace)
    for test in tests[:2]:
        with pytest.raises(AssertionError):
            test()


def test_examples_fit_fifty_columns() -> None:
    """Also where their names are longer than those of the page."""
    texts = [starters.SWEEP, starters.POLICY, examples.STATEFUL, starters.WORKLOAD, examples.TESTING, examples.LOG]
    texts += [*examples.CONSOLE.values(), *examples.PYTHON.values(), *(piece.text for piece in examples.PIECES)]
    wide = [line for text in texts for line in text.splitlines() if len(line) > 50]
    assert wide == []
    assert textwrap.dedent(examples.LOG) == examples.LOG
