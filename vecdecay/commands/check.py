"""``vecdecay check POLICY``: the invariants that a policy should keep, held against a given one."""

from vecdecay.commands.numerals import count
from vecdecay.commands.screen import pairs, paragraph, show
from vecdecay.errors import InvalidInputError
from vecdecay.own_file import names_a_file
from vecdecay.policies.base import Policy
from vecdecay.policies.own import in_one_line
from vecdecay.sweepfile.kinds import policy_class
from vecdecay.testing.report import DECLARED, HELD, SILENT, UNASKED, CheckReport, InvariantResult, check_policy

_MOST_EXAMPLES = 100_000
_COUNTED = ((HELD, "hold"), (SILENT, "do not apply"), (DECLARED, "broken as declared"), (UNASKED, "not asked"))


def check_command(kind: str, examples: int) -> int:
    """Print what came of every invariant for a policy with its defaults; return the exit code, 1 if anything is wrong.

    Raises:
        InvalidInputError: there is no such policy, or it cannot be made; one line per reason.
    """
    if not 1 <= examples <= _MOST_EXAMPLES:
        raise InvalidInputError([f"--examples is {examples}; allowed: 1 to {_MOST_EXAMPLES}"])
    report = check_policy(_with_defaults(kind), examples)
    show(*_lines(report))
    return 0 if report.sound else 1


def _with_defaults(kind: str) -> Policy:
    try:
        return policy_class(kind)()
    except InvalidInputError as error:
        # What is said of a name begins with "is"; what is said of a file begins with the file.
        of_a_name = (f"policy {line}" if line.startswith("is ") else line for line in error.problems)
        raise InvalidInputError(of_a_name) from None
    except Exception as error:
        if not names_a_file(kind):
            raise
        raise InvalidInputError([f"{kind} cannot be made: {in_one_line(error)}"]) from None


def _lines(report: CheckReport) -> list[str]:
    lines = [*paragraph(f"policy {report.policy.name}: {report.policy.summary}"), ""]
    lines += pairs((one.invariant, _meaning(one)) for one in report.results)
    numbers = [
        f"{sum(one.verdict == verdict for one in report.results)} {words}"
        for verdict, words in _COUNTED
        if any(one.verdict == verdict for one in report.results)
    ]
    verdict = "nothing is wrong" if report.sound else f"{count(len(report.violations), 'invariant')} violated"
    return [*lines, "", *paragraph("; ".join(filter(None, (", ".join(numbers), verdict))))]


def _meaning(result: InvariantResult) -> str:
    return f"{result.verdict}: {result.text}" if result.text else result.verdict
