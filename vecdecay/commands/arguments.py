"""How arguments are read and help is printed, for every command."""

import re
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Annotated, Any

from cyclopts import Parameter, Token

from vecdecay.parameters import brief


def shown_default(value: object) -> object:
    """Return a default for the help; that a flag is off goes without saying."""
    return None if value is False else value


class BareHelp:
    """Prints help without boxes, which a pipe or a narrow font would garble; made of cyclopts' own formatter."""

    def _formatter(self) -> Any:
        from cyclopts.help import DefaultFormatter, PanelSpec
        from rich.box import SIMPLE

        return DefaultFormatter(panel_spec=PanelSpec(box=SIMPLE, padding=(0, 0)))

    def __call__(self, console: Any, options: Any, panel: Any) -> None:
        """Print a table of commands or options; a meaning that is wrapped in its docstring is one paragraph."""
        for entry in panel.entries:
            text = getattr(entry.description, "primary_renderable", None)
            if text is not None and hasattr(text, "plain"):
                text.plain = " ".join(text.plain.split())
        self._formatter()(console, options, panel)

    def render_usage(self, console: Any, options: Any, usage: Any) -> None:
        """Print how a command is typed."""
        self._formatter().render_usage(console, options, usage)

    def render_description(self, console: Any, options: Any, description: Any) -> None:
        """Print what a command does."""
        self._formatter().render_description(console, options, description)


def parquet_problems(path: Path | None, option: str = "--output") -> list[str]:
    """Return a line where a file that is to be written as Parquet is called otherwise."""
    if path is None or path.suffix == ".parquet":
        return []
    return [f"{option} is {brief(str(path))}; allowed: a file that ends in .parquet"]


def _whole_number(_: object, tokens: Sequence[Token]) -> int:
    """Read an integer; cyclopts alone would round 1.5, and a seed that is silently another one misleads."""
    text = tokens[0].value
    try:
        return int(text)
    except ValueError:
        most = sys.get_int_max_str_digits()
        digits = len(text.strip().lstrip("+-").replace("_", ""))
        if digits > most and re.fullmatch(r"\s*[+-]?\d+(_\d+)*\s*", text):
            raise ValueError(f"an integer of {digits} digits; allowed: at most {most} digits") from None
        raise ValueError(f"{text[:40]!r} is no integer") from None


Whole = Annotated[int, Parameter(converter=_whole_number)]
