"""``vecdecay demo``: one session narrated turn by turn, played by the scalar reference."""

from collections.abc import Sequence
from dataclasses import dataclass, field

from vecdecay.commands.screen import GAP, paragraph, show, width
from vecdecay.engines.reference import engine_for
from vecdecay.engines.scalar_memory import Memory
from vecdecay.parameters import brief
from vecdecay.policies import Ebbinghaus, RecencyWindow
from vecdecay.policies.base import Policy
from vecdecay.sessions import PublishedSessions
from vecdecay.sessions.session import REGISTER, Session

WORKLOAD = PublishedSessions(num_foundational=1)
POLICIES: dict[str, Policy] = {
    "recency_window (window_size 15)": RecencyWindow(window_size=15),
    "ebbinghaus (eviction_threshold 0.20, baseline_stability 8)": Ebbinghaus(0.20, 8.0),
}
"""The published two, each under what the narration calls it."""

CHECKPOINTS = (30, 60, 90, 120, 150)
FEWEST_TURNS_PER_COLUMN = 3

_ITEM = 0
_PRESENT, _GONE, _RECALLED, _MISSED = "█", "·", "R", "x"


@dataclass
class Story:
    """What became of the item under one policy: the lines that tell it, and what is drawn."""

    lines: list[str] = field(default_factory=list)
    present: list[bool] = field(default_factory=list)  # entry 0 is turn 1
    recalls: dict[int, bool] = field(default_factory=dict)  # turn → whether the item was there

    def tell(self, turn: int, text: str) -> None:
        """Add what happened in a turn."""
        self.lines += paragraph(text, f"  turn {turn:>3}  ")


def demo_command(seed: int) -> None:
    """Print the session of a seed as each policy lives it, and one bar per policy."""
    session = WORKLOAD.session(seed)
    show(*_opening(seed))
    stories = {}
    for title, policy in POLICIES.items():
        story = stories[policy.name] = play(policy, session)
        show("", *paragraph(title), *story.lines)
    show("", *_bars(stories))


def play(policy: Policy, session: Session) -> Story:
    """Return the story of the session's one foundational item, played by a fresh scalar engine."""
    engine = engine_for(policy)
    story = Story()
    for turn in range(1, session.session_length + 1):
        for event_turn, kind, item in session.events:
            if event_turn == turn:
                _happen(engine, story, turn, kind, item)
        if _ITEM in engine.step(turn):
            story.tell(turn, f"evicted: {turn - engine.departed[_ITEM].last_touch} turns after it was last used")
        story.present.append(engine.is_present(_ITEM))
        if turn in CHECKPOINTS:
            story.tell(turn, f"checkpoint: foundational recall rate {float(engine.is_present(_ITEM)):.2f}")
    return story


def _happen(engine: Memory, story: Story, turn: int, kind: int, item: int) -> None:
    if kind == REGISTER:
        engine.register(item, turn)
        if item == _ITEM:
            story.tell(turn, "the item is registered")
        return
    before = engine.memory[item].stability if engine.is_present(item) else None
    found = engine.recall(item, turn)
    story.recalls[turn] = found
    after = engine.memory[item].stability if found else None
    grown = "" if before is None or after is None else f"; stability {before:.1f} → {after:.1f} turns"
    story.tell(turn, f"recalled{grown}" if found else "recall failed: the item is gone, nothing changes")


def _opening(seed: int) -> list[str]:
    shown = brief(seed)  # a seed of thousands of digits fits no line, and Python does not write it out
    text = (
        f"One foundational item is registered in turn 1 of {WORKLOAD.session_length}, recalled "
        f"{WORKLOAD.num_recalls()} times early on and never again, while {WORKLOAD.noise_per_turn} unrelated items are "
        "registered in every turn. " + (f"The seed is {shown}." if shown.startswith("an ") else f"Seed {shown}.")
    )
    return paragraph(text)


def _bars(stories: dict[str, Story]) -> list[str]:
    label_width = max(map(len, stories))
    room = width() - label_width - len(GAP)
    per_column = max(FEWEST_TURNS_PER_COLUMN, -(-WORKLOAD.session_length // room))
    columns = -(-WORKLOAD.session_length // per_column)
    scale = [" "] * columns
    for turn in (1, *CHECKPOINTS):
        label = str(turn)
        start = min((turn - 1) // per_column, columns - len(label))
        scale[start : start + len(label)] = label
    lines = [f"{'turn':<{label_width}}{GAP}{''.join(scale)}".rstrip()]
    lines += [f"{name:<{label_width}}{GAP}{_bar(story, per_column)}" for name, story in stories.items()]
    legend = f"{_PRESENT} in memory; {_GONE} gone; {_RECALLED} recalled; {_MISSED} recall failed"
    return [
        *lines,
        "",
        *paragraph(legend),
        *paragraph(f"1 column = {per_column} turns; in memory means in all of them"),
    ]


def _bar(story: Story, per_column: int) -> str:
    """Return one character per column: a recall where there is one, else whether the item was there throughout."""
    last = len(story.present) + 1
    firsts = range(1, last, per_column)
    return "".join(_character(story, range(first, min(first + per_column, last))) for first in firsts)


def _character(story: Story, turns: Sequence[int]) -> str:
    recalls = [story.recalls[turn] for turn in turns if turn in story.recalls]
    if recalls:
        return _RECALLED if all(recalls) else _MISSED
    return _PRESENT if all(story.present[turn - 1] for turn in turns) else _GONE
