"""A workload as one line of text, ``zipf_recalls(zipf_exponent=2.0)``, and back."""

import ast
import math
from collections import Counter
from collections.abc import Iterable, Sequence
from typing import Any, TypeVar

from vecdecay.errors import InvalidInputError
from vecdecay.parameters import Described, brief, did_you_mean
from vecdecay.sessions.rhythms import RHYTHMS
from vecdecay.sessions.streams import WORKLOAD_IDS
from vecdecay.sessions.workload import Workload

DescribedType = TypeVar("DescribedType", bound=Described)

_NUMBERS = {"inf": math.inf, "nan": math.nan}
"""Numbers that TOML writes as words, and Python's literals lack; refused by their parameter, not as a text."""


def text_of_workload(workload: Workload) -> str:
    """Return the text that stands for a workload: its name, and the parameters that are not at their defaults.

    >>> text_of_workload(workload_of_text("periodic( period_turns=10,period_jitter = 2)"))
    'periodic(period_turns=10)'
    """
    values = workload.values()
    changed = [f"{one.name}={values[one.name]!r}" for one in workload.parameters() if values[one.name] != one.default]
    return f"{workload.name}({', '.join(changed)})" if changed else workload.name


def workload_of_text(text: str, kinds: Iterable[type[Workload]] = RHYTHMS) -> Workload:
    """Return the workload, of one of these kinds, that a text stands for: by default, one for a mixture.

    Raises InvalidInputError, with a line per mistake, where there is none.

    >>> workload_of_text("zipf_recall(zipf_exponent=2)")
    Traceback (most recent call last):
    vecdecay.errors.InvalidInputError: 'zipf_recall' is no workload; did you mean zipf_recalls?
    """
    classes = {one.name: one for one in kinds}
    name = _call(text, "workload").func.id  # type: ignore[attr-defined]
    if name not in classes:
        no_part = " that a mixture can be made of" if name in WORKLOAD_IDS else ""
        hint = did_you_mean(name, classes) or f"; allowed: {', '.join(classes)}"
        raise InvalidInputError([f"{brief(name)} is no workload{no_part}{hint}"])
    return built_of_text(text, classes[name], "workload")


def built_of_text(text: str, kind: type[DescribedType], noun: str) -> DescribedType:
    """Return what a text such as ``name(parameter=value, ...)`` stands for, of the class of that name.

    Raises InvalidInputError, with a line per mistake: a text that is none, a value that is none, parameters that are
    unknown, out of range or given more than once.
    """
    call = _call(text, noun)
    values, lines = {}, []
    for one in call.keywords:
        try:
            values[str(one.arg)] = ast.literal_eval(_WordsAsNumbers().visit(one.value))
        except (ValueError, TypeError, MemoryError, RecursionError):
            allowed = "a number, a text in quotes, True, False or a list"
            lines.append(f"{kind.__name__}.{one.arg} is {brief(ast.unparse(one.value))}; allowed: {allowed}")
    given = Counter(str(one.arg) for one in call.keywords)
    return _built(kind, values, [one for one, times in given.items() if times > 1], lines)


def _call(text: str, noun: str) -> ast.Call:
    """Return the name and the parameters of a text."""
    try:
        node = ast.parse(text.strip(), mode="eval").body
        call = node if isinstance(node, ast.Call) else ast.Call(node, [], [])
        if isinstance(call.func, ast.Name) and not call.args and all(one.arg is not None for one in call.keywords):
            return call
    except (ValueError, SyntaxError, MemoryError, RecursionError):
        pass
    raise InvalidInputError([f"{brief(text)} is no {noun}; allowed: name or name(parameter=value, ...)"])


class _WordsAsNumbers(ast.NodeTransformer):
    def visit_Name(self, node: ast.Name) -> ast.expr:
        """Return the number that a word stands for, or the word."""
        return ast.Constant(_NUMBERS[node.id]) if node.id in _NUMBERS else node


def _built(
    kind: type[DescribedType], values: dict[str, Any], repeated: Sequence[str], lines: Sequence[str]
) -> DescribedType:
    """Return what these values make; parameters that stand there repeatedly are refused with the other mistakes."""
    known = {one.name for one in kind.parameters()}
    refused = [one for one in repeated if one in known]
    lines = [*lines, *(f"{kind.__name__}.{one} is given more than once; allowed: one value" for one in refused)]
    try:
        built = kind.build({name: value for name, value in values.items() if name not in refused}, refused)
    except InvalidInputError as error:
        raise InvalidInputError([*lines, *error.problems]) from None
    if lines:
        raise InvalidInputError(lines)
    return built
