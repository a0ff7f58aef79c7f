"""How ``vecdecay help``, ``new`` and ``schema`` are typed. Their work is loaded when called."""


def help_(topic: str | None = None, /) -> None:
    """Print a reference page: sweepfile, glossary, own-policy, own-workload, traces, results, machines or
    python.

    Args:
        topic: Which page; a list of them if not given.
    """
    from vecdecay.commands.help import help_command

    help_command(topic)


def new(kind: str, name: str, /) -> None:
    """Write a commented sweep, policy or workload that runs as it is; a file that is there is never overwritten.

    Args:
        kind: What to write: sweep, policy or workload.
        name: Name of the file without its ending, and of what is in it.
    """
    from vecdecay.commands.new import new_command

    new_command(kind, name)


def schema() -> None:
    """Print the JSON Schema of sweep files, for editors."""
    from vecdecay.commands.screen import show_json
    from vecdecay.sweepfile.schema import json_schema

    show_json(json_schema())
