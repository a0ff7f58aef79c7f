"""LangMem: the oldest messages become a running summary when a token budget is reached."""

import math
from dataclasses import dataclass
from typing import ClassVar

from vecdecay.parameters import parameter
from vecdecay.policies.system import SystemPolicy, View


@dataclass(frozen=True)
class LangMem(SystemPolicy):
    """Summarise the shortest prefix of the conversation that is long enough and leaves a rest that fits.

    In a pass, messages are counted from the oldest on. The first place at which they come to at least
    ``summarise_from_tokens``, and what is behind them to at most ``capacity_tokens`` - ``max_summary_tokens`` - the
    pinned items (the system prompt), ends the prefix: it is evicted, the message that crosses included. Where there is
    no such place nothing goes, however much is held: a message larger than the rest may be holds all of them until
    others stand behind it.

    Left out: the summary itself, which a language model writes and which is not counted when the next prefix is looked
    for; that tool answers follow their call; the trimming of what the summariser reads. Long-term memories are removed
    by a language model only (``RemoveDoc``); the guide's strength by recency and frequency has no code.

    Source: langchain-ai/langmem @b5dbe4aa, src/langmem/short_term/summarization.py; licence MIT.

    The defaults are those of its guide.

    >>> LangMem(capacity_tokens=8000).max_summary_tokens
    128
    """

    name: ClassVar[str] = "lang_mem"
    summary: ClassVar[str] = "a prefix of the conversation is summarised when the token budget is reached"
    formula: ClassVar[str] = (
        "in the pass, evict the shortest prefix of at least summarise_from_tokens behind which at most "
        "capacity_tokens - max_summary_tokens - pinned tokens are left"
    )
    source: ClassVar[str] = "langchain-ai/langmem @b5dbe4aa, src/langmem/short_term/summarization.py"

    capacity_tokens: float = parameter(
        256.0, at_least=1, unit="tokens", meaning="what the model is to be given at most"
    )
    summarise_from_tokens: float = parameter(
        math.inf, at_least=1, or_infinite=True, unit="tokens", meaning="least that a prefix holds; inf: the capacity"
    )
    max_summary_tokens: int = parameter(128, at_least=0, unit="tokens", meaning="what is kept free for the summary")

    def problems(self) -> list[str]:
        """Refuse a summary that takes the whole budget."""
        if self.max_summary_tokens < self.capacity_tokens:
            return []
        given = f"{self.max_summary_tokens:g} of {self.capacity_tokens:g} capacity_tokens"
        return [f"LangMem.max_summary_tokens is {given}; allowed: fewer than capacity_tokens"]

    def on_pass(self, view: View) -> None:
        """Evict the prefix, if there is one."""
        every = list(view.held.values())
        room = self.capacity_tokens - self.max_summary_tokens - view.pinned_tokens
        least = self.capacity_tokens if self.summarise_from_tokens == math.inf else self.summarise_from_tokens
        left, taken = sum(one.tokens for one in every), 0
        for number, one in enumerate(every, 1):
            taken += one.tokens
            if taken >= least and left - taken <= room:
                for gone in every[:number]:
                    view.drop(gone)
                return
