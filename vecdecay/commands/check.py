"""``vecdecay check POLICY``: the invariants that a policy should keep, held against a given one, and design notes."""

import dataclasses

from vecdecay.commands.endings import each_call_returns
from vecdecay.commands.screen import pairs, paragraph, show, show_json
from vecdecay.commands.typed import typed_policy
from vecdecay.errors import InvalidInputError
from vecdecay.numerals import count
from vecdecay.testing.report import DECLARED, HELD, SILENT, UNASKED, CheckReport, check_policy

_MOST_EXAMPLES = 100_000
_COUNTED = ((HELD, "hold"), (SILENT, "do not apply"), (DECLARED, "broken as declared"), (UNASKED, "not asked"))


def check_command(text: str, examples: int, strict: bool, as_json: bool) -> int:
    """Print what came of every invariant for a policy, and its design notes.

    The exit code is 1 if an invariant is violated or, where ``strict``, if there is a design note.
    """
    if not 1 <= examples <= _MOST_EXAMPLES:
        raise InvalidInputError([f"--examples is {examples}; allowed: 1 to {_MOST_EXAMPLES}"])
    with each_call_returns():
        report = check_policy(typed_policy(text), examples)
    if as_json:
        results = [dataclasses.asdict(one) for one in report.results]
        notes = [one._asdict() for one in report.notes]
        shown = {"policy": text, "sound": report.sound, "invariants": results, "design_notes": notes}
        show_json(shown)
    else:
        show(*_lines(report))
    return 0 if report.sound and not (strict and report.notes) else 1


def _lines(report: CheckReport) -> list[str]:
    lines = [*paragraph(f"policy {report.policy.name}: {report.policy.summary}"), ""]
    lines += pairs((one.invariant, ": ".join(filter(None, (one.verdict, one.text)))) for one in report.results)
    if report.notes:
        lines += ["", *paragraph("design notes, which break no invariant:"), *pairs(report.notes)]
    numbers = [
        f"{sum(one.verdict == verdict for one in report.results)} {words}"
        for verdict, words in _COUNTED
        if any(one.verdict == verdict for one in report.results)
    ]
    numbers += [count(len(report.notes), "design note")] * bool(report.notes)
    verdict = "nothing is wrong" if report.sound else f"{count(len(report.violations), 'invariant')} violated"
    return [*lines, "", *paragraph("; ".join(filter(None, (", ".join(numbers), verdict))))]
