"""What is in a trace, in figures: shown before any result, so that a wrong column is seen at once."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from vecdecay.sessions.block import SessionBlock
from vecdecay.sessions.events import FORGET, RECALL, REGISTER
from vecdecay.sessions.trace_kernel import gaps_of_recalls

_LAST_GAPS = (0, 1, 5, 15, 30, 100, 1000)


@dataclass(frozen=True)
class TraceSummary:
    """Counts of a trace. A gap is the number of turns from an item's touch to the recall that follows it.

    ``gap_median``, ``gap_90``, ``gap_99`` and ``gap_maximum`` (turns) are gaps that occur, the smallest that so many
    of all gaps do not exceed; None without recalls of known items. ``recalls_by_gap`` holds the longest gap of each
    class (None for no limit) and how many gaps are in it.
    """

    sessions: int
    events: int
    items: int
    registrations: int
    recalls: int
    forgets: int
    longest_session: int
    gap_median: int | None
    gap_90: int | None
    gap_99: int | None
    gap_maximum: int | None
    recalls_by_gap: tuple[tuple[int | None, int], ...]
    rules: str
    notes: tuple[str, ...]

    def lines(self) -> list[str]:
        """Return the summary as text, a line per kind of figure."""
        lines = [
            f"{self.sessions:,} sessions, {self.events:,} events, {self.items:,} items; "
            f"the longest session has {self.longest_session:,} turns",
            f"{self.registrations:,} registrations, {self.recalls:,} recalls, {self.forgets:,} forgets",
        ]
        if self.gap_median is not None:
            lines.append(
                f"gaps before recalls: median {self.gap_median:,}, 90 % {self.gap_90:,}, 99 % {self.gap_99:,}, "
                f"maximum {self.gap_maximum:,} turns"
            )
            lines.append(f"share of recalls by gap: {self._shares()}")
        return [*lines, f"rules: {self.rules}", *(f"note: {note}" for note in self.notes)]

    def _shares(self) -> str:
        count = sum(number for _, number in self.recalls_by_gap)
        least, texts = 0, []
        for last, number in self.recalls_by_gap:
            name = f"over {least - 1:,}" if last is None else f"{least:,}" if last == least else f"{least:,}–{last:,}"
            texts.append(f"{name}: {100 * number / count:.1f} %")
            least = least if last is None else last + 1
        return ", ".join(texts)


def summary_of(block: SessionBlock, rules: str, notes: tuple[str, ...]) -> TraceSummary:
    """Return the summary of all sessions of a trace."""
    gaps = _gaps(block)
    kinds = [int(np.count_nonzero(block.touch_kind == kind)) for kind in (REGISTER, RECALL, FORGET)]
    ends = np.searchsorted(gaps, np.array(_LAST_GAPS, dtype=gaps.dtype), side="right").tolist()
    classes = np.diff([0, *ends, len(gaps)]).tolist()
    return TraceSummary(
        sessions=block.num_sessions,
        events=len(block.touch_turn),
        items=len(block.item_kind),
        registrations=kinds[REGISTER],
        recalls=kinds[RECALL],
        forgets=kinds[FORGET],
        longest_session=int(block.session_length.max(initial=0)),
        gap_median=_reached(gaps, 50),
        gap_90=_reached(gaps, 90),
        gap_99=_reached(gaps, 99),
        gap_maximum=_reached(gaps, 100),
        recalls_by_gap=tuple(zip((*_LAST_GAPS, None), classes, strict=True)),
        rules=rules,
        notes=notes,
    )


def _gaps(block: SessionBlock) -> NDArray[np.int32]:
    """Return the gaps, ascending: of recalls whose item was touched before, and not forgotten since."""
    gaps = np.empty(len(block.touch_turn), dtype=np.int32)
    found = gaps[: gaps_of_recalls(block.touch_start, block.touch_turn, block.touch_kind, gaps)]
    found.sort()
    return found


def _reached(gaps: NDArray[np.int32], percent: int) -> int | None:
    """Return the smallest gap that ``percent`` of the ascending gaps do not exceed."""
    return int(gaps[-(-percent * len(gaps) // 100) - 1]) if len(gaps) else None
