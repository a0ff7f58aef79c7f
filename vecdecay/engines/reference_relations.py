"""The scalar reference of what concerns several items: versions, derived copies, and what should not be found.

Plain sets and dictionaries, one session. What is *outdated* or *unwanted* follows from the events alone, whatever a
policy makes of them: an item is outdated from the registration of the one that supersedes it, and unwanted from the
request to forget it, or one of the items it was derived from, each until an event registers it anew.
"""

from vecdecay.engines.scalar_memory import Memory
from vecdecay.policies.reactions import BY_EVENT_TIME, CASCADE, DELETE, HIDE, Reactions, outdated
from vecdecay.sessions.session import FORGET, REGISTER, Session


class Relations:
    """What a session says of its items' versions and sources, as far as it is played."""

    def __init__(self, session: Session) -> None:
        self.session = session
        self.copies = copies_of(session)
        self.outdated: set[int] = set()
        self.unwanted: set[int] = set()

    def before_registration(self, engine: Memory, item: int, turn: int) -> None:
        """Tell an engine of the version that an item, which an event is about to register, supersedes."""
        self.outdated.discard(item)
        self.unwanted.discard(item)
        older = self.session.supersedes[item] if self.session.supersedes else -1
        if older >= 0:
            self.outdated.add(older)
            engine.supersede(older, turn)
            if self._earlier(engine, item, older) == -1:
                engine.hide(older, turn)

    def after_registration(self, engine: Memory, item: int, turn: int) -> None:
        """Hide the newcomer, where by event time it is the outdated version."""
        older = self.session.supersedes[item] if self.session.supersedes else -1
        if older >= 0 and self._earlier(engine, item, older) == 1:
            engine.hide(item, turn)

    def after_request(self, engine: Memory, item: int, turn: int) -> None:
        """Tell an engine of what was derived from an item that was to be forgotten."""
        copies = self.copies.get(item, [])
        self.unwanted.update((item, *copies))
        for copy in copies:
            engine.forget_copy(copy, turn)

    def _earlier(self, engine: Memory, item: int, older: int) -> int:
        return _earlier(self.session, engine.reactions, item, older)


def _earlier(session: Session, reactions: Reactions, item: int, older: int) -> int:
    valid = session.valid_turns
    if reactions.on_superseded != BY_EVENT_TIME or not valid:
        return 0
    return outdated(valid[item], valid[older])


def taken_at(session: Session, reactions: Reactions) -> dict[int, list[int]]:
    """Return the items that events remove or hide beside their own, by the places of the events."""
    taken: dict[int, list[int]] = {}
    copies = copies_of(session) if reactions.on_forget == CASCADE else {}
    for place, (_, kind, item) in enumerate(session.events):
        if kind == FORGET:
            taken[place] = copies.get(item, [])
        elif kind == REGISTER and session.supersedes and session.supersedes[item] >= 0:
            older = session.supersedes[item]
            earlier = _earlier(session, reactions, item, older)
            goes = -1 if reactions.on_superseded in (HIDE, DELETE) else earlier
            taken[place] = [{-1: older, 1: item}[goes]] if goes else []
    return taken


def copies_of(session: Session) -> dict[int, list[int]]:
    """Return, for each item, the others that were derived from it, directly or by way of others, ascending.

    >>> copies_of(Session(1, (0, 0, 0), (), sources=((), (0,), (1,))))
    {0: [1, 2], 1: [2]}
    """
    found: dict[int, list[int]] = {}
    for copy in range(len(session.sources)):
        reached: set[int] = set()
        waiting = list(session.sources[copy])
        while waiting:
            source = waiting.pop()
            if source not in reached:
                reached.add(source)
                waiting += session.sources[source]
        for source in sorted(reached - {copy}):
            found.setdefault(source, []).append(copy)
    return found
