"""Letta: the message queue of MemGPT's successor, cut at an assistant's message."""

from dataclasses import dataclass
from typing import ClassVar

from vecdecay.parameters import parameter
from vecdecay.policies.system import Held, SystemPolicy, View

NO_CUT = ("user", "system", "tool")
"""Categories of messages before which the queue is not cut."""
_STEP = 0.10


@dataclass(frozen=True)
class Letta(SystemPolicy):
    """Past 90 % of the window, summarise 40 % of the messages or as many more as it takes.

    In a pass in which more than int(``trigger_share`` × window) tokens are held, a share of the messages is to go:
    ``evict_share`` + 0.1 at first, 0.1 more at each try. The cut is before the last assistant's message up to
    round(share × number of messages), the system prompt (number 0) and the summary (number 1, once there is one)
    included. It is taken where the system prompt and what stays come to less than (1 - ``evict_share``) × window, the
    summary not counted. Where no share below 1 does, or the cut is at the last message, all messages go. Pinned items
    are the system prompt; messages of the categories "user", "system" and "tool" are no assistant's.

    Where the text and the code part: the setting is called what is kept after the summary, and the default of 30 % is
    the first share to go, less 0.1; a docstring has it that summaries begin at 100 % of the window for most models.

    Left out: requests for approval, the summary's text (at most 50,000 characters) and an estimate of tokens that adds
    30 % to what is counted. Not to be confused with: the release 0.2.0, :class:`MemGpt`.

    Source: letta-ai/letta @56ba9c25, letta/services/summarizer/summarizer_sliding_window.py, compact.py, thresholds.py;
    licence Apache 2.0.

    >>> Letta(capacity_tokens=1000).trigger_share
    0.9
    """

    name: ClassVar[str] = "letta"
    summary: ClassVar[str] = "a queue of messages, summarised up to an assistant's message past 90 % of the window"
    formula: ClassVar[str] = (
        "in the pass, where more than int(trigger_share × capacity_tokens) are held, evict the messages before an "
        "assistant's one, so many that less than (1 - evict_share) × capacity_tokens stay"
    )
    source: ClassVar[str] = "letta-ai/letta @56ba9c25, letta/services/summarizer/summarizer_sliding_window.py"

    capacity_tokens: float = parameter(128000.0, at_least=1, unit="tokens", meaning="the context window of the model")
    trigger_share: float = parameter(0.9, above=0.0, at_most=1.0, meaning="share of the window past which messages go")
    evict_share: float = parameter(
        0.3, at_least=0.0, at_most=1.0, meaning="share of the messages that is to go, less the first step of 0.1"
    )
    summary_tokens: int = parameter(0, at_least=0, unit="tokens", meaning="what the summary takes")

    def on_pass(self, view: View) -> None:
        """Summarise the oldest messages, if there are too many tokens."""
        every = list(view.held.values())
        summary = self.summary_tokens if view.summarised else 0
        queue = sum(one.tokens for one in every)
        if view.pinned_tokens + summary + queue > int(self.capacity_tokens * self.trigger_share):
            for one in self._going(view, every, queue):
                view.drop(one)

    def _going(self, view: View, every: list[Held], queue: int) -> list[Held]:
        before = 2 if view.summarised else 1  # the system prompt, and the summary
        goal = (1 - self.evict_share) * self.capacity_tokens
        left, share, cut = self.capacity_tokens, self.evict_share, -1
        while left >= goal and share < 1.0:
            share += _STEP
            last = min(round(share * (before + len(every))) - before, len(every) - 1)
            cut = next((place for place in range(last, -1, -1) if every[place].category not in NO_CUT), -1)
            if cut >= 0:
                left = view.pinned_tokens + queue - sum(one.tokens for one in every[:cut])
        return every if cut < 0 or share >= 1.0 or cut >= len(every) - 1 else every[:cut]
