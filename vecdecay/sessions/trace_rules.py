"""The named rules by which a log is read: parameters of a trace, reported with every result."""

from collections.abc import Collection
from dataclasses import dataclass
from typing import Any, ClassVar

from vecdecay.parameters import Described, parameter
from vecdecay.sessions.trace_time import turn_seconds

BY_COLUMNS = "auto"
"""The rule ``turn`` of a log whose columns say when its events are."""


class _Turns(tuple[str, ...]):
    """What makes a turn: some words, and durations."""

    def __contains__(self, value: Any) -> bool:
        return value in self[:-1] or turn_seconds(value) > 0


@dataclass(frozen=True)
class TraceRules(Described):
    """How a log is read: what each rule may be, with the default first."""

    name: ClassVar[str] = "trace"

    on_miss: str = parameter(
        "nothing",
        choices=("nothing", "relearn"),
        meaning="what a recall that misses does: nothing, as published, or it registers its item anew, as an agent "
        "does that reads the file again",
    )
    duplicates: str = parameter(
        "each",
        choices=("each", "once"),
        meaning="whether the same event of an item in one turn counts each time, or once",
    )
    registered_again: str = parameter(
        "reset",
        choices=("reset", "ignore", "reinforce", "error"),
        meaning="what a registration of an item does that the log has registered already: it resets the item, as "
        "published, is dropped, counts as a recall, or is refused",
    )
    longest_silence: int = parameter(
        0, at_least=0, unit="turns", meaning="to how many turns longer silences are cut; 0 keeps them"
    )
    elapsed: str = parameter(
        "recorded",
        choices=("recorded", "turns"),
        meaning="whether policies in days, hours or seconds read the recorded time where there is one, or count turns "
        "by their parameter turns_per_day",
    )
    turn: str = parameter(
        BY_COLUMNS,
        choices=_Turns((BY_COLUMNS, "event", "message", "or a duration such as 30m, 1h or 1d")),
        meaning="what makes a turn: the column turn, or an hour where there is none (auto), each time stamp (event), "
        "each message, or a duration",
    )

    def text(self, without: Collection[str] = ()) -> str:
        """Return the rules in one line, those left out that vary."""
        silence = f"cut to {self.longest_silence} turns" if self.longest_silence else "kept"
        texts = {
            "on_miss": f"a miss: {self.on_miss}",
            "duplicates": f"duplicates in a turn: {self.duplicates}",
            "registered_again": f"registered again: {self.registered_again}",
            "longest_silence": f"silences {silence}",
            "elapsed": f"elapsed time: {self.elapsed}",
        }
        listed = [text for name, text in texts.items() if name not in without]
        return "; ".join([*listed, "sessions start at their first event"])
