"""The scalar engine of memory systems: it asks the policy's plain methods, which see all that is held."""

from collections.abc import Callable, Hashable
from typing import Any

from vecdecay.engines.kernels.fields import CAPACITY, DECAYED, FORGOTTEN
from vecdecay.engines.scalar_memory import Memory
from vecdecay.engines.timing import scalar_timing
from vecdecay.items import DEFAULT_ATTRIBUTES, Attributes
from vecdecay.policies.system import Held, SystemPolicy, View
from vecdecay.sessions.events import NO_GRADE, NO_TURN
from vecdecay.sessions.session import Session


class SystemEngine(Memory):
    """Plays a memory system; see :class:`vecdecay.policies.system.SystemPolicy` for the rules.

    >>> from vecdecay.policies.lang_mem import LangMem
    >>> engine = SystemEngine(LangMem(capacity_tokens=4, max_summary_tokens=1))
    >>> for item in "abcde":
    ...     engine.register(item, turn=1)
    >>> engine.step(turn=1), engine.working_set_size()
    (['a', 'b', 'c', 'd'], 1)
    """

    def __init__(self, policy: SystemPolicy, session: Session | None = None) -> None:
        self.timing = scalar_timing(policy, session)
        self.policy = self.timing.policy
        every = session.attributes if session is not None else ()
        super().__init__(self.policy.rules(), (item for item, attributes in enumerate(every) if attributes.pinned))
        self.session = session
        self.view = View()
        self.links = _links(session)

    def fresh(self, item: Hashable, turn: int) -> None:
        """Return None: there is no stability."""

    def reinforce(self, item: Hashable, state: object, turn: int) -> None:
        """Do nothing: the policy acts on its own notes."""

    def evicting(self, turn: int) -> list[Hashable]:
        """Return nothing: the policy acts before."""
        return []

    def register(self, item: Hashable, turn: int, expires_turn: int = NO_TURN, grade: int = NO_GRADE) -> None:
        """Put the item at the end of what is held, and let the policy act."""
        there = item in self.memory
        super().register(item, turn, expires_turn, grade)
        tokens = self._tokens(item)
        if item in self.pinned:
            self.view.pinned_tokens += 0 if there else tokens
            return
        attributes, now = self._attributes(item), self.timing.now(turn)
        linked = self.links.get(item, ())
        new = Held(item, tokens, attributes.importance, attributes.category, linked, now, now)
        self.view.held.pop(item, None)
        self.view.held[item] = new
        self._act(self.policy.on_insert, turn, new)

    def recall(self, item: Hashable, turn: int, grade: int = NO_GRADE) -> bool:
        """Use the item, and let the policy act."""
        found = super().recall(item, turn, grade)
        held = self.view.held.get(item)
        if found and held is not None:
            held.recalls += 1
            held.touched = self.timing.now(turn)
            self._act(self.policy.on_recall, turn, held)
        return found

    def forget(self, item: Hashable, turn: int, reason: int = FORGOTTEN) -> bool:
        """Remove the item on request, from what the policy sees too."""
        there = super().forget(item, turn, reason)
        self._leave(item, there)
        return there

    def step(self, turn: int) -> list[Hashable]:
        """Let the policy act, then let go of what expires."""
        gone = self._act(self.policy.on_pass, turn) if self.timing.is_due(turn) else []
        expired = super().step(turn)
        for item in expired:
            self._leave(item, True)
        return gone + expired

    def _leave(self, item: Hashable, there: bool) -> None:
        if there and item in self.pinned:
            self.view.pinned_tokens -= self._tokens(item)
        self.view.held.pop(item, None)

    def _act(self, hook: Callable[..., None], turn: int, *held: Held) -> list[Hashable]:
        """Call a method of the policy, and evict what it let go of, in that order."""
        self.view.now, self.view.gone = self.timing.now(turn), []
        hook(self.view, *held)
        for item, decayed in self.view.gone:
            self._evict([item], turn, DECAYED if decayed else CAPACITY)
        return [item for item, _ in self.view.gone]

    def _tokens(self, item: Any) -> int:
        return self.session.tokens[item] if self.session is not None and self.session.tokens else 1

    def _attributes(self, item: Any) -> Attributes:
        return self.session.attributes_of(item) if self.session is not None else DEFAULT_ATTRIBUTES


def _links(session: Session | None) -> dict[Hashable, tuple[Hashable, ...]]:
    """Return what each item was derived from, and what from it, ascending."""
    linked: dict[Hashable, set[Any]] = {}
    for item, sources in enumerate(session.sources if session is not None else ()):
        for source in sources:
            linked.setdefault(item, set()).add(source)
            linked.setdefault(source, set()).add(item)
    return {item: tuple(sorted(others - {item})) for item, others in linked.items()}
