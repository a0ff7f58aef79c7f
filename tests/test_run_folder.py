"""Whose a run folder is: refused with the key that differs, moved aside, set right; nobody's file is deleted."""

import os
import sys
from pathlib import Path

import pytest
from file_faults import FailsAt, Recorder, intercepted
from sweep_runs import Here, cut_finely, small_sweep

from vecdecay.errors import OutputError
from vecdecay.run import folder as module
from vecdecay.run.folder import (
    SWEEP_NAME,
    claim,
    drop_unsound_parts,
    make_room,
    manifest_or_none,
    open_ledger,
    set_untracked_aside,
    sha256_of,
)
from vecdecay.run.sweep import run_sweep
from vecdecay.run.verify import verify_run
from vecdecay.store.ledger import LEDGER_NAME, Ledger, LedgerEntry, read_ledger
from vecdecay.store.lock import lock_folder
from vecdecay.store.manifest import MANIFEST_NAME
from vecdecay.sweepfile.resolved import resolved_toml
from vecdecay.sweepfile.spec import load_sweep, parse_sweep


@pytest.fixture(autouse=True)
def _small_parts(monkeypatch: pytest.MonkeyPatch) -> None:
    """Cut sweeps into a few parts."""
    cut_finely(monkeypatch, plays=60)


def played(folder: Path, **changes: object) -> Path:
    """Return a folder with a finished run in it."""
    run_sweep(small_sweep(**changes), folder, executor=Here(), check=0)
    return folder


def test_an_empty_folder_is_claimed_with_the_resolved_sweep(tmp_path: Path) -> None:
    """The copy in the folder is the whole sweep, defaults written out."""
    spec = small_sweep()
    assert claim(tmp_path, spec) == (spec, [])
    assert load_sweep(tmp_path / SWEEP_NAME) == spec
    assert claim(tmp_path, spec) == (spec, [])


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"seeds": 21}, "sweep.seeds.count: 20 and 21"),
        ({"detail": "items"}, "sweep.detail: 'sessions' and 'items'"),
        ({"axes": False}, "axis"),
        ({"more": '[[policy]]\nkind = "keep_all"\n'}, "policy[3].kind"),
    ],
)
def test_another_sweep_is_refused_naming_the_key(changes: dict[str, object], words: str, tmp_path: Path) -> None:
    """Which key differs, with both values, and what can be done; the folder is left as it is."""
    claim(tmp_path, small_sweep())
    before = (tmp_path / SWEEP_NAME).read_bytes()
    with pytest.raises(OutputError) as refused:
        claim(tmp_path, small_sweep(**changes))
    line = str(refused.value)
    assert line.startswith(f"{tmp_path}: holds another sweep (")
    assert words in line
    assert "--output" in line
    assert "--force" in line
    assert line.isprintable()
    assert (tmp_path / SWEEP_NAME).read_bytes() == before


def test_many_differences_are_named_in_part(tmp_path: Path) -> None:
    """The line does not grow with the number of keys."""
    claim(tmp_path, small_sweep())
    text = resolved_toml(small_sweep("cells", seeds=3, axes=False)).replace("session_length = 25", "session_length = 9")
    other = parse_sweep(
        text.replace("window_size = 6", "window_size = 7").replace("noise_per_turn = 1", "noise_per_turn = 2")
    )
    with pytest.raises(OutputError, match=r"; and \d more\)"):
        claim(tmp_path, other)


def test_name_title_and_note_are_no_difference(tmp_path: Path) -> None:
    """The folder keeps what it has, and goes on."""
    claim(tmp_path, small_sweep())
    other = parse_sweep(
        resolved_toml(small_sweep()).replace('title = ""', 'title = "New"').replace('"small"', '"other"')
    )
    held, problems = claim(tmp_path, other)
    assert held == small_sweep() != other
    assert problems == []


def test_a_folder_with_other_files_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Files that are no run's are named, and nothing is written beside them; a run that tests the folder is none."""
    monkeypatch.setattr(module, "remove_leftovers", lambda _: [])  # the other run begins right after this
    (tmp_path / ".probe.12-0123456789abcdef.tmp").write_text("?")
    (tmp_path / ".lock").write_text("")
    claim(tmp_path, small_sweep())
    other = tmp_path / "other"
    other.mkdir()
    (other / "thesis.tex").write_text("mine")
    with pytest.raises(OutputError, match=r"holds files that are no run of this program \(thesis.tex\)"):
        claim(other, small_sweep())
    assert os.listdir(other) == ["thesis.tex"]


def test_a_damaged_copy_is_refused_until_it_is_moved_aside(tmp_path: Path) -> None:
    """Of an unfinished run nobody can say what a damaged copy said; the line names file and mistake."""
    claim(tmp_path, small_sweep())
    (tmp_path / SWEEP_NAME).write_text("schema = 1\nsweep = 7\n")
    with pytest.raises(OutputError, match=r"sweep.toml: .*; use --force to move the folder aside"):
        claim(tmp_path, small_sweep())


@pytest.mark.parametrize("content", [None, "schema = 1\nsweep = 7\n", "changed"])
def test_a_finished_run_gets_its_copy_back(content: str | None, tmp_path: Path) -> None:
    """The manifest says whose the folder is, so a copy that is damaged, changed or gone is written anew."""
    folder = played(tmp_path / "run")
    text = (folder / SWEEP_NAME).read_text()
    (folder / SWEEP_NAME).unlink()
    if content is not None:
        (folder / SWEEP_NAME).write_text(text.replace('title = ""', 'title = "x"') if content == "changed" else content)
    assert claim(folder, small_sweep()) == (small_sweep(), ["sweep.toml: is not as it was written"])
    assert (folder / SWEEP_NAME).read_text() == text


def test_room_is_made_for_another_sweep_only(tmp_path: Path) -> None:
    """--force moves another run, other files or a file in the way aside; the same sweep, finished or not, stays."""
    folder = tmp_path / "run"
    make_room(folder, small_sweep())
    assert not folder.exists()
    played(folder)
    (folder / MANIFEST_NAME).unlink()
    make_room(folder, small_sweep())
    assert (folder / SWEEP_NAME).exists()
    make_room(folder, small_sweep(seeds=3))
    assert not folder.exists()
    assert (tmp_path / "run.old-1" / SWEEP_NAME).exists()
    folder.mkdir()
    make_room(folder, small_sweep())
    assert folder.exists()
    (folder / "thesis.tex").write_text("mine")
    make_room(folder, small_sweep())
    assert (tmp_path / "run.old-2" / "thesis.tex").read_text() == "mine"
    folder.write_text("a file")
    make_room(folder, small_sweep())
    assert (tmp_path / "run.old-3").read_text() == "a file"


def test_no_room_is_made_under_a_living_run(tmp_path: Path) -> None:
    """A folder that another run is writing to is not moved away under it."""
    folder = played(tmp_path / "run")
    with lock_folder(folder), pytest.raises(OutputError, match="another run is writing"):
        make_room(folder, small_sweep(seeds=3))
    assert folder.exists()


def test_a_folder_that_cannot_be_moved_is_one_line(tmp_path: Path) -> None:
    """The path, and the system's reason."""
    folder = played(tmp_path / "run")
    recorder = Recorder()
    with intercepted(recorder):
        make_room(folder, small_sweep(seeds=3))
    (tmp_path / "run.old-1").rename(folder)
    with pytest.raises(OutputError) as caught, intercepted(FailsAt(recorder.names.index("replace"), 13)):
        make_room(folder, small_sweep(seeds=3))
    assert str(caught.value) == f"{folder}: cannot be moved aside: {os.strerror(13)}"


def test_a_damaged_ledger_is_set_aside_and_an_unreadable_one_is_not(tmp_path: Path) -> None:
    """What a damaged ledger says is not trusted; nothing is lost of it. A ledger that cannot be read is an error."""
    folder = played(tmp_path / "run")
    for number in (1, 2):
        (folder / LEDGER_NAME).write_bytes(b"damaged\n")
        ledger, problems = open_ledger(folder)
        assert len(ledger.entries) == 0
        assert problems == ["ledger.jsonl: is damaged, so its parts cannot be trusted"]
        assert (folder / f".{LEDGER_NAME}.damaged-{number}").read_bytes() == b"damaged\n"
    (folder / LEDGER_NAME).unlink()
    (folder / LEDGER_NAME).mkdir()
    with pytest.raises(OutputError, match="cannot be read"):
        open_ledger(folder)


def test_unsound_parts_and_their_siblings_are_dropped(tmp_path: Path) -> None:
    """Of a part with one bad file, of one that was entered in part, and of one with failed cells, nothing is kept."""
    folder = played(tmp_path / "run")
    (folder / "sessions/part-000001.parquet").write_bytes(b"short")
    ledger, _ = open_ledger(folder)
    before = set(ledger.entries)
    ledger.discard({"sessions/part-000002.parquet"})
    failed = ledger.entries["histograms/part-000003.parquet"]
    ledger.discard({"histograms/part-000003.parquet"})
    receipt = {**failed.receipt, "failed": [[3, "ValueError: no"]]}
    ledger.extend([LedgerEntry(failed.file, failed.rows, failed.bytes, failed.sha256, receipt)])
    problems = drop_unsound_parts(folder, ledger, "sessions")
    assert len(problems) == 1
    assert problems[0].startswith("sessions/part-000001.parquet: has 5 bytes")
    dropped = {f"{name}/part-00000{number}.parquet" for name in ("sessions", "histograms") for number in (1, 2, 3)}
    assert dropped < before
    assert set(ledger.entries) == before - dropped
    assert drop_unsound_parts(folder, ledger, "sessions") == []
    assert set(read_ledger(folder).entries) == before - dropped


def test_untracked_files_leave_the_part_folders_and_are_kept(tmp_path: Path) -> None:
    """What the ledger does not name is moved into the run folder, twice the same name too; hidden files stay."""
    folder = played(tmp_path / "run")
    for number, text in enumerate(("one", "two"), start=1):
        (folder / "histograms/mine.parquet").write_text(text)
        ledger = Ledger(folder)
        found = set_untracked_aside(folder, ledger, "sessions")
        assert found == ["histograms/mine.parquet: unexpected, set aside"]
        assert (folder / f".histograms-mine.parquet.unexpected-{number}").read_text() == text
    (folder / "histograms/.hidden").write_text("")
    ledger = Ledger(folder)
    assert set_untracked_aside(folder, ledger, "sessions") == []
    assert (folder / "histograms/.hidden").exists()


def test_a_manifest_is_read_where_there_is_a_sound_one(tmp_path: Path) -> None:
    """None stands for a missing manifest and for a damaged one."""
    assert manifest_or_none(tmp_path) is None
    folder = played(tmp_path / "run")
    manifest = manifest_or_none(folder)
    assert manifest is not None
    assert manifest["sweep"] == "small"
    (folder / MANIFEST_NAME).write_bytes((folder / MANIFEST_NAME).read_bytes()[:-3])
    assert manifest_or_none(folder) is None


def test_digests_of_files_that_cannot_be_read_are_none(tmp_path: Path) -> None:
    """A missing file and a folder have no digest."""
    assert sha256_of(tmp_path / "missing") is None
    assert sha256_of(tmp_path) is None
    (tmp_path / "file").write_bytes(b"")
    assert sha256_of(tmp_path / "file") == "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"


@pytest.mark.skipif(sys.platform != "linux", reason="other systems have no names that are not UTF-8")
def test_a_folder_whose_name_is_not_utf8_holds_a_run(tmp_path: Path) -> None:
    """It is written, verified and known again as in any other folder."""
    folder = played(tmp_path / "not-utf8-\udcff")
    assert verify_run(folder, sample=2).problems == []
    assert run_sweep(small_sweep(), folder, executor=Here(), check=0).already_complete
