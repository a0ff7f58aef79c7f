"""``vecdecay sql``: an answer as a table, as CSV or as JSON; mistakes are one line."""

import json
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest
from command_line import type_in
from file_faults import content_of
from sweep_runs import Here, small_sweep

from vecdecay.commands import sql as module
from vecdecay.run.sweep import run_sweep

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
        "────────────────────────",
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


def strict(text: str) -> Any:
    """Read JSON as its standard has it: no NaN, no infinities, no name twice; numbers with all digits."""

    def refuse(word: str) -> None:
        raise AssertionError(f"{word} is no JSON")

    def named_once(members: list[tuple[str, Any]]) -> dict[str, Any]:
        assert len(dict(members)) == len(members)
        return dict(members)

    return json.loads(text, parse_constant=refuse, parse_float=Decimal, object_pairs_hook=named_once)


VALUES = {
    "'nan'::double": None,
    "'inf'::double": None,
    "'-inf'::float": None,
    "[1.5::double, 'nan'::double, null]": [Decimal("1.5"), None, None],
    "{'a': {'b': ['inf'::double]}, 'c': 'NaN'}": {"a": {"b": [None]}, "c": "NaN"},
    "array_value(1.0::float, 'nan'::float)": [Decimal("1.0"), None],
    "map {'a': '-inf'::double}": [["a", None]],
    "map {1: [1, null]}": [[1, [1, None]]],
    "union_value(k := 'nan'::double)": None,
    "'NaN'": "NaN",
    "'Infinity \"quoted\" ' || chr(0) || chr(27) || chr(8232)": 'Infinity "quoted" \0\x1b\u2028',
    "date '2020-01-02'": "2020-01-02",
    "timestamp '2020-01-02 03:04:05.678'": "2020-01-02T03:04:05.678000",
    "timestamptz '2020-01-02 00:00:00+00'": "2020-01-02T00:00:00+00:00",
    "time '01:02:03'": "01:02:03",
    "interval '1 month 2 days'": {"months": 1, "days": 2, "nanoseconds": 0},
    "[interval '1 day']": [{"months": 0, "days": 1, "nanoseconds": 0}],
    "1.50::decimal(10, 2)": Decimal("1.50"),
    "1e-30::decimal(38, 35)": Decimal("1e-30"),
    "12345678901234567890.123456789012345678::decimal(38, 18)": Decimal("12345678901234567890.123456789012345678"),
    "170141183460469231731687303715884105727::hugeint": 2**127 - 1,
    "-170141183460469231731687303715884105727::hugeint": 1 - 2**127,
    "18446744073709551615::ubigint": 2**64 - 1,
    "1e300::double": Decimal("1e+300"),
    "-0.0::double": Decimal("-0.0"),
    "'a\\x00\\xFF'::blob": "6100ff",
    "'x'::enum('x', 'y')": "x",
    "uuid '00000000-0000-0000-0000-000000000001'": "00000000-0000-0000-0000-000000000001",
    "true": True,
    "null": None,
    "[]": [],
}


@pytest.mark.parametrize("value", VALUES)
def test_whatever_sql_makes_is_strict_json(value: str, finished: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """NaN and the infinities are null wherever they stand, numbers have all digits, all else is text that tells it."""
    ending = type_in(capsys, "sql", str(finished), f"select {value} as told", "--json")
    assert (ending.code, ending.err) == (0, "")
    ((name, told),) = strict(ending.out)[0].items()
    assert (name, told) == ("told", VALUES[value])
    assert type(told) is type(VALUES[value])


def test_all_of_a_run_is_strict_json(finished: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Every view, and names that need quotes; as many records as there are rows, in their order."""
    for view in ("cells", "sessions", "histograms"):
        rows = strict(type_in(capsys, "sql", str(finished), f"select * from {view}", "--json").out)
        (counted,) = strict(type_in(capsys, "sql", str(finished), f"select count(*) n from {view}", "--json").out)
        assert len(rows) == counted["n"] > 1
    query = 'select range as "a ""b"" {c}" from range(25000)'
    assert strict(type_in(capsys, "sql", str(finished), query, "--json").out) == [
        {'a "b" {c}': number} for number in range(25_000)
    ]


def test_a_name_twice_is_no_json(finished: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """A record would lose one of the values; the screen and CSV show both."""
    ending = type_in(capsys, "sql", str(finished), "select 1 as a, 2 as a, 3 as b", "--json")
    assert (ending.code, ending.out) == (2, "")
    assert ending.complaints == ["sql: several columns are named 'a'; allowed with --json: a name for each (AS)"]
    assert type_in(capsys, "sql", str(finished), "select 1 as a, 2 as a", "--csv").out.split() == ['"a","a"', "1,2"]


@pytest.mark.parametrize("form", ["--json", None])
@pytest.mark.parametrize("value", ["'infinity'::timestamp", "'-infinity'::date", "'290000-01-01'::date"])
def test_times_that_no_calendar_has_are_a_mistake(
    value: str, form: str | None, finished: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """One line, which says how to see them; as text they are shown."""
    forms = [form] if form else []
    ending = type_in(capsys, "sql", str(finished), f"select {value} as t", *forms)
    assert (ending.code, ending.out, len(ending.complaints)) == (2, "", 1)
    assert ending.complaints[0].endswith("years 1 to 9999; others can be cast: column::varchar")
    assert type_in(capsys, "sql", str(finished), f"select ({value})::varchar as t", *forms).code == 0


def test_the_help_tells_what_has_no_word_in_json(capsys: pytest.CaptureFixture[str]) -> None:
    """NaN and the infinities."""
    assert "NaN and the infinities are null" in " ".join(type_in(capsys, "sql", "--help").out.replace("│", " ").split())


def test_no_rows_are_an_answer(finished: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """In JSON an empty list, in CSV the titles."""
    query = "select seed from sessions where seed > 100"
    assert json.loads(type_in(capsys, "sql", str(finished), query, "--json").out) == []
    assert type_in(capsys, "sql", str(finished), query, "--csv").out == '"seed"\n'
    assert type_in(capsys, "sql", str(finished), query).out.splitlines() == ["seed", "────"]


@pytest.mark.parametrize("columns", [50, 80, 200])
def test_a_wide_answer_fits(
    columns: int, finished: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Few rows as records with every value; many with the columns that have room, and how many more there are."""
    monkeypatch.setenv("COLUMNS", str(columns))
    out = type_in(capsys, "sql", str(finished), "select * from cells").out
    assert max(map(len, out.splitlines())) <= columns
    assert "footprint_reduction_tokens_sessions" in out
    wide = "select seed, 'abcdefghij' a, 'abcdefghij' b, 'abcdefghij' c, 'abcdefghij' d, 'abcdefghij' e from sessions"
    lines = type_in(capsys, "sql", str(finished), wide).out.splitlines()
    assert max(map(len, lines)) <= columns
    shown = {50: 4, 80: 6, 200: 6}[columns]
    assert len(lines[2].split()) == shown + (shown < 6)
    assert (lines[-1] == "… 2 more columns; --csv prints all") == (columns == 50)


def test_a_misspelt_column_has_candidates(finished: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Those of the SQL engine, on the one line of the mistake, without the query."""
    (line,) = type_in(capsys, "sql", str(finished), "select polcy from cells").complaints
    assert 'Candidate bindings: "policy"' in line
    assert "LINE 1" not in line
    assert line.isprintable()


def test_a_long_answer_is_cut_on_the_screen_only(
    finished: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """The screen shows so many rows and says so; CSV and JSON have all of them."""
    monkeypatch.setattr(module, "MOST_ROWS_ON_SCREEN", 3)
    query = "select seed from sessions order by cell, seed"
    ending = type_in(capsys, "sql", str(finished), query)
    assert ending.out.split() == ["seed", "────", "0", "1", "2"]
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
    assert ending.complaints[0].endswith("; views of this run: cells, sessions, histograms")
    ending = type_in(capsys, "sql", str(finished), "select 1", "--csv", "--json")
    assert (ending.code, ending.complaints) == (2, ["--csv and --json: allowed: one of them"])
    ending = type_in(capsys, "sql", str(tmp_path / "nowhere"), "select 1")
    assert (ending.code, ending.complaints) == (1, [f"{tmp_path / 'nowhere'}: holds no run of this program"])
