"""A workload as one line of text, ``zipf_recalls(zipf_exponent=2.0)``, and back."""

import ast
import math
from collections import Counter
from collections.abc import Iterable, Sequence
from typing import Any

from vecdecay.errors import InvalidInputError
from vecdecay.parameters import brief, did_you_mean
from vecdecay.sessions.rhythms import RHYTHMS
from vecdecay.sessions.streams import WORKLOAD_IDS
from vecdecay.sessions.workload import Workload

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
    try:
        node = ast.parse(text.strip(), mode="eval").body
        call = node if isinstance(node, ast.Call) else ast.Call(node, [], [])
        if not isinstance(call.func, ast.Name) or call.args or any(one.arg is None for one in call.keywords):
            raise ValueError
        values = {str(one.arg): ast.literal_eval(_WordsAsNumbers().visit(one.value)) for one in call.keywords}
    except (ValueError, TypeError, SyntaxError, MemoryError, RecursionError):
        allowed = "name or name(parameter=value, ...)"
        raise InvalidInputError([f"{brief(text)} is no workload; allowed: {allowed}"]) from None
    classes = {one.name: one for one in kinds}
    name = call.func.id
    if name not in classes:
        no_part = " that a mixture can be made of" if name in WORKLOAD_IDS else ""
        hint = did_you_mean(name, classes) or f"; allowed: {', '.join(classes)}"
        raise InvalidInputError([f"{brief(name)} is no workload{no_part}{hint}"])
    given = Counter(str(one.arg) for one in call.keywords)
    return _built(classes[name], values, [one for one, times in given.items() if times > 1])


class _WordsAsNumbers(ast.NodeTransformer):
    def visit_Name(self, node: ast.Name) -> ast.expr:
        """Return the number that a word stands for, or the word."""
        return ast.Constant(_NUMBERS[node.id]) if node.id in _NUMBERS else node


def _built(kind: type[Workload], values: dict[str, Any], repeated: Sequence[str]) -> Workload:
    """Return the workload of these values; parameters that stand there repeatedly are refused with the other faults."""
    known = {one.name for one in kind.parameters()}
    refused = [one for one in repeated if one in known]
    lines = [f"{kind.__name__}.{one} is given more than once; allowed: one value" for one in refused]
    try:
        return kind.build({name: value for name, value in values.items() if name not in refused}, refused)
    except InvalidInputError as error:
        raise InvalidInputError([*lines, *error.problems]) from None
