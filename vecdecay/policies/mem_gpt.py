"""MemGPT: a first-in, first-out queue of messages that is flushed into a recursive summary when it overflows."""

from dataclasses import dataclass
from typing import ClassVar

from vecdecay.parameters import parameter
from vecdecay.policies.system import Held, SystemPolicy, View

USER = "user"
"""The category of a user's messages; where no item has one, any message may be the first that is kept."""


@dataclass(frozen=True)
class MemGpt(SystemPolicy):
    """When the queue exceeds the window, summarise its oldest messages, ``evict_share`` of its tokens.

    In a pass, and again until it fits, from the oldest message on, those go that together come to at most
    int(``evict_share`` × tokens of the queue); the message that crosses this stays, and so do the last ``keep_last``.
    If the first that would stay is a user's (category "user"), it goes too. What goes leaves for the archive; a summary
    takes its place at the front, with ``summary_tokens``, and is summarised again with the next ones. Pinned items are
    the system prompt: they count against the window and not to the queue.

    The defaults are the paper's (about 100 % of the window flushes, about 50 % goes; as quoted of its section 2.2). The
    released code 0.2.0 is ``MemGpt(evict_share=0.75, keep_last=3)``; where nothing can go although the window is full,
    it ends in an error, here the memory holds more than the window. Its warning at 75 % of the window, upon which the
    model may save what it wants, is left out, and so is that the flush waits for an error of the model's interface. Not
    to be confused with: its successor's rule, :class:`Letta`.

    Source: Packer et al. (2023), arXiv 2310.08560; letta-ai/letta 0.2.0, memgpt/agent.py
    (``summarize_messages_inplace``); licence Apache 2.0.

    >>> MemGpt().evict_share, MemGpt(evict_share=0.75, keep_last=3).keep_last
    (0.5, 3)
    """

    name: ClassVar[str] = "mem_gpt"
    summary: ClassVar[str] = "a queue of messages of which the oldest half is summarised when the window is full"
    formula: ClassVar[str] = (
        "in the pass, where more than capacity_tokens are held, evict the longest prefix of at most "
        "int(evict_share × tokens) and not the last keep_last"
    )
    source: ClassVar[str] = "Packer et al. (2023), MemGPT; letta-ai/letta 0.2.0, memgpt/agent.py"

    capacity_tokens: float = parameter(8192.0, at_least=1, unit="tokens", meaning="the context window of the model")
    evict_share: float = parameter(0.5, above=0.0, at_most=1.0, meaning="share of the queue's tokens that goes")
    keep_last: int = parameter(0, at_least=0, at_most=10**6, unit="items", meaning="latest messages that always stay")
    summary_tokens: int = parameter(0, at_least=0, unit="tokens", meaning="what the summary takes")

    def on_pass(self, view: View) -> None:
        """Flush the queue until it fits, or until nothing more may go."""
        while self._overflows(view) and (going := self._oldest(view)):
            for one in going:
                view.drop(one)

    def _queue(self, view: View) -> tuple[int, int]:
        """Return what the summary and the whole queue take."""
        summary = self.summary_tokens if view.summarised else 0
        return summary, summary + sum(one.tokens for one in view.held.values())

    def _overflows(self, view: View) -> bool:
        return view.pinned_tokens + self._queue(view)[1] > self.capacity_tokens

    def _oldest(self, view: View) -> list[Held]:
        every = list(view.held.values())
        candidates = every[: max(0, len(every) - self.keep_last)]
        taken, queue = self._queue(view)
        budget, cut = int(queue * self.evict_share), len(candidates) - 1
        if taken > budget or not candidates:
            return []
        for number, one in enumerate(candidates):
            taken += one.tokens
            if taken > budget:
                cut = number
                break
        return every[: cut + (every[cut].category == USER)]
