"""What holds for every importer: the trace plays, no text is kept, names can be hashed, the source stays as it was."""

import os
import random
from pathlib import Path

import pytest
from command_line import type_in
from conftest import examples
from importer_samples import SAMPLES, SECRET

import vecdecay as vd
from vecdecay.errors import InvalidInputError
from vecdecay.sessions.importers import IMPORTERS, import_trace


def contents(folder: Path) -> dict[str, bytes]:
    """Return every file below a folder."""
    return {one.name: one.read_bytes() for one in folder.rglob("*") if one.is_file()}


def test_every_format_has_a_sample() -> None:
    """A new importer is tested by being listed."""
    assert {kind for kind, *_ in SAMPLES.values()} == set(IMPORTERS)


@pytest.mark.parametrize("name", SAMPLES)
def test_what_is_imported_plays(name: str, tmp_path: Path) -> None:
    """A window as long as the log keeps what a window of one turn loses; the source stays as it was."""
    kind, make, options = SAMPLES[name]
    source = make(tmp_path)
    before = contents(tmp_path)
    table, notes = import_trace(kind, source, **options)
    assert contents(tmp_path) == before
    trace = vd.Trace.read(table, turn=None if "turn" in table.column_names else "1d")
    assert notes
    result = vd.simulate(trace, [vd.RecencyWindow(1000), vd.KeepAll()])
    assert len(set(result.sessions["misses"].to_pylist())) == 1
    assert trace.summarise().recalls > 0 or kind == "mem0"  # which records no searches


@pytest.mark.parametrize("name", SAMPLES)
def test_no_text_is_kept_and_names_can_be_hashed(name: str, tmp_path: Path) -> None:
    """Names are gone, the sessions are the same, and the key is another each time."""
    kind, make, options = SAMPLES[name]
    source = make(tmp_path)
    table, notes = import_trace(kind, source, **options)
    hashed, _ = import_trace(kind, source, anonymise=True, **options)
    assert SECRET not in str(table.to_pylist()) + str(notes)
    turn = None if "turn" in table.column_names else "1d"
    assert vd.Trace.read(hashed, turn=turn).session(0) == vd.Trace.read(table, turn=turn).session(0)
    named = [one for one in ("session", "item", "message") if one in table.column_names]
    for column in named:
        assert not set(map(str, table[column].to_pylist())) & set(hashed[column].to_pylist())
    assert import_trace(kind, source, anonymise=True, **options)[0]["item"] != hashed["item"]


@pytest.mark.parametrize("name", SAMPLES)
def test_file_names_may_be_any_bytes(name: str, tmp_path: Path) -> None:
    """They become sessions, and are printed."""
    kind, make, options = SAMPLES[name]
    source = make(tmp_path)
    odd = source.rename(source.with_name(os.fsdecode(b"\xff ") + source.name))
    table, _ = import_trace(kind, odd, **options)
    assert table.num_rows == import_trace(kind, odd.rename(source), **options)[0].num_rows
    lines = source.rename(source.with_name("two\nlines " + source.name))
    lines.write_bytes(b"")
    with pytest.raises(InvalidInputError) as error:
        import_trace(kind, lines, **options)
    assert "\n" not in "".join(error.value.problems)


def test_what_is_neither_file_nor_folder_is_refused(tmp_path: Path) -> None:
    """A pipe would never end."""
    os.mkfifo(tmp_path / "pipe.jsonl")
    for source in (tmp_path / "pipe.jsonl", tmp_path):
        with pytest.raises(InvalidInputError, match="no file"):
            import_trace("claude-code", source)


WRONG = {
    "empty": b"",
    "zeros": bytes(4096),
    "picture": b"\x89PNG\r\n\x1a\n" + bytes(range(256)) * 8,
    "other JSON": b'{"a": [1, {"b": null}]}',
    "text": b"no more than a few words\n" * 9,
    "SQLite": None,
}


@pytest.mark.parametrize("name", SAMPLES)
def test_wrong_files_are_one_line(name: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Files of another kind, a folder with nothing in it, and what is not there: the file is named, exit code 2."""
    kind, make, options = SAMPLES[name]
    source = make(tmp_path)
    typed = []
    for option, value in options.items():
        typed += [f"--{option.replace('_', '-')}", value if isinstance(value, str) else value[0]]
    folder = tmp_path / "folder"
    folder.mkdir()
    for content in WRONG.values():
        source.write_bytes(b"SQLite format 3\0" + bytes(4080) if content is None else content)
        ended = type_in(capsys, "import", kind, str(source), "-o", str(tmp_path / "t.parquet"), *typed)
        assert (ended.code, len(ended.complaints)) == (2, 1), content
        assert str(source) in ended.complaints[0]
    for path in (folder, tmp_path / "none"):
        ended = type_in(capsys, "import", kind, str(path), "-o", str(tmp_path / "t.parquet"), *typed)
        assert (ended.code, len(ended.complaints), str(path) in ended.complaints[0]) == (2, 1, True)
    assert not (tmp_path / "t.parquet").exists()


@pytest.mark.parametrize("name", SAMPLES)
def test_mutated_files_are_read_or_refused(name: str, tmp_path: Path) -> None:
    """Bytes changed at random, cut off, doubled: a table that is a trace, or a line that names the file."""
    kind, make, options = SAMPLES[name]
    source = make(tmp_path)
    sound, rng = source.read_bytes(), random.Random(name)
    read, broken = 0, []
    for number in range(examples(100)):
        source.write_bytes(mutated(sound, rng))
        try:
            table, _ = import_trace(kind, source, **options)
            read += table.num_rows > 0
            if number % 10 == 0:
                vd.Trace.read(table, turn=None if "turn" in table.column_names else "52w")
        except InvalidInputError as error:
            if len(error.problems) != 1 or str(source) not in error.problems[0]:
                broken.append((number, error.problems))
    assert broken == []
    assert read > 0


INSERTED = (b"", b"null", b"[]", b"5", b'"', b"\xff", b"{}", b"\0", b",", b"-1", b"1e999", b"\n", b"\\ud800")


def mutated(content: bytes, rng: random.Random) -> bytes:
    """Return content with some bytes replaced; at times cut off, or with a piece twice."""
    changed = bytearray(content)
    for _ in range(rng.choice((1, 1, 3, 9))):
        place = rng.randrange(len(changed) + 1)
        changed[place : place + rng.choice((1, 1, 8))] = rng.choice(INSERTED)
    if rng.random() < 0.1:
        del changed[rng.randrange(len(changed) + 1) :]
    if rng.random() < 0.1:
        place = rng.randrange(len(changed) + 1)
        changed[place:place] = changed[: rng.randrange(200)]
    return bytes(changed)
