"""What a workload and a trace have in common: sessions that can be asked for, in plain Python or as arrays."""

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from vecdecay.parameters import Described, Parameter
from vecdecay.sessions.block import SessionBlock
from vecdecay.sessions.blocks import block_of
from vecdecay.sessions.mersenne import Seeds
from vecdecay.sessions.session import Session


@dataclass(frozen=True)
class Sizes:
    """Upper bounds per session, known before anything is generated: memory is predicted from them.

    ``listed_items`` are those that are not in cohorts; ``draws`` are random numbers that a block keeps.
    """

    items: int
    listed_items: int
    touches: int
    turns: int
    draws: int


class Source(Described, ABC):
    """Sessions by number: ``session`` is the plain definition, ``block`` the fast form; both give the same sessions."""

    summary: ClassVar[str]
    source: ClassVar[str]

    held_bytes: int = 0
    """What the sessions themselves take in memory; nothing where they are generated block by block."""

    relearns: bool = False
    """Whether a recall that misses registers its item anew; a trace may say so."""

    @property
    def has_token_sizes(self) -> bool:
        """Tell whether some item may have a size other than 1; only then do results hold figures in tokens."""
        return False

    @property
    def has_relations(self) -> bool:
        """Tell whether items may supersede, or be derived from, each other; only then do results count what follows."""
        return False

    @property
    def has_clock(self) -> bool:
        """Tell whether some session has a recorded time beside its turns."""
        return False

    @abstractmethod
    def session(self, seed: int) -> Session:
        """Return the session of one seed, in plain Python."""

    @abstractmethod
    def block(self, seeds: Seeds) -> SessionBlock:
        """Return the sessions of many seeds as arrays."""

    @abstractmethod
    def sizes(self) -> Sizes:
        """Return upper bounds for any one session."""

    def totals(self, num_sessions: int) -> Sizes:
        """Return upper bounds for so many sessions together."""
        return Sizes(**{name: each * num_sessions for name, each in vars(self.sizes()).items()})


class Recorded(Source):
    """A source that is no generator: it has a number of sessions, and no parameters."""

    num_sessions: int

    @classmethod
    def parameters(cls) -> tuple[Parameter, ...]:
        """Return none."""
        return ()


class GivenSessions(Recorded):
    """Sessions that are given as plain data, by their places."""

    name = "given_sessions"
    summary = "sessions given as plain data"
    source = "your own"

    def __init__(self, sessions: Sequence[Session]) -> None:
        """Take the sessions.

        Raises:
            InvalidInputError: one line per mistake in them.
        """
        self.sessions = tuple(sessions)
        self._whole = block_of(self.sessions)
        self.num_sessions = len(self.sessions)

    @property
    def has_token_sizes(self) -> bool:
        """Tell whether some item has a size other than 1."""
        return any(session.tokens for session in self.sessions)

    @property
    def has_relations(self) -> bool:
        """Tell whether some item supersedes another, or was derived from others."""
        return any(session.supersedes or session.sources for session in self.sessions)

    @property
    def has_clock(self) -> bool:
        """Tell whether some session has a recorded time."""
        return any(session.clock for session in self.sessions)

    def session(self, seed: int) -> Session:
        """Return the session at a place."""
        return self.sessions[seed]

    def block(self, seeds: Seeds) -> SessionBlock:
        """Return the sessions at some places as arrays."""
        return self._whole.picked(np.asarray(list(seeds), dtype=np.int64))

    def sizes(self) -> Sizes:
        """Return the largest of any session."""
        items = max(1, *(len(session.item_kinds) for session in self.sessions))
        touches = max(1, *(len(session.events) for session in self.sessions))
        turns = max(session.session_length for session in self.sessions)
        return Sizes(items=items, listed_items=items, touches=touches, turns=turns, draws=0)
