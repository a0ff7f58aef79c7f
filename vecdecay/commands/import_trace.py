"""``vecdecay import FORMAT SOURCE -o trace.parquet``: from what people have on disk to a trace.

``cli`` imports this file as it starts, so what is heavy is imported where it is used.
"""

from pathlib import Path
from typing import Annotated

from cyclopts import Parameter

from vecdecay.commands.arguments import parquet_problems
from vecdecay.errors import InvalidInputError
from vecdecay.parameters import brief


def import_(
    format_: Annotated[str, Parameter(name="FORMAT")],
    source: Path,
    /,
    *,
    output: Annotated[Path, Parameter(alias="-o")],
    anonymise: bool = False,
    item_path: list[str] | None = None,
    questions: str | None = None,
    trace_params: str | None = None,
    trace_format: str | None = None,
) -> None:
    """Make a trace of what agents, learners and caches left on disk: names, times and sizes, and no text.

    Args:
        format_: Format of the source, such as claude-code; vecdecay list importers names all.
        source: File of that format, or a folder of such files; nothing is written there.
        output: File for the trace, such as trace.parquet.
        anonymise: Replace the names of sessions and items by hashes, with a key that is kept nowhere.
        item_path: For openai-chat: where the items stand in a message: tool_calls[].function.arguments.path. Can be
            given more than once.
        questions: For locomo: questions are asked at the end, a day after the last sitting, or at the sitting following
            their evidence: end or following; end if not given.
        trace_params: For libcachesim: columns of a CSV that its header does not name, as libCacheSim's own option has
            them: "time-col=2, obj-id-col=5, obj-size-col=4".
        trace_format: For caffeine: format of the trace, as its simulator calls it, such as lirs, arc or twitter.
    """
    from vecdecay.commands.screen import command_lines, paragraph, show
    from vecdecay.sessions.importers import IMPORTERS, format_problems, import_trace
    from vecdecay.store.parquet import write_parquet

    given = {"item_path": item_path, "questions": questions, "trace_params": trace_params, "trace_format": trace_format}
    options = {name: value for name, value in given.items() if value is not None}
    problems = format_problems(format_, options) + parquet_problems(output)
    if output.exists() and source.exists() and output.samefile(source):
        problems.append(f"--output is {brief(str(output))}, the source itself; nothing is ever written there")
    if problems:
        raise InvalidInputError(problems)
    table, notes = import_trace(format_, source, anonymise, **options)
    write_parquet(output, table)
    turn = IMPORTERS[format_].turn if "turn" not in table.column_names else None
    option = "" if turn is None else f" --turn {turn}"
    show(*(line for note in notes for line in paragraph(note, "", "  ")))
    show(
        f"{table.num_rows:,} events in {output}, which this plays:",
        *command_lines(f"vecdecay replay {output}{option}"),
    )
