"""The program ``vecdecay``: loads the command line, quietly if it is interrupted meanwhile, and runs it."""

import signal
from typing import NoReturn


def main() -> NoReturn:
    """Run the command and exit with its code."""
    # Nothing is begun while modules are loaded: Ctrl-C ends the program as the system does, without a traceback.
    handler = signal.signal(signal.SIGINT, signal.SIG_DFL)
    from vecdecay.cli import main as run_command

    signal.signal(signal.SIGINT, handler)
    run_command()


if __name__ == "__main__":
    main()
