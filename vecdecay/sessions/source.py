"""What a workload and a trace have in common: sessions that can be asked for, in plain Python or as arrays."""

from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import ClassVar

from vecdecay.sessions.block import SessionBlock
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


class Source(ABC):
    """Sessions by number: ``session`` is the plain definition, ``block`` the fast form; both give the same sessions."""

    name: ClassVar[str]
    summary: ClassVar[str]
    source: ClassVar[str]

    @property
    def has_token_sizes(self) -> bool:
        """Tell whether some item may have a size other than 1; only then do results hold figures in tokens."""
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
