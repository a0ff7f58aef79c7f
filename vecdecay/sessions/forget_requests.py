"""Requests to forget of six types, and what they should leave behind."""

from dataclasses import dataclass
from typing import ClassVar

from vecdecay.items import FOUNDATIONAL, NOISE
from vecdecay.parameters import parameter
from vecdecay.sessions.block import SessionBlock
from vecdecay.sessions.blocks import block_of
from vecdecay.sessions.draws import plain, seed_key
from vecdecay.sessions.mersenne import Seeds
from vecdecay.sessions.philox import uniform
from vecdecay.sessions.session import FORGET, RECALL, REGISTER, Session
from vecdecay.sessions.streams import WORKLOAD_IDS
from vecdecay.sessions.workload import Sizes, Workload

_TOPICS, _FACTS = 4, 4
_NUM_FACTS = _TOPICS * _FACTS
_PROFILE = _NUM_FACTS + _TOPICS
_NEW_VALUE = _PROFILE + 1
_NUM_ITEMS = _NEW_VALUE + 1
_ALL = "all"
REQUESTS = ("factual", "compositional", "semantic", "inferential", "temporal", "replacement")
_uniform = plain(uniform)

STORED, REQUEST, CHECKED, LEARNT_AGAIN, ASKED_AGAIN = 25, 30, 35, 40, 45
"""Turns: all is recalled, the request, all is recalled again, what was forgotten is registered again, and recalled."""


@dataclass(frozen=True)
class ForgetRequests(Workload):
    """Four topics of four facts each, a summary of each topic, a profile made from the summaries; one request.

    The request asks to forget: one fact (factual), two facts of different topics together (compositional), all facts
    of a topic (semantic), one fact and the summary that was inferred from it, by name (inferential), all facts of
    four turns (temporal), one fact whose new value comes in the same turn (replacement). With ``request`` "all" they
    take turns by a draw. The profile is recalled like every item; nobody asks for its removal.

    What is asked for shows five things: all is *stored* (turn 25), what was to be forgotten is *removed* and its
    *neighbours are kept* (turn 35), it is *re-learnable* (registered in turn 40, recalled in 45), and *nothing leaks*
    through what was derived from it: ``forbidden_hits`` is 0. With ``control`` there is no request: the same session
    otherwise, for a paired comparison. Foundational are the neighbours: facts that nobody asks to forget.

    The types, the control and the checks are those of Bemula (Xie et al. 2026), as a survey reports them: 135 requests
    in 50 dialogues, 1.5 % of them met end to end by the best system there. Its dialogues were not available; the
    patterns of events are this program's.

    The question: does a request to forget reach what was made from the item? At the defaults (1,000 seeds) 2.4 recalls
    a session find a copy of what was to be forgotten, under Ebbinghaus, RecencyWindow and KeepAll alike, for the
    summaries are used; none do where a request cascades.

    >>> session = ForgetRequests(request="factual").session(seed=0)
    >>> [turn for turn, kind, _ in session.events if kind == 2]
    [30]
    """

    name: ClassVar[str] = "forget_requests"
    summary: ClassVar[str] = "one request to forget, of six types, among facts, summaries and a profile made from them"
    source: ClassVar[str] = "after Bemula (Xie et al. 2026), request types and checks; the patterns are this program's"
    has_relations: ClassVar[bool] = True

    request: str = parameter(_ALL, choices=(_ALL, *REQUESTS), meaning="what the request asks to forget")
    control: bool = parameter(False, meaning="whether the request is left out, for a paired comparison")
    noise_per_turn: int = parameter(1, at_least=0, at_most=10_000, meaning="noise items registered in each turn")

    def request_of(self, seed: int) -> str:
        """Return the type of the request in the session of a seed."""
        if self.request != _ALL:
            return self.request
        return REQUESTS[int(self._draw(seed_key(seed), 0, 0) * len(REQUESTS))]

    def targets(self, seed: int) -> list[int]:
        """Return the items that the request of a session names."""
        key, request = seed_key(seed), self.request_of(seed)
        fact = int(self._draw(key, 1, 0) * _NUM_FACTS)
        topic = fact // _FACTS
        if request == "compositional":
            other = (topic + 1 + int(self._draw(key, 1, 1) * (_TOPICS - 1))) % _TOPICS
            return sorted([fact, other * _FACTS + int(self._draw(key, 1, 2) * _FACTS)])
        if request == "semantic":
            return list(range(topic * _FACTS, (topic + 1) * _FACTS))
        if request == "inferential":
            return [fact, _NUM_FACTS + topic]
        if request == "temporal":
            told, first = self._told(key), 1 + int(self._draw(key, 1, 3) * 13)
            return [one for one in range(_NUM_FACTS) if first <= told[one] < first + 4]
        return [fact]

    def _told(self, key: int) -> list[int]:
        """Return the turn, 1 to 16, in which each fact is told: an order of the facts."""
        order = sorted(range(_NUM_FACTS), key=lambda fact: self._draw(key, 2, fact))
        return [1 + order.index(fact) for fact in range(_NUM_FACTS)]

    def session(self, seed: int) -> Session:
        """Return the session of one seed."""
        key = seed_key(seed)
        targets, replaced = self.targets(seed), self.request_of(seed) == "replacement"
        facts, derived = range(_NUM_FACTS), range(_NUM_FACTS, _NEW_VALUE)
        events = [(turn, REGISTER, fact) for fact, turn in enumerate(self._told(key))]
        events += [(17, REGISTER, item) for item in derived]
        events += [(turn, RECALL, item) for turn in (STORED, CHECKED) for item in (*facts, *derived)]
        if not self.control:
            events += [(REQUEST, FORGET, item) for item in targets]
            events += [(LEARNT_AGAIN, REGISTER, item) for item in targets]
        if replaced:
            events += [(REQUEST, REGISTER, _NEW_VALUE), (CHECKED, RECALL, _NEW_VALUE)]
        events += [(ASKED_AGAIN, RECALL, item) for item in targets]
        length, noise = ASKED_AGAIN, range(_NUM_ITEMS, _NUM_ITEMS + self.noise_per_turn * ASKED_AGAIN)
        events += [(1 + number // self.noise_per_turn, REGISTER, item) for number, item in enumerate(noise)]
        summaries = [tuple(range(topic * _FACTS, (topic + 1) * _FACTS)) for topic in range(_TOPICS)]
        sources = [()] * _NUM_FACTS + summaries + [tuple(range(_NUM_FACTS, _PROFILE)), ()]
        supersedes = [-1] * _NEW_VALUE + [targets[0] if replaced else -1]
        return Session(
            length,
            tuple(NOISE if one in targets else FOUNDATIONAL for one in facts) + (NOISE,) * (6 + len(noise)),
            tuple(sorted(events, key=lambda event: event[0])),
            seed_key=key,
            supersedes=(*supersedes, *[-1] * len(noise)) if replaced else (),
            sources=(*sources, *[()] * len(noise)),
        )

    def _draw(self, key: int, stream: int, number: int) -> float:
        return float(_uniform(key, WORKLOAD_IDS[self.name], stream, number, 0))

    def block(self, seeds: Seeds) -> SessionBlock:
        """Return the sessions of many seeds."""
        return block_of([self.session(int(seed)) for seed in seeds])

    def sizes(self) -> Sizes:
        """Return the most that a session holds."""
        items = _NUM_ITEMS + self.noise_per_turn * ASKED_AGAIN
        return Sizes(items, items, items + 5 * _NUM_ITEMS, ASKED_AGAIN, 0)
