"""``vecdecay import FORMAT FOLDER -o trace.parquet``: from what an agent left on disk to a trace."""

from pathlib import Path

from vecdecay.commands.screen import show
from vecdecay.errors import InvalidInputError
from vecdecay.parameters import brief, did_you_mean
from vecdecay.sessions.importers import IMPORTERS
from vecdecay.store.parquet import write_parquet


def import_command(kind: str, folder: Path, output: Path, anonymise: bool) -> None:
    """Write the trace that a folder holds, and print what was found.

    Raises InvalidInputError for an unknown format, a folder without sessions, and an output that is no Parquet file.
    """
    problems = []
    if kind not in IMPORTERS:
        problems.append(f"format is {brief(kind)}; allowed: {', '.join(IMPORTERS)}{did_you_mean(kind, IMPORTERS)}")
    if output.suffix != ".parquet":
        problems.append(f"--output is {brief(str(output))}; allowed: a file that ends in .parquet")
    if problems:
        raise InvalidInputError(problems)
    table, notes = IMPORTERS[kind](folder, anonymise)
    write_parquet(output, table)
    show(*notes, f"{table.num_rows:,} events in {output}; vecdecay replay {output} plays them")
