"""``vecdecay import FORMAT SOURCE -o trace.parquet``: from what people have on disk to a trace."""

from pathlib import Path
from typing import Any

from vecdecay.commands.screen import show
from vecdecay.errors import InvalidInputError
from vecdecay.parameters import brief
from vecdecay.sessions.importers import format_problems, import_trace
from vecdecay.store.parquet import write_parquet


def import_command(kind: str, source: Path, output: Path, anonymise: bool, options: dict[str, Any]) -> None:
    """Write the trace that a file or folder holds, and print what was found.

    Raises InvalidInputError for an unknown format, options that are not its own, a source in which there is nothing to
    read, and an output that is no Parquet file.
    """
    problems = format_problems(kind, options)
    if output.suffix != ".parquet":
        problems.append(f"--output is {brief(str(output))}; allowed: a file that ends in .parquet")
    elif output.exists() and source.exists() and output.samefile(source):
        problems.append(f"--output is {brief(str(output))}, the source itself; nothing is ever written there")
    if problems:
        raise InvalidInputError(problems)
    table, notes = import_trace(kind, source, anonymise, **options)
    write_parquet(output, table)
    show(*notes, f"{table.num_rows:,} events in {output}; vecdecay replay {output} plays them")
