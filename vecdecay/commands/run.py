"""``vecdecay run``: from what was typed to a run folder and a screen that says what came of it."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from vecdecay import __version__
from vecdecay.commands.endings import running_function
from vecdecay.commands.results import findings_of, result_screen, told_failures
from vecdecay.commands.screen import command_lines, paragraph, show
from vecdecay.engines.registry import REGISTRY
from vecdecay.errors import InvalidInputError
from vecdecay.numerals import count
from vecdecay.run.check import why_unchecked
from vecdecay.run.open_run import Run
from vecdecay.run.played import cell_rows
from vecdecay.run.progress import progress_for_screen, tell
from vecdecay.run.sweep import run_sweep
from vecdecay.sweepfile.files import find_sweep
from vecdecay.sweepfile.model import SweepSpec
from vecdecay.sweepfile.overrides import Override
from vecdecay.sweepfile.spec import load_sweep
from vecdecay.threads import available_processors

MOST_THREADS = 1024
MOST_SHARES = 1_000_000


@dataclass(frozen=True)
class RunOptions:
    """What was typed. ``changes`` are (option, text) pairs that override the sweep file, in the order to apply them."""

    sweep: str
    changes: Sequence[tuple[str, str]] = ()
    threads: int | None = None
    on: str | None = None
    output: Path | None = None
    shard: str | None = None
    force: bool = False
    dry_run: bool = False
    as_json: bool = False
    quiet: bool = False
    report: bool = False
    precision: float | None = None


def run_command(options: RunOptions) -> int:
    """Run the sweep and print what came of it; return the exit code, 1 if cells failed."""
    spec, share = _checked(options)
    folder = options.output or Path("output", spec.name if share is None else f"{spec.name}-{share[0]}-of-{share[1]}")
    threads = options.threads or available_processors()
    if options.report:
        from vecdecay.report.page import require_libraries

        require_libraries()
    progress = progress_for_screen(options.quiet)
    if options.precision is not None:
        from vecdecay.run.precision import with_precision

        spec = with_precision(spec, options.precision, threads, progress, "--precision")
        tell(f"{len(spec.seeds):,} sessions make the intervals ± {options.precision:g} or narrower")
    if options.dry_run:
        from vecdecay.commands.dry_run import dry_run_lines

        show(*dry_run_lines(spec, folder, options.as_json, threads, options.on))
        return 0
    try:
        report = run_sweep(
            spec, folder, threads=threads, progress=progress, force=options.force, shard=share, executor=options.on
        )
    except KeyboardInterrupt as interrupt:
        where = running_function(interrupt)
        tell(f"vecdecay: interrupted{where}; finished parts are kept in {folder}, the same command resumes it")
        raise
    if report.shard is not None:
        show(*_share_lines(report))
    elif options.as_json:
        from vecdecay.commands.result_json import json_pieces

        for piece in json_pieces(report, cell_rows(report.plan, report.folder), findings_of(report)):
            show(piece)
    else:
        show(*_lines(report))
    if options.report and report.shard is None:
        from vecdecay.commands.report import REPORT_NAME, report_run

        report_run(report, folder / REPORT_NAME, quiet=options.as_json)
    return told_failures(report)


def _checked(options: RunOptions) -> tuple[SweepSpec, tuple[int, int] | None]:
    """Return the sweep and the share; all mistakes in the options are reported together."""
    problems: list[str] = []
    spec, share = None, None
    if options.threads is not None and not 1 <= options.threads <= MOST_THREADS:
        problems += [f"--threads {options.threads}: allowed: an integer from 1 to {MOST_THREADS}"]
    if options.on is not None:
        from vecdecay.run.where import where_problem

        problem = where_problem(options.on)
        problems += [] if problem is None else [f"--on {problem}"]
    try:
        share = _share(options.shard)
    except InvalidInputError as error:
        problems += error.problems
    try:
        spec = load_sweep(find_sweep(options.sweep), [Override(option, text) for option, text in options.changes])
    except InvalidInputError as error:
        problems += error.problems
    if options.precision is not None:
        from vecdecay.run.precision import precision_problems

        problems += precision_problems(options.precision, spec, "--precision")
        given = any(option == "--seeds" for option, _ in options.changes)
        problems += ["--precision decides how many seeds are played; allowed without --seeds"] * given
    if problems or spec is None:
        raise InvalidInputError(problems)
    return spec, share


def _share(text: str | None) -> tuple[int, int] | None:
    """Return what ``--shard`` asks for.

    >>> _share("2/5"), _share(None)
    ((2, 5), None)
    """
    if text is None:
        return None
    number, slash, of = text.partition("/")
    if slash and number.isdecimal() and of.isdecimal() and 1 <= int(number) <= int(of) <= MOST_SHARES:
        return int(number), int(of)
    raise InvalidInputError([f"--shard {text!r}: allowed: K/N, such as 2/5 for the second of five shares"])


def _share_lines(report: Run) -> list[str]:
    """Return what is shown of a share, which has no results of its own."""
    number, of = report.shard or (1, 1)
    done = "was finished before" if report.already_complete else "is finished"
    return [
        f"share {number} of {of} {done}: {report.folder}",
        "when all shares are:",
        *command_lines(f"vecdecay merge FOLDER... --output {Path('output', report.spec.name)}"),
    ]


def _first_line(report: Run) -> str:
    return f"vecdecay {__version__}, engine {' and '.join(report.engines)}, {count(report.threads, 'thread')}"


def _slow_lines(report: Run) -> list[str]:
    """Tell which policies the scalar reference plays although nobody asked for it."""
    labels = report.engines.get("reference", [])
    if not labels or report.spec.engine == "reference":
        return []
    events = REGISTRY["reference"].work_per_second
    return paragraph(f"no kernel plays {', '.join(labels)}: the scalar reference does, some {events:,} events a second")


def _lines(report: Run) -> list[str]:
    return [*paragraph(_first_line(report)), *_slow_lines(report), "", *result_screen(report), *_how_it_went(report)]


def _how_it_went(report: Run) -> list[str]:
    if report.already_complete:
        lines = [f"nothing to do: {report.folder} holds this very run, finished"]
    elif report.checked_sessions:
        checked = count(report.checked_sessions, "session")
        lines = paragraph(f"{checked} checked against the scalar engine: identical")
    else:
        reason = why_unchecked(report.plan)
        lines = [] if reason is None else paragraph(reason)
    names = sorted(path.name + "/" * path.is_dir() for path in report.folder.iterdir() if _holds_rows(path))
    return [*lines, f"{', '.join(names)} in {report.folder}"]


def _holds_rows(path: Path) -> bool:
    return path.suffix == ".parquet" or path.name in ("sessions", "items", "turns", "misses")
