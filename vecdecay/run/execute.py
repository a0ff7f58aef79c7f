"""Executes a plan: its parts are played wherever an executor plays them, and what comes of them goes into a sink."""

import time
from collections import deque
from collections.abc import Collection, Iterable
from concurrent.futures import Executor, Future
from contextlib import suppress
from itertools import islice
from queue import Empty, SimpleQueue
from typing import Any, Protocol, TypeVar

from vecdecay.run.parts import Part
from vecdecay.run.plan import Plan
from vecdecay.run.play import Played, Stop, play_part

PARTS_AHEAD = 4
"""Parts per thread that are submitted and not entered; more would only make memory grow with the sweep."""

_PATIENCE_SECONDS = 1.2  # for running parts to give up when the run is asked to end

Receipt = TypeVar("Receipt")


class Sink(Protocol[Receipt]):
    """Takes what came of the parts. It is sent to where parts are played, by pickling where that is another process."""

    def write(self, plan: Plan, part: Part, played: Played) -> Receipt:
        """Write what came of a part, where it was played, and return what is to be known of that."""

    def enter(self, receipt: Receipt) -> None:
        """Take note of a part that was written: in the thread of the caller, in the order of the parts."""


class Here(Executor):
    """Plays each part at once, in the thread that submits it."""

    def submit(self, function: Any, /, *arguments: Any, **options: Any) -> Future[Any]:
        """Do the task, and return what came of it."""
        future: Future[Any] = Future()
        try:
            future.set_result(function(*arguments, **options))
        except Exception as error:
            future.set_exception(error)
        return future


def play_and_write(plan: Plan, part: Part, sink: Sink[Receipt], stop: Stop) -> Receipt:
    """Play a part and write it: the task that an executor is given."""
    return sink.write(plan, part, play_part(plan, part, stop))


def execute(
    plan: Plan,
    parts: Iterable[Part],
    sink: Sink[Receipt],
    executor: Executor,
    ahead: int,
    beside: Collection[Future[Any]] = (),
) -> None:
    """Play parts of a plan into a sink, at most ``ahead`` of them at a time, and enter them in their order.

    What a part raises, or one of the futures that run ``beside``, ends it all: parts that have not begun never do.
    """
    stop = Stop()
    upcoming = iter(parts)
    order: deque[Future[Receipt]] = deque()
    # Not concurrent.futures.wait, which an interrupt can leave with locks that others fail to release.
    done: SimpleQueue[Future[Any]] = SimpleQueue()
    running = 0
    try:
        for one in beside:
            running += 1
            one.add_done_callback(done.put)
        while True:
            for part in islice(upcoming, ahead - len(order)):
                order.append(executor.submit(play_and_write, plan, part, sink, stop))
                running += 1
                order[-1].add_done_callback(done.put)
            if running == 0:
                break
            finished = done.get()
            running -= 1
            while order and order[0].done() and order[0].exception() is None:
                sink.enter(order.popleft().result())
            finished.result()
    except BaseException:
        stop.is_set = True
        for one in (*order, *beside):
            one.cancel()
        until = time.monotonic() + _PATIENCE_SECONDS
        with suppress(Empty):
            for _ in range(running):
                done.get(timeout=min(_PATIENCE_SECONDS, max(0.0, until - time.monotonic())))
        raise
