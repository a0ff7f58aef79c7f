"""``vecdecay sql``: an answer as a table, as CSV or as JSON; mistakes are one line."""

import json
from pathlib import Path

import pytest
from command_line import type_in
from file_faults import content_of
from sweep_runs import Here, small_sweep

from vecdecay.commands import sql as module
from vecdecay.sweep.run import run_sweep

pytest.importorskip("duckdb")
ONE_QUERY = "sql: allowed: one query, such as: select * from cells"


@pytest.fixture(scope="module")
def finished(tmp_path_factory: pytest.TempPathFactory, warm_kernels: None) -> Path:
    """A run of two cells of four sessions each."""
    folder = tmp_path_factory.mktemp("finished")
    run_sweep(small_sweep(seeds=4, axes=False), folder, executor=Here(), check=0)
    return folder


def test_an_answer_is_an_aligned_table(finished: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Titles, a line, and one line per row."""
    query = "select policy, sessions from cells order by cell"
    ending = type_in(capsys, "sql", str(finished), query)
    assert (ending.code, ending.err) == (0, "")
    assert ending.out.splitlines() == [
        "policy          sessions",
        "--------------  --------",
        "ebbinghaus             4",
        "recency_window         4",
    ]


def test_values_on_the_screen_are_short(finished: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Six digits, a dash for null, and no character that would garble the line."""
    query = "select 1/3::double as third, 2::double as two, null as nothing, chr(27) as escape"
    lines = type_in(capsys, "sql", str(finished), query).out.splitlines()
    assert lines[2].split() == ["0.333333", "2", "–", r"'\x1b'"]


def test_an_answer_as_csv_has_all_digits(finished: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Numbers to the last digit, nothing for null, dictionaries and lists as text."""
    query = "select policy, 1/3::double as third, null as nothing, [1, 2] as two from cells order by cell"
    ending = type_in(capsys, "sql", str(finished), query, "--csv")
    assert (ending.code, ending.err) == (0, "")
    assert ending.out.splitlines() == [
        '"policy","third","nothing","two"',
        '"ebbinghaus",0.3333333333333333,,"1, 2"',
        '"recency_window",0.3333333333333333,,"1, 2"',
    ]


def test_an_answer_as_json_has_all_digits(finished: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """A list of records; sums of integers are integers, however the engine counts them."""
    query = "select policy, 1/3::double as third, null as nothing from cells order by cell"
    told = json.loads(type_in(capsys, "sql", str(finished), query, "--json").out)
    assert told == [
        {"policy": "ebbinghaus", "third": 1 / 3, "nothing": None},
        {"policy": "recency_window", "third": 1 / 3, "nothing": None},
    ]
    summed = json.loads(type_in(capsys, "sql", str(finished), "select sum(seed) as n from sessions", "--json").out)
    assert summed == [{"n": 2 * (0 + 1 + 2 + 3)}]


def test_no_rows_are_an_answer(finished: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """In JSON an empty list, in CSV the titles."""
    query = "select seed from sessions where seed > 100"
    assert json.loads(type_in(capsys, "sql", str(finished), query, "--json").out) == []
    assert type_in(capsys, "sql", str(finished), query, "--csv").out == '"seed"\n'
    assert type_in(capsys, "sql", str(finished), query).out.splitlines() == ["seed", "----"]


def test_a_long_answer_is_cut_on_the_screen_only(
    finished: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """The screen shows so many rows and says so; CSV and JSON have all of them."""
    monkeypatch.setattr(module, "MOST_ROWS_ON_SCREEN", 3)
    query = "select seed from sessions order by cell, seed"
    ending = type_in(capsys, "sql", str(finished), query)
    assert ending.out.split() == ["seed", "----", "0", "1", "2"]
    assert ending.err == "the first 3 of 8 rows; --csv prints all\n"
    assert type_in(capsys, "sql", str(finished), query, "--csv").out.split() == ['"seed"', *"01230123"]
    assert len(json.loads(type_in(capsys, "sql", str(finished), query, "--json").out)) == 8


@pytest.mark.parametrize(
    "statement", ["insert into cells values (1)", "copy cells to 'x.csv'", "attach 'x.db'", "select 1; select 2", ""]
)
def test_anything_but_one_query_is_refused(statement: str, finished: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """One line, and the run is as it was."""
    before = content_of(finished)
    ending = type_in(capsys, "sql", str(finished), statement)
    assert (ending.code, ending.out, ending.complaints) == (2, "", [ONE_QUERY])
    assert content_of(finished) == before


def test_mistakes_are_one_line(finished: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """A column that is not there, two forms at once, a folder without a run."""
    ending = type_in(capsys, "sql", str(finished), "select nothing from cells")
    assert (ending.code, ending.out, len(ending.complaints)) == (2, "", 1)
    assert ending.complaints[0].endswith("; views of this run: cells, sessions, totals")
    ending = type_in(capsys, "sql", str(finished), "select 1", "--csv", "--json")
    assert (ending.code, ending.complaints) == (2, ["--csv and --json: allowed: one of them"])
    ending = type_in(capsys, "sql", str(tmp_path / "nowhere"), "select 1")
    assert (ending.code, ending.complaints) == (1, [f"{tmp_path / 'nowhere'}: holds no run of this program"])
