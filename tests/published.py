"""The published engine's figures: golden lines, published names of items and events, and the order of a digest."""

import gzip
import hashlib
import json
from collections.abc import Iterable
from functools import cache
from pathlib import Path
from typing import Any

from vecdecay.engines.reference import engine_for, run
from vecdecay.policies import Ebbinghaus, RecencyWindow, TablePolicy
from vecdecay.sessions import PublishedSessions
from vecdecay.sessions.session import FOUNDATIONAL, RECALL, REGISTER, Session

GOLDEN = Path(__file__).parent / "golden"

PublishedEvent = tuple[int, str, str, bool]


@cache
def golden(name: str) -> tuple[dict[str, Any], ...]:
    """Return the lines of a golden file, "sessions" or "operations"."""
    with gzip.open(GOLDEN / f"{name}.jsonl.gz", "rt", encoding="utf-8") as lines:
        return tuple(json.loads(line) for line in lines)


def policy_of(line: dict[str, Any]) -> TablePolicy:
    """Return the policy that a golden line was recorded under."""
    parameters = dict(line["policy"])
    return {"ebbinghaus": Ebbinghaus, "recency_window": RecencyWindow}[parameters.pop("policy")](**parameters)


def workload_of(line: dict[str, Any]) -> tuple[PublishedSessions, int]:
    """Return the workload of a golden session and its seed."""
    parameters = dict(line["session"])
    seed = parameters.pop("seed")
    return PublishedSessions(**parameters), seed


def default_checkpoints(session_length: int) -> list[int]:
    """Return the turns at which the published engine looks: every tenth, and the last."""
    return sorted({*range(10, session_length + 1, 10), session_length})


def digest16(value: Any) -> str:
    """Return the first 16 digits of the SHA-256 of a value's JSON."""
    return hashlib.sha256(json.dumps(value).encode()).hexdigest()[:16]


def published_names(session: Session) -> list[str]:
    """Return the published name of every item: foundational_0, …, and noise_TURN_COUNTER."""
    registered = {item: turn for turn, kind, item in reversed(session.events) if kind == REGISTER}
    facts = session.foundational_items()
    names = {item: f"foundational_{number}" for number, item in enumerate(facts)}
    noise = (item for item in range(len(session.item_kinds)) if item not in names)
    names |= {item: f"noise_{registered[item]}_{number}" for number, item in enumerate(noise)}
    return [names[item] for item in range(len(session.item_kinds))]


def published_events(session: Session) -> list[PublishedEvent]:
    """Return the events as the published generator lists them: turn, kind, name, whether foundational."""
    names = published_names(session)
    return [
        (turn, "recall" if kind == RECALL else "register", names[item], session.item_kinds[item] == FOUNDATIONAL)
        for turn, kind, item in session.events
    ]


def events_digest(sessions: Iterable[Session]) -> str:
    """Return the SHA-256 over the printed event lists, one session after the other."""
    digest = hashlib.sha256()
    for session in sessions:
        digest.update(repr(published_events(session)).encode())
    return digest.hexdigest()


def runs_digest(sessions: Iterable[Session], policy: TablePolicy) -> str:
    """Return the SHA-256 over the printed eviction log, working-set sizes and recall rates of scalar runs."""
    digest = hashlib.sha256()
    for session in sessions:
        engine = engine_for(policy)
        trace = run(engine, session)
        names = published_names(session)
        evictions = sorted((names[item], turn) for item, turn in engine.eviction_log.items())
        facts = len(session.foundational_items())
        rates = [
            (turn, trace.foundational_present[turn - 1] / facts)
            for turn in default_checkpoints(len(trace.working_set_sizes))
        ]
        digest.update(repr((evictions, trace.working_set_sizes, rates)).encode())
    return digest.hexdigest()
