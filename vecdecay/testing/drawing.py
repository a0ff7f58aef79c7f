"""How the kit draws: the same examples each time, shrunk to the smallest that breaks an invariant (extra ``test``)."""

import random
from collections.abc import Callable
from types import ModuleType
from typing import TYPE_CHECKING, TypeVar

from vecdecay.errors import InvalidInputError, VecdecayError, in_one_line

if TYPE_CHECKING:
    from hypothesis.strategies import SearchStrategy

Drawn = TypeVar("Drawn")


class NoHypothesisError(VecdecayError):
    """Hypothesis is not installed."""


def hypothesis() -> ModuleType:
    """Return Hypothesis, which comes with the extra ``test``.

    Raises:
        NoHypothesisError: it is not installed; one line that names the extra.
    """
    try:
        import hypothesis
        import hypothesis.strategies
    except ImportError:
        raise NoHypothesisError("vecdecay.testing needs Hypothesis: pip install 'vecdecay[test]'") from None
    return hypothesis


def smallest_problem(
    strategy: "SearchStrategy[Drawn]", problem: Callable[[Drawn], str], examples: int, shown: Callable[[Drawn], str]
) -> str:
    """Return the smallest drawn example with a problem, and the problem; nothing where no example has one.

    ``problem`` returns in words what is wrong, nothing where all is well; raising is a problem too.
    """
    library = hypothesis()
    settings = library.settings(
        max_examples=examples,
        database=None,
        deadline=None,
        phases=[library.Phase.generate, library.Phase.shrink],
    )

    latest = ""

    def breaks(drawn: Drawn) -> bool:
        nonlocal latest
        found = _told(problem, drawn)
        latest = f"{found}; {shown(drawn)}" if found else latest
        return found != ""

    try:
        smallest: Drawn = library.find(strategy, breaks, settings=settings, random=random.Random(0))
    except library.errors.NoSuchExample:
        return ""
    except library.errors.Flaky:
        return f"{latest}; asked again, the answer was another one"
    breaks(smallest)  # the latest example is then the smallest one
    return latest


def _told(problem: Callable[[Drawn], str], drawn: Drawn) -> str:
    try:
        return problem(drawn)
    except InvalidInputError as error:
        return f"cannot be played: {error.problems[0]}"
    except KeyboardInterrupt:
        raise
    except BaseException as error:
        return f"raised {in_one_line(error)}"
