"""LightMem: a sensory buffer in front of a short-term one, each flushed when the next message does not fit."""

from dataclasses import dataclass
from typing import ClassVar

from vecdecay.parameters import parameter
from vecdecay.policies.system import Held, SystemPolicy, View

_SENSORY, _SHORT = 0, 1


@dataclass(frozen=True)
class LightMem(SystemPolicy):
    """Two buffers of messages in a row; what leaves the second was turned into memories and is evicted.

    A message that does not fit into the sensory buffer sends its whole content, as one segment, to the short-term
    buffer; one that is larger than the buffer follows as a segment of its own. A segment that does not fit into the
    short-term buffer empties that first, and is put in whatever its size.

    The source's program builds the short-term buffer with 512 tokens; the class's own default is 2,000. Left out: the
    cut of the sensory buffer where the topic changes (by embeddings; what is behind the cut stays there), the
    compression of messages, that only what a user says is counted, and the long-term memories, which a language model
    writes, updates and deletes, in an order that its threads decide: the older of two entries, where the newer one is
    among its ten nearest with a similarity of 0.9.

    Source: zjunlp/LightMem @8fc9a917, src/lightmem/factory/memory_buffer/sensory_memory.py, short_term_memory.py,
    src/lightmem/memory/lightmem.py; licence MIT.

    >>> LightMem(short_term_tokens=2000).sensory_tokens
    512
    """

    name: ClassVar[str] = "light_mem"
    summary: ClassVar[str] = "a sensory and a short-term buffer, each flushed when the next message does not fit"
    formula: ClassVar[str] = (
        "at an insertion, evict the whole short-term buffer where the content of the sensory one, which is full, does "
        "not fit behind it"
    )
    source: ClassVar[str] = "zjunlp/LightMem @8fc9a917, src/lightmem/factory/memory_buffer/"

    sensory_tokens: int = parameter(512, at_least=1, unit="tokens", meaning="most tokens in the sensory buffer")
    short_term_tokens: int = parameter(512, at_least=1, unit="tokens", meaning="most tokens in the short-term buffer")

    def on_insert(self, view: View, new: Held) -> None:
        """Make room in the sensory buffer."""
        sensory = [one for one in view.tier(_SENSORY) if one is not new]
        if _tokens(sensory) + new.tokens <= self.sensory_tokens:
            return
        self._pass_on(view, sensory)
        if new.tokens > self.sensory_tokens:
            self._pass_on(view, [new])

    def _pass_on(self, view: View, segment: list[Held]) -> None:
        held = view.tier(_SHORT)
        if _tokens(held) + _tokens(segment) > self.short_term_tokens:
            for one in held:
                view.drop(one)
        for one in segment:
            view.move(one, _SHORT)


def _tokens(held: list[Held]) -> int:
    return sum(one.tokens for one in held)
