"""What a policy is.

A *table policy* decides from two integers alone: the age of an item (turns since its last touch) and its recall
count (registration counts as use number one). Such a policy is fully described by a table of horizons, which the
program builds by asking :meth:`TablePolicy.evicts`; a policy never sees the table, a kernel or an engine.
"""

import dis
import functools
import importlib
import inspect
import re
from abc import ABC, abstractmethod
from collections.abc import Callable
from typing import Any, ClassVar, Self

from vecdecay.items import DEFAULT_ATTRIBUTES, Attributes
from vecdecay.parameters import Described
from vecdecay.policies.capacity import CapacityParameters
from vecdecay.policies.clock import SECONDS_PER_DAY
from vecdecay.policies.reactions import PLAIN_REACTIONS, Reactions
from vecdecay.policies.rules import PLAIN_RULES, Rules


class Policy(Described, ABC):
    """Decides which items of an agent's memory are evicted at the end of a turn.

    The contract of every score, whatever the kind: a number in [0, 1], exactly 1.0 at the touch itself (age 0), and
    non-increasing in age between two touches. No engine asks at an age below 0. A policy whose source has it otherwise
    names the invariant in :meth:`breaks`.

    Class attributes: ``name`` (as in sweep files), ``formula`` and ``source`` (shown by ``vecdecay explain``) and
    ``summary`` (one line). A class that does not define them is described by its name and the first line of its
    docstring.
    """

    time_unit: ClassVar[str] = "turn"
    """The unit in which the policy's own constants count and its times are shown: turn, hour, day or tick."""

    summary: ClassVar[str]
    formula: ClassVar[str] = "evict when retention < eviction_threshold"
    source: ClassVar[str] = "your own"

    def __init_subclass__(cls, **keywords: Any) -> None:
        super().__init_subclass__(**keywords)
        lines = inspect.cleandoc(cls.__dict__.get("__doc__") or "").splitlines()
        cls.name = cls.__dict__.get("name", cls.__name__)
        cls.summary = cls.__dict__.get("summary", lines[0].rstrip(".") if lines else "a policy of your own")

    def rules(self) -> Rules:
        """Return when the eviction pass runs and what a touch does."""
        return PLAIN_RULES

    def competes(self) -> bool:
        """Tell whether items need each other's place: whether the memory has a budget."""
        return False

    def reactions(self) -> Reactions:
        """Return what becomes of superseded items, and of copies of forgotten ones."""
        return PLAIN_REACTIONS

    def breaks(self) -> tuple[str, ...]:
        """Return the names of the invariants that the policy's source breaks by design; a test checks that it does."""
        return ()

    def turns_per_unit(self) -> float:
        """Return how many turns make one of the policy's time units."""
        return 1.0

    def graded(self) -> "Policy":
        """Return the policy that plays sessions in which touches have grades; itself, where grades change no kind."""
        return self

    def plot(self, ax: Any = None) -> Any:
        """Draw retention against age after 0, 1, 2 … recalls, with the horizons. Needs the extra ``report``.

        Args:
            ax: axes of Matplotlib to draw into; new ones if None.
        """
        # A room above this one, loaded when asked.
        return importlib.import_module("vecdecay.report.plots").plot_policy(self, ax)

    def in_seconds(self) -> Self | None:
        """Return the policy as it is where a turn is a second, None where its clock is the turn.

        Such a policy has a parameter ``turns_per_day``. It reads the recorded time of sessions that have one.
        """
        seconds: Self | None = _in_seconds(self) if "turns_per_day" in self.values() else None
        return seconds


@functools.lru_cache(maxsize=1024)
def _in_seconds(policy: Any) -> Any:
    return type(policy)(**{**policy.values(), "turns_per_day": int(SECONDS_PER_DAY)})


class TablePolicy(CapacityParameters, Policy):
    """A policy that decides by (age, recall_count) alone and, once it evicts at an age, evicts at every later one.

    A policy of one's own needs only :meth:`retention` and a field ``eviction_threshold``; it may leave ``item`` out of
    the arguments of its methods.

    >>> from dataclasses import dataclass
    >>> @dataclass(frozen=True)
    ... class Gentle(TablePolicy):
    ...     half_life: float = 10.0
    ...     eviction_threshold: float = 0.2
    ...
    ...     def retention(self, age, recall_count):
    ...         return 0.5 ** (age / (self.half_life * recall_count))
    >>> Gentle().evicts(23, recall_count=1), Gentle().evicts(24, recall_count=1), Gentle().name
    (False, True, 'Gentle')
    """

    reads: ClassVar[tuple[str, ...]] = ()
    """The attributes of an item that the decision depends on; there is one table of horizons per combination.

    A class whose methods use their item without naming what they read is taken to read all attributes.
    """

    def __init_subclass__(cls, **keywords: Any) -> None:
        super().__init_subclass__(**keywords)
        for name, arguments in _ASKED.items():
            own = cls.__dict__.get(name)
            if not inspect.isfunction(own):
                continue
            if not takes_item(own, arguments):
                setattr(cls, name, _without_item(own, arguments))
            elif "reads" not in cls.__dict__ and not cls.reads and _uses_item(own):
                cls.reads = ALL_ATTRIBUTES

    @abstractmethod
    def retention(self, age: int, recall_count: int, item: Attributes = DEFAULT_ATTRIBUTES) -> float:
        """Return the score in [0, 1] of an item ``age`` turns after its last touch; 1.0 at age 0.

        ``recall_count`` is 1 after registration and rises by one with every recall. The age is in turns, or in what
        :meth:`rules` counts instead.
        """

    def evicts(self, age: int, recall_count: int, item: Attributes = DEFAULT_ATTRIBUTES) -> bool:
        """Tell whether the pass at the end of a turn drops an item that was last touched ``age`` turns ago.

        Where a policy does not say otherwise: if its score is strictly below the threshold; at equality it stays.
        """
        threshold = self.threshold()
        return threshold is not None and age > 0 and self.retention(age, recall_count, item) < threshold

    def horizon_guess(self, recall_count: int, item: Attributes = DEFAULT_ATTRIBUTES) -> float:
        """Return about how many turns an item outlives its last touch: where the search for the horizon starts."""
        return 1.0

    def stability(self, recall_count: int, item: Attributes = DEFAULT_ATTRIBUTES) -> float | None:
        """Return the stability (turns) of an item with this recall count, None where the policy has no such notion."""
        return None

    def priority(self, age: int, recall_count: int, item: Attributes = DEFAULT_ATTRIBUTES) -> float:
        """Return what ranks the items of a full memory, the lowest going first: the score, unless overridden."""
        return self.retention(age, recall_count, item)

    def threshold(self) -> float | None:
        """Return the score below which an item is evicted, None where the decision is not made on a score."""
        return getattr(self, "eviction_threshold", None)


_ASKED = {"retention": 2, "evicts": 2, "priority": 2, "horizon_guess": 1, "stability": 1}
"""The methods that are asked about an item, and how many arguments stand before it."""

ALL_ATTRIBUTES = ("importance", "category")
"""What a decision may depend on: an item that is pinned is never evicted, so no policy is asked about one."""


def takes_item(method: Callable[..., Any], arguments: int) -> bool:
    """Tell whether a method, ``self`` included, takes the item after its first ``arguments`` arguments."""
    parameters = inspect.signature(method).parameters.values()
    positional = [one for one in parameters if one.kind in (one.POSITIONAL_ONLY, one.POSITIONAL_OR_KEYWORD)]
    needed = sum(one.default is one.empty for one in positional)
    any_number = any(one.kind is one.VAR_POSITIONAL for one in parameters)
    return any_number or needed > arguments + 1 or any(one.name == "item" for one in positional)


def _uses_item(method: Callable[..., Any]) -> bool:
    """Tell whether a method that takes the item does anything with it."""
    code = inspect.unwrap(method).__code__
    arguments = code.co_varnames[: code.co_argcount]
    item = "item" if "item" in arguments else arguments[-1]
    # Python 3.13 loads two names in one instruction.
    loaded = {str(one.argval) for one in dis.get_instructions(code) if one.opname.startswith("LOAD_FAST")}
    any_number = bool(code.co_flags & inspect.CO_VARARGS)
    return any_number or item in code.co_cellvars or any(item in re.findall(r"\w+", names) for names in loaded)


def _without_item(method: Callable[..., Any], arguments: int) -> Callable[..., Any]:
    """Return the method with an item as its last argument, which is not used."""
    if arguments == 1:

        @functools.wraps(method)
        def of_recall_count(self: Any, recall_count: int, item: Attributes = DEFAULT_ATTRIBUTES) -> Any:  # noqa: ARG001
            return method(self, recall_count)

        return of_recall_count

    @functools.wraps(method)
    def of_age(self: Any, age: int, recall_count: int, item: Attributes = DEFAULT_ATTRIBUTES) -> Any:  # noqa: ARG001
        return method(self, age, recall_count)

    return of_age
