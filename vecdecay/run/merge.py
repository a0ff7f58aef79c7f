"""Joins the shares of a sweep that were run apart, on several machines or one after the other, to the run they make."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from vecdecay.errors import InvalidInputError, OutputError
from vecdecay.parameters import printable
from vecdecay.run.finish import finish_run, is_finished
from vecdecay.run.folder import SWEEP_NAME, claim, drop_unsound_parts, open_ledger, set_untracked_aside
from vecdecay.run.open_run import Run, failed_cells
from vecdecay.run.parts import parts_of
from vecdecay.run.plan import Plan, make_plan
from vecdecay.run.provenance import PROVENANCE_NAME
from vecdecay.run.sinks import part_file
from vecdecay.run.verify import verify_run
from vecdecay.store.files import file_operations, prepare_folder, reported, write_file
from vecdecay.store.ledger import Ledger, LedgerEntry, read_ledger
from vecdecay.store.lock import lock_folder
from vecdecay.store.manifest import read_document, read_manifest, write_document
from vecdecay.store.tables import part_tables
from vecdecay.sweepfile.model import SweepSpec
from vecdecay.sweepfile.resolved import differences
from vecdecay.sweepfile.spec import load_sweep


@dataclass(frozen=True)
class _Share:
    folder: Path
    spec: SweepSpec
    number: int
    of: int
    entries: Mapping[str, LedgerEntry]


def merge(shards: Sequence[Path], target: Path) -> Run:
    """Join the finished shares of one sweep in a new folder, after checking that all are there and sound.

    The Parquet files are the same, byte for byte, as those of a run that was not shared out. The shares stay as they
    are. A merge that was interrupted is taken up by the same command.

    Raises:
        InvalidInputError: a share is missing, there twice, unsound, or belongs to another sweep; one line each.
        OutputError: the target cannot be written, or holds something else.
    """
    shares = _checked([Path(folder) for folder in shards])
    spec = shares[0].spec
    prepare_folder(target)
    with lock_folder(target):
        held, repaired = claim(target, spec)
        for name in part_tables(spec.detail):
            prepare_folder(target / name)
        plan = make_plan(held)
        ledger, problems = open_ledger(target)
        repaired += problems + drop_unsound_parts(target, ledger, spec.detail)
        complete = not repaired and is_finished(plan, target, ledger, None)
        failed = _failures(shares)
        if not complete:
            _copy_parts(plan, shares, target, ledger)
            each = [read_document(share.folder / PROVENANCE_NAME) for share in shares]
            write_document(target / PROVENANCE_NAME, {"shares": each})
            finish_run(plan, target, ledger, None, failed)
        repaired += set_untracked_aside(target, ledger, spec.detail)
    return Run(
        folder=target,
        spec=held,
        failed=failed_cells(held, failed),
        threads=1,
        already_complete=complete,
        repaired=tuple(repaired),
    )


def _checked(folders: Sequence[Path]) -> list[_Share]:
    """Return the shares in their order; raise one error that names everything that is wrong."""
    problems: list[str] = []
    shares: list[_Share] = []
    for folder in folders:
        try:
            shares.append(_read(folder))
        except OutputError as error:
            problems.append(str(error))
        except InvalidInputError as error:
            problems += error.problems
    if not folders:
        problems.append("no share is given; allowed: the folders of all shares of one sweep")
    problems += _misfits(shares)
    if problems:
        raise InvalidInputError(problems)
    shares.sort(key=lambda share: share.number)
    return shares


def _read(folder: Path) -> _Share:
    report = verify_run(folder, sample=0)
    if not report.sound:
        wrong = [*report.problems, *([report.unfinished] if report.unfinished else [])]
        raise InvalidInputError(f"{printable(folder)}: {problem}" for problem in wrong)
    manifest = read_manifest(folder)
    number, of = manifest["shard"] or (1, 1)
    return _Share(folder, load_sweep(folder / SWEEP_NAME), number, of, read_ledger(folder).entries)


def _misfits(shares: Sequence[_Share]) -> list[str]:
    """Return a line for every share that does not belong to the first, is missing or is there twice."""
    if not shares:
        return []
    first = shares[0]
    problems: list[str] = []
    met: dict[int, Path] = {}
    for share in shares:
        name = printable(share.folder)
        different = differences(first.spec, share.spec)
        if different:
            problems.append(f"{name}: holds another sweep than {printable(first.folder)} ({different[0]})")
        elif share.of != first.of:
            problems.append(f"{name}: is one of {share.of} shares; {printable(first.folder)} is one of {first.of}")
        elif share.number in met:
            problems.append(f"{name}: is share {share.number}, as {printable(met[share.number])} is")
        met.setdefault(share.number, share.folder)
    missing = [str(number) for number in range(1, first.of + 1) if number not in met]
    if missing:
        problems.append(f"of {first.of} shares these are not given: {', '.join(missing)}")
    return problems


def _copy_parts(plan: Plan, shares: Sequence[_Share], target: Path, ledger: Ledger) -> None:
    """Copy what the target lacks, part by part in their order, so that the ledger is that of a run."""
    for part in parts_of(plan):
        share = shares[part.number % len(shares)]
        keys = [part_file(name, part.number) for name in part_tables(plan.spec.detail)]
        if keys[-1] not in ledger.entries:
            ledger.extend([_copied(share, share.entries[key], target) for key in keys])


def _copied(share: _Share, entry: LedgerEntry, target: Path) -> LedgerEntry:
    source = share.folder / entry.file
    with reported(source, "cannot be read"):
        content = file_operations.read(source)
    if write_file(target / entry.file, content).sha256 != entry.sha256:
        raise OutputError(f"{printable(source)}: was changed while it was copied")
    return entry


def _failures(shares: Iterable[_Share]) -> dict[int, str]:
    failed: dict[int, str] = {}
    for share in shares:
        for entry in share.entries.values():
            failed |= {int(cell): str(error) for cell, error in entry.receipt.get("failed", ())}
    return failed
