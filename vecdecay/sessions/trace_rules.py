"""The named rules by which a log is read; all are reported with the result."""

from dataclasses import dataclass

from vecdecay.parameters import brief, did_you_mean

RULES = {
    "on_miss": ("nothing", "relearn"),
    "duplicates": ("each", "once"),
    "registered_again": ("reset", "ignore", "reinforce", "error"),
    "elapsed": ("recorded", "turns"),
}
"""The named rules of a trace, and what each may be; the first is the default.

``on_miss``: a recall that misses changes nothing, as published, or registers its item anew, as an agent that reads the
file again. ``duplicates``: the same event of an item in one turn counts each time, or once. ``registered_again``: a
registration of an item that the log has registered already resets it, as published, is dropped, counts as a recall, or
is refused. ``elapsed``: policies in days, hours or seconds read the recorded time where there is one, or count turns by
their parameter ``turns_per_day``.
"""


@dataclass(frozen=True)
class TraceRules:
    """How a trace is read; see RULES. ``longest_silence`` (turns) cuts longer ones, None keeps them."""

    on_miss: str = "nothing"
    duplicates: str = "each"
    registered_again: str = "reset"
    longest_silence: int | None = None
    elapsed: str = "recorded"

    def problems(self) -> list[str]:
        """Return one line per rule that is none."""
        found = [
            f"{name} is {brief(getattr(self, name))}; allowed: {', '.join(allowed)}"
            + did_you_mean(getattr(self, name), allowed)
            for name, allowed in RULES.items()
            if getattr(self, name) not in allowed
        ]
        silence = self.longest_silence
        if silence is not None and (isinstance(silence, bool) or not isinstance(silence, int) or silence < 1):
            found.append(f"longest_silence is {brief(silence)}; allowed: None or an integer from 1")
        return found

    def text(self) -> str:
        """Return the rules in one line."""
        silence = "kept" if self.longest_silence is None else f"cut to {self.longest_silence} turns"
        return (
            f"a miss: {self.on_miss}; duplicates in a turn: {self.duplicates}; registered again: "
            f"{self.registered_again}; silences {silence}; elapsed time: {self.elapsed}; "
            "sessions start at their first event"
        )
