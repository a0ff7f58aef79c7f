"""A docstring as lines for people: paragraphs, and its arguments as names with meanings."""

import inspect
import re
from collections.abc import Callable, Iterator
from typing import Any

from vecdecay.commands.screen import pairs, paragraph

_SECTIONS = ("Args:", "Raises:", "Attributes:")
_ROLE = re.compile(r":\w+:`~?(?:[\w.]*\.)?(\w+)`")


def plain_words(text: str) -> str:
    """Return a docstring's text without marks of code and references.

    >>> plain_words("as in :func:`vecdecay.simulate`, ``None`` for all")
    'as in simulate, None for all'
    """
    return _ROLE.sub(r"\1", text).replace("``", "")


def docstring_lines(docstring: str | None, indent: str = "") -> list[str]:
    """Return the paragraphs of a docstring, a blank line before each, without its examples and its source."""
    lines: list[str] = []
    for part in plain_words(inspect.cleandoc(docstring or "")).split("\n\n"):
        heading, _, rest = part.partition("\n")
        if heading in _SECTIONS:
            lines += ["", f"{indent}{heading.removesuffix(':')}:", *pairs(_entries(rest), f"{indent}  ")]
        elif heading.startswith("* "):
            items = (" ".join(one.split()) for one in re.split(r"(?:^|\n)\* ", part) if one)
            lines += ["", *(line for one in items for line in paragraph(one, f"{indent}- "))]
        elif not heading.startswith((">>>", "Source:")):
            lines += ["", *paragraph(" ".join(part.split()), indent)]
    return lines


def first_sentence(docstring: str | None) -> str:
    """Return the first paragraph of a docstring on one line."""
    return " ".join(plain_words(inspect.cleandoc(docstring or "").split("\n\n")[0]).split())


def call_text(function: Callable[..., Any], name: str) -> str:
    """Return how a function is called, without its types.

    >>> call_text(docstring_lines, "docstring_lines")
    "docstring_lines(docstring, indent='')"
    """
    bare = [one.replace(annotation=one.empty) for one in inspect.signature(function).parameters.values()]
    return f"{name}{inspect.Signature(bare)}"


def _entries(text: str) -> Iterator[tuple[str, str]]:
    """Yield name and meaning of each entry ``name: meaning``; lines that are indented more belong to the one above."""
    for entry in re.split(r"\n(?=    \S)", text):
        name, _, meaning = " ".join(entry.split()).partition(": ")
        yield name, meaning
