"""What an invariant about policies is: a function that raises with the smallest example against it."""

import functools
from collections.abc import Callable
from typing import NamedTuple

from vecdecay.errors import in_one_line
from vecdecay.policies.base import Policy
from vecdecay.policies.own import own_policy

DEFAULT_EXAMPLES = 100
"""Sessions that an invariant draws, where it draws any."""


class BrokenInvariantError(AssertionError):
    """A policy breaks an invariant; the message is the smallest example that was found."""


class Answer(NamedTuple):
    """What an invariant found: an example against it, or why it says nothing of this policy; neither where it holds."""

    broken: str = ""
    silent: str = ""


HOLDS = Answer()

Question = Callable[[Policy, int], Answer]
"""Looks at a policy, on as many drawn sessions as the number says, where it draws any."""


class Invariant:
    """Called in a test: ``invariant(policy)`` returns where the policy keeps it, and raises where it does not.

    It also returns where it does not apply, as an invariant about thresholds to a policy without one; ``answer``
    tells the difference. The same sessions are drawn each time.
    """

    def __init__(self, question: Question) -> None:
        functools.update_wrapper(self, question)
        self.name = question.__name__
        self._question = question

    def answer(self, policy: object, examples: int = DEFAULT_EXAMPLES) -> Answer:
        """Return what was found; a method of the policy that raises breaks the invariant that called it.

        Raises:
            InvalidInputError: ``policy`` is nothing that can be played; one line per reason.
        """
        played = own_policy(policy)
        try:
            return self._question(played, examples)
        except KeyboardInterrupt:
            raise
        except BaseException as error:
            if _is_ours(error):
                raise
            return Answer(broken=f"raised {in_one_line(error)}")

    def __call__(self, policy: object, examples: int = DEFAULT_EXAMPLES) -> None:
        """Raise BrokenInvariantError, with the smallest example found, where the policy breaks the invariant."""
        answer = self.answer(policy, examples)
        if answer.broken:
            raise BrokenInvariantError(f"{self.name}: {answer.broken}")

    def __repr__(self) -> str:
        return f"<invariant {self.name}>"


def _is_ours(error: BaseException) -> bool:
    """Tell whether it is the kit that cannot work, not the policy."""
    from vecdecay.testing.drawing import NoHypothesisError

    return isinstance(error, NoHypothesisError)
