"""``vecdecay merge``: the shares of a sweep become the run that they are parts of.

``cli`` imports this file as it starts, so what is heavy is imported where it is used.
"""

from pathlib import Path


def merge(*shards: Path, output: Path) -> int:
    """Join the shares of a sweep that were run with --shard to the run that they are parts of.

    Args:
        shards: Folders of all the shares, in any order.
        output: Folder for the whole run.
    """
    from vecdecay.commands.screen import show
    from vecdecay.numerals import count
    from vecdecay.run.merge import merge
    from vecdecay.run.progress import tell

    report = merge(shards, output)
    for problem in report.repaired:
        tell(f"vecdecay: repaired: {problem}")
    if report.already_complete:
        show(f"nothing to do: {output} holds this very run, finished")
    else:
        played = f"{count(report.num_sessions, 'session')} in {count(report.num_cells, 'cell')}"
        show(f"{count(len(shards), 'share')} joined to {output}: {played}")
    for failed in report.failed:
        tell(f"vecdecay: cell {failed.cell} ({failed.label}): {failed.error}")
    return 1 if report.failed else 0
