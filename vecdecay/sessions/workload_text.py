"""A workload as one line of text, ``zipf_recalls(zipf_exponent=2.0)``, and back."""

import ast

from vecdecay.errors import InvalidInputError
from vecdecay.parameters import brief, did_you_mean
from vecdecay.sessions.rhythms import RHYTHMS
from vecdecay.sessions.workload import Workload


def text_of_workload(workload: Workload) -> str:
    """Return the text that stands for a workload: its name, and the parameters that are not at their defaults.

    >>> text_of_workload(workload_of_text("periodic( period_turns=10,period_jitter = 2)"))
    'periodic(period_turns=10)'
    """
    values = workload.values()
    changed = [f"{one.name}={values[one.name]!r}" for one in workload.parameters() if values[one.name] != one.default]
    return f"{workload.name}({', '.join(changed)})" if changed else workload.name


def workload_of_text(text: str) -> Workload:
    """Return the workload that a text stands for.

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
        values = {str(one.arg): ast.literal_eval(one.value) for one in call.keywords}
    except (ValueError, TypeError, SyntaxError, MemoryError, RecursionError):
        allowed = "name or name(parameter=value, ...)"
        raise InvalidInputError([f"{brief(text)} is no workload; allowed: {allowed}"]) from None
    classes = {one.name: one for one in RHYTHMS}
    name = call.func.id
    if name not in classes:
        hint = did_you_mean(name, classes) or f"; allowed: {', '.join(classes)}"
        raise InvalidInputError([f"{brief(name)} is no workload{hint}"])
    return classes[name].build(values)
