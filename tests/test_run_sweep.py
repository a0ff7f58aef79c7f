"""Running a sweep: the same bytes whatever executor, threads, blocks and order; failures, progress, other sweeps."""

import os
import pickle
import threading
from concurrent.futures import Executor, Future, ProcessPoolExecutor, ThreadPoolExecutor
from multiprocessing import get_context
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq
import pytest
from sweep_runs import AXES, Here, cut_finely, digest_of, fresh_process, results_of, small_sweep, small_text

from vecdecay.engines.registry import play_block
from vecdecay.errors import InvalidInputError, OutputError, VecdecayError
from vecdecay.run import blocks, parts
from vecdecay.run import play as playing
from vecdecay.run import sweep as run
from vecdecay.run.check import MismatchError
from vecdecay.run.sinks import PartReceipt
from vecdecay.run.sweep import run_sweep
from vecdecay.run.verify import verify_run
from vecdecay.store.files import file_operations, prepare_folder, write_file
from vecdecay.store.ledger import read_ledger
from vecdecay.store.manifest import MANIFEST_NAME, read_manifest
from vecdecay.sweepfile.spec import parse_sweep

DETAILS = ("cells", "sessions", "items", "turns", "misses")


@pytest.fixture(autouse=True)
def _small_parts(monkeypatch: pytest.MonkeyPatch, warm_kernels: None) -> None:
    """Cut sweeps into some ten parts, with the kernels compiled."""
    cut_finely(monkeypatch, plays=24)


def run_here(folder: Path, **options: Any) -> Path:
    """Run the small sweep in this thread, and return its folder."""
    options = {"executor": Here(), "check": 0, **options}
    run_sweep(options.pop("spec", small_sweep()), folder, **options)
    return folder


@pytest.mark.parametrize("detail", DETAILS)
def test_two_runs_give_the_same_bytes(detail: str, tmp_path: Path) -> None:
    """Every file but the clock's, ledger and manifest included; and all of it is sound."""
    for name in ("one", "other"):
        run_here(tmp_path / name, spec=small_sweep(detail))
    assert digest_of(tmp_path / "one") == digest_of(tmp_path / "other")
    assert set(results_of(tmp_path / "one")) >= {"cells.parquet", "sweep.toml", "histograms/part-000000.parquet"}
    assert verify_run(tmp_path / "one", everything=True).problems == []


@pytest.mark.parametrize("detail", DETAILS)
@pytest.mark.parametrize("engine", ["auto", "lockstep", "reference"])
def test_every_way_of_playing_is_what_the_scalar_engine_says(engine: str, detail: str, tmp_path: Path) -> None:
    """Every session of the run computed again: also where sessions are played while they are generated."""
    spec = small_sweep(detail, seeds=9, checkpoints="[]", engine=engine)
    run_here(tmp_path, spec=spec)
    report = verify_run(tmp_path, everything=True)
    assert report.problems == []
    assert report.sessions_recomputed == 9 * 12


@pytest.mark.parametrize("threads", [1, 2, 4])
def test_threads_change_nothing(threads: int, tmp_path: Path) -> None:
    """Parts are entered in their order, however many threads play them."""
    run_here(tmp_path / "here")
    run_here(tmp_path / "threads", executor=None, threads=threads)
    assert digest_of(tmp_path / "threads") == digest_of(tmp_path / "here")


class Backwards(Executor):
    """Begins nothing until four tasks are there, and then does the last one first: in a thread, as others do."""

    def __init__(self) -> None:
        """Begin with no task."""
        self._waiting: list[tuple[Future[Any], Any, tuple[Any, ...]]] = []
        self._timer: threading.Timer | None = None

    def submit(self, function: Any, /, *arguments: Any, **options: Any) -> Future[Any]:
        """Keep the task for a moment."""
        assert not options
        future: Future[Any] = Future()
        self._waiting.append((future, function, arguments))
        if self._timer is None:
            self._timer = threading.Timer(0.02, self._work)
            self._timer.start()
        return future

    def _work(self) -> None:
        while self._waiting:
            future, function, arguments = self._waiting.pop()
            future.set_result(function(*arguments))
        self._timer = None


def test_any_executor_gives_the_same_bytes(tmp_path: Path) -> None:
    """Threads, one's own that does the last task first, another pool of threads."""
    run_here(tmp_path / "here")
    with ThreadPoolExecutor(3) as pool:
        for name, executor in (("pool", pool), ("backwards", Backwards())):
            run_here(tmp_path / name, executor=executor, threads=3)
            assert digest_of(tmp_path / name) == digest_of(tmp_path / "here")


def test_receipts_are_small(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """What a worker sends back is a few hundred bytes of names and digests, whatever it has played."""
    cut_finely(monkeypatch, plays=5000)
    receipts: list[PartReceipt] = []

    class Listening(Here):
        def submit(self, function: Any, /, *arguments: Any, **options: Any) -> Future[Any]:
            assert len(pickle.dumps(arguments)) < 20_000
            future = super().submit(function, *arguments, **options)
            receipts.append(future.result())
            return future

    run_here(tmp_path, executor=Listening(), spec=small_sweep(seeds=2000))
    assert receipts
    assert all(len(pickle.dumps(receipt)) < 2000 for receipt in receipts)


def test_a_dead_worker_is_one_line(tmp_path: Path) -> None:
    """A process pool whose worker was killed says so, and what was finished stays."""
    with ProcessPoolExecutor(1, mp_context=get_context("spawn")) as pool:
        pool.submit(os.getpid).result()
        pool.submit(os._exit, 9)
        with pytest.raises(VecdecayError, match="a process that played parts has ended"):
            run_here(tmp_path, executor=pool)
    run_here(tmp_path)
    assert verify_run(tmp_path).problems == []


VARIATIONS = """
import os, sys
from pathlib import Path
import pytest
os.umask(int(sys.argv[2], 8))
from sweep_runs import Here, cut_finely, digest_of, small_sweep
from vecdecay.run.sweep import run_sweep
cut_finely(pytest.MonkeyPatch(), plays=24)
run_sweep(small_sweep(), Path(sys.argv[1]), check=0)
print(digest_of(Path(sys.argv[1])))
"""


@pytest.mark.parametrize(
    ("umask", "variables"),
    [
        ("022", {"PYTHONHASHSEED": "1", "TZ": "UTC", "LC_ALL": "C"}),
        ("077", {"PYTHONHASHSEED": "77", "TZ": "Pacific/Chatham", "LC_ALL": "de_DE.UTF-8", "LANG": "tr_TR.UTF-8"}),
    ],
)
def test_surroundings_change_nothing(umask: str, variables: dict[str, str], tmp_path: Path) -> None:
    """Hash seed, time zone, language and umask of the process: one digest, that of this process."""
    run_here(tmp_path / "here")
    done = fresh_process(VARIATIONS, tmp_path / "there", umask, **variables)
    assert done.returncode == 0, done.stderr
    assert done.stdout.strip() == digest_of(tmp_path / "here")


def values_of(folder: Path) -> dict[Any, Any]:
    """Return the rows of the cells table by what they were played with, whatever their numbers."""
    rows = pq.read_table(folder / "cells.parquet").to_pylist()
    keys = ("policy", "eviction_threshold", "window_size", "num_foundational")
    return {tuple(row[key] for key in keys): {k: v for k, v in row.items() if k != "cell"} for row in rows}


def test_order_of_policies_axes_and_values_changes_no_cell(tmp_path: Path) -> None:
    """Cells have other numbers then, and the same values."""
    text = small_text()
    head, *policies = small_text(axes=False).split("[[policy]]")
    axes = AXES.split("[[axis]]")[1:]
    permuted = head + "".join(f"[[policy]]{one}" for one in policies[::-1])
    permuted += "".join(f"[[axis]]{one}" for one in axes[::-1])
    permuted = permuted.replace("[0.1, 0.3, 0.5]", "[0.5, 0.1, 0.3]").replace("[2, 1]", "[1, 2]")
    run_here(tmp_path / "one", spec=parse_sweep(text))
    run_here(tmp_path / "other", spec=parse_sweep(permuted))
    assert len(values_of(tmp_path / "one")) == 8
    assert values_of(tmp_path / "one") == values_of(tmp_path / "other")


def rows_of(folder: Path, detail: str) -> Any:
    """Return the rows of the sessions in one order, None where none are kept."""
    if detail == "cells":
        return None
    return pq.read_table(folder / "sessions").sort_by([("cell", "ascending"), ("seed", "ascending")]).to_pylist()


@pytest.mark.parametrize("checkpoints", ["[5, 30]", "[]"])
@pytest.mark.parametrize("detail", ["cells", "sessions"])
def test_block_and_part_sizes_change_no_value(
    detail: str, checkpoints: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """However a sweep is cut, the cells table is the same, byte for byte, and so are the rows."""
    spec = small_sweep(detail, checkpoints=checkpoints)
    run_here(tmp_path / "first", spec=spec)
    rows = rows_of(tmp_path / "first", detail)
    for number, (plays, block, together) in enumerate([(7, 3, 5), (10_000, 1, 1), (10_000, 4096, 10_000)]):
        monkeypatch.setattr(parts, "_PLAYS_PER_PART", {detail: plays})
        monkeypatch.setattr(blocks, "BLOCK_MULTIPLE", block)
        monkeypatch.setattr(playing, "SESSIONS_TOGETHER", together)
        monkeypatch.setattr(playing, "COUNTED_TOGETHER", number + 1)
        folder = run_here(tmp_path / str(number), spec=spec)
        assert (folder / "cells.parquet").read_bytes() == (tmp_path / "first" / "cells.parquet").read_bytes()
        assert rows_of(folder, detail) == rows


class Listener:
    """Notes what a run tells of itself."""

    def __init__(self) -> None:
        """Begin with nothing heard."""
        self.told: list[Any] = []

    def start(self, total_sessions: int, done_sessions: int) -> None:
        """Note the sizes."""
        self.told.append(("start", total_sessions, done_sessions))

    def compiling(self) -> None:
        """Note that kernels are compiled."""
        self.told.append("compiling")

    def advance(self, sessions: int) -> None:
        """Note finished work."""
        self.told.append(sessions)

    def stop(self) -> None:
        """Note the end."""
        self.told.append("stop")


def test_progress_counts_finished_work(tmp_path: Path) -> None:
    """Every session once, when its part is on the disk; work of earlier runs is told at the start."""
    listener = Listener()
    run_here(tmp_path, progress=listener)
    (start, *parts_told, stop) = [one for one in listener.told if one != "compiling"]
    assert start == ("start", 240, 0)
    assert sum(parts_told) == 240
    assert stop == "stop"
    (tmp_path / "sessions/part-000000.parquet").unlink()
    again = Listener()
    run_here(tmp_path, progress=again)
    lost = parts_told[0]
    assert again.told == [("start", 240, 240 - lost), lost, "stop"]
    silent = Listener()
    run_here(tmp_path, progress=silent)
    assert silent.told == []


def test_a_failing_cell_is_recorded_and_tried_again(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """It is in the report and the manifest, not in the tables; the others are complete; the next run tries it again."""
    spec = small_sweep()
    broken = run.make_plan(spec).cell(4).policy

    def play(block: Any, policy: Any, *arguments: Any, **options: Any) -> Any:
        if policy == broken:
            raise OverflowError("too large")
        return play_block(block, policy, *arguments, **options)

    monkeypatch.setattr(playing, "play_block", play)
    report = run_sweep(spec, tmp_path, executor=Here(), check=50)
    # Both numbers of foundational items are played under the broken threshold.
    assert [(one.cell, one.label, one.error) for one in report.failed] == [
        (cell, "ebbinghaus", "OverflowError: too large") for cell in (4, 6)
    ]
    assert read_manifest(tmp_path)["failed"] == [{"cell": cell, "error": "OverflowError: too large"} for cell in (4, 6)]
    for name in ("cells.parquet", "sessions"):
        assert set(pq.read_table(tmp_path / name)["cell"].to_pylist()) == set(range(12)) - {4, 6}
    verified = verify_run(tmp_path)
    assert verified.problems == []
    assert verified.failed_cells == 2
    monkeypatch.undo()
    cut_finely(monkeypatch, plays=24)
    report = run_sweep(spec, tmp_path, executor=Here(), check=0)
    assert report.failed == ()
    assert not report.already_complete
    run_here(tmp_path.parent / "whole")
    assert results_of(tmp_path) == results_of(tmp_path.parent / "whole")


def test_a_kernel_that_disagrees_with_the_scalar_engine_ends_the_run(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """Nothing is reported as finished when a checked session differs."""

    def disagree(plan: Any, number: int) -> int:
        raise MismatchError("they differ")

    monkeypatch.setattr(run, "check_sample", disagree)
    with pytest.raises(MismatchError):
        run_here(tmp_path, check=5)
    assert not (tmp_path / MANIFEST_NAME).exists()
    assert not (tmp_path / "cells.parquet").exists()


def test_another_sweep_is_refused_and_moved_aside_by_force(tmp_path: Path) -> None:
    """The folder's run is left alone, or moved as a whole; with force the same sweep is not moved."""
    folder = run_here(tmp_path / "run")
    before = digest_of(folder)
    with pytest.raises(OutputError, match="holds another sweep"):
        run_here(folder, spec=small_sweep(seeds=7))
    assert digest_of(folder) == before
    assert run_sweep(small_sweep(), folder, executor=Here(), force=True).already_complete
    run_here(folder, spec=small_sweep(seeds=7), force=True)
    assert digest_of(tmp_path / "run.old-1") == before
    assert verify_run(folder).problems == []


def test_a_renamed_sweep_goes_on_under_its_first_name(tmp_path: Path) -> None:
    """Name and title are no part of the meaning: the files keep the old ones, the report has the new ones."""
    folder = run_here(tmp_path / "run")
    (folder / "histograms/part-000001.parquet").unlink()
    other = parse_sweep((folder / "sweep.toml").read_text().replace('"small"', '"renamed"'))
    report = run_sweep(other, folder, executor=Here(), check=0)
    assert report.spec.name == "renamed"
    run_here(tmp_path / "whole")
    assert results_of(folder) == results_of(tmp_path / "whole")
    assert verify_run(folder).problems == []


def test_parts_that_were_cut_otherwise_are_made_again(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """Another version may cut a sweep elsewhere: its parts are not taken for this one's, although their names are."""
    folder = run_here(tmp_path / "run")
    for name in (MANIFEST_NAME, "cells.parquet"):
        (folder / name).unlink()
    cut_finely(monkeypatch, plays=48)
    run_here(folder)
    run_here(tmp_path / "whole")
    kept = {name: data for name, data in results_of(folder).items() if not name.startswith(".")}
    assert kept == results_of(tmp_path / "whole")
    assert verify_run(folder, everything=True).problems == []


def test_a_run_that_is_being_repaired_is_not_finished(tmp_path: Path) -> None:
    """From the moment on at which something is made again, no manifest says that all is there."""
    folder = run_here(tmp_path / "run")
    (folder / "histograms/part-000001.parquet").unlink()

    class Refusing(Here):
        def submit(self, *arguments: Any, **options: Any) -> Future[Any]:
            assert not (folder / MANIFEST_NAME).exists()
            raise VecdecayError("no")

    with pytest.raises(VecdecayError):
        run_here(folder, executor=Refusing())
    assert not (folder / MANIFEST_NAME).exists()


def test_shares_do_not_mix(tmp_path: Path) -> None:
    """A folder with one share refuses another one; a run of the whole goes on from it."""
    folder = run_here(tmp_path / "run", shard=(1, 3))
    assert not (folder / "cells.parquet").exists()
    assert run_sweep(small_sweep(), folder, executor=Here(), shard=(1, 3)).already_complete
    with pytest.raises(OutputError, match="holds another share of this sweep"):
        run_here(folder, shard=(2, 3))
    executor = Here()
    run_here(folder, executor=executor)
    run_here(tmp_path / "whole")
    assert 0 < len(executor.tasks) < len(list((folder / "histograms").iterdir()))
    assert results_of(folder) == results_of(tmp_path / "whole")


def test_what_does_not_fit_the_disk_is_refused_with_both_sizes(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """After the first part, from what it took; it is kept, and the run goes on where there is room."""
    free = iter([2_000])
    monkeypatch.setattr(file_operations, "free_bytes", lambda _: next(free, 10**12))
    with pytest.raises(OutputError, match=r": about [0-9.]+ [kM]B more would be written and 2\.0 kB are free"):
        run_here(tmp_path / "one")
    assert {Path(file).stem for file in read_ledger(tmp_path / "one").entries} == {"part-000000"}
    run_here(tmp_path / "one")
    assert digest_of(tmp_path / "one") == digest_of(run_here(tmp_path / "other"))


def test_a_run_that_fits_is_not_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The bytes that it takes in all are room enough."""
    needed = sum(path.stat().st_size for path in run_here(tmp_path / "one").rglob("part-*.parquet"))
    monkeypatch.setattr(file_operations, "free_bytes", lambda _: needed)
    run_here(tmp_path / "other")


@pytest.mark.parametrize("address", ["s3://bucket/run", "gs://bucket/run", "https://host/run"])
def test_object_stores_are_refused(address: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """In one line, as an output of any kind, and without a folder called ``s3:``."""
    monkeypatch.chdir(tmp_path)
    where = address.replace("//", "/")
    ways = (lambda: run_here(Path(address)), lambda: write_file(address, b"x"), lambda: prepare_folder(address))
    for write in ways:
        with pytest.raises(InvalidInputError, match=f"^{where} is an address; allowed: a folder or file"):
            write()
    assert list(tmp_path.iterdir()) == []
