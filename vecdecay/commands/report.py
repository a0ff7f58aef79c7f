"""``vecdecay report``: a run, finished or not, or a log as one HTML file.

``cli`` imports this file as it starts, so what is heavy is imported where it is used.
"""

import shlex
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

from cyclopts import Parameter

from vecdecay.errors import InvalidInputError, OutputError

if TYPE_CHECKING:
    from vecdecay.run.open_run import Run
    from vecdecay.run.simulate import SimulationResult

REPORT_NAME = "report.html"


def report(
    run_or_log: Path,
    /,
    *,
    output: Annotated[Path | None, Parameter(alias="-o")] = None,
    policy: list[str] | None = None,
    map_: Annotated[list[str] | None, Parameter(name="--map")] = None,
    turn: str | None = None,
    on_miss: str | None = None,
    longest_silence: int | None = None,
) -> None:
    """Report a run, finished or not, or policies on a log, as one HTML file with pictures. Needs the extra report.

    Args:
        run_or_log: Folder of a run, name of a sweep that was run into output/, or path of a log.
        output: File for the report; report.html in the folder of the run, or NAME-report.html here for a log.
        policy: Of a log, as for vecdecay replay. Can be given more than once.
        map_: Of a log, which column is what, as for vecdecay replay. Can be given more than once.
        turn: Of a log, what makes a turn of time: 1h, 1d, event or message.
        on_miss: Of a log, what a recall that misses does: nothing or relearn.
        longest_silence: Of a log, silences longer than so many turns are cut.
    """
    rules = {"turn": turn, "on_miss": on_miss, "longest_silence": longest_silence}
    report_command(run_or_log, output, policy or (), map_ or (), rules)


def report_command(
    subject: Path, output: Path | None, policies: Sequence[str], mapping: Sequence[str], rules: Mapping[str, Any]
) -> None:
    """Write the report of a run folder, of the folder of a sweep's name below output/, or of a log."""
    from vecdecay.parameters import printable
    from vecdecay.sessions.sample import trace_path

    folder = subject if subject.exists() else Path("output", subject)
    if folder.is_dir():
        options = {"--policy": policies, "--map": mapping, **{f"--{k.replace('_', '-')}": v for k, v in rules.items()}}
        given = [name for name, value in options.items() if value]
        if given:
            raise InvalidInputError(
                [f"{', '.join(given)}: allowed with a log; {printable(folder)} is the folder of a run"]
            )
        from vecdecay.run.open_run import open_run

        report_run(open_run(folder), output or folder / REPORT_NAME)
        return
    if not trace_path(subject).exists():
        raise OutputError(
            f"{printable(subject)}: is neither the folder of a run nor a log, nor is there an output/{subject}"
        )
    target = output or Path(f"{subject.stem}-{REPORT_NAME}")
    from vecdecay.commands.replay import played_trace

    known = {name: value for name, value in rules.items() if value}
    result = played_trace(subject, policies, mapping, known)
    options_text = [f"--policy {shlex.quote(one)}" for one in policies] + [
        f"--map {shlex.quote(one)}" for one in mapping
    ]
    options_text += [f"--{name.replace('_', '-')} {shlex.quote(str(value))}" for name, value in known.items()]
    write_result_report(result, target, " ".join(["vecdecay report", shlex.quote(subject.name), *options_text]))


def report_run(run: "Run", target: Path, quiet: bool = False) -> None:
    """Write the report of a run and say where it is, unless ``quiet``."""
    from vecdecay.report.page import write_report

    size = write_report(
        run, target, f"vecdecay run sweep.toml  # the file below\nvecdecay report output/{run.spec.name}"
    )
    if not quiet:
        _told(target, size)


def write_result_report(result: "SimulationResult", target: Path, command: str) -> None:
    """Write the report of a result in memory and say where it is."""
    from vecdecay.report.page import write_report

    _told(target, write_report(result, target, command))


def _told(target: Path, size: int) -> None:
    from vecdecay.commands.screen import paragraph, show
    from vecdecay.parameters import printable

    show(*paragraph(f"{printable(target)}: {size:,} bytes, complete in itself"))
