"""``vecdecay recommend SOURCE``: what to ship, how sure that is, what it costs; then the policies by rank."""

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from vecdecay.commands.compare import asked_for
from vecdecay.commands.screen import Cell, bullets, paragraph, show, show_json, table
from vecdecay.numerals import NOTHING, count, finite, plain, short
from vecdecay.policies.base import Policy
from vecdecay.run.along import free_parameter
from vecdecay.run.paired import Estimate
from vecdecay.run.recommend import Recommendation, recommend
from vecdecay.store.files import write_file

NOTHING_QUALIFIES = 1
MOST_ROWS = 8

_HEADER = ["policy", "set to", "hit rate\n(at least)", "tokens held\n(at most)", "share of\nthe best", "meets it"]
_CAPTION = (
    "figures of the sessions that chose, with the unfavourable ends of the 95 % intervals; share of the best: hits, of "
    "the most that any policy could have with so much held, even if it knew the future"
)


def recommend_command(
    source: str,
    policies: Sequence[str],
    target: float | None,
    budget: float | None,
    seeds: str | None,
    threads: int | None,
    output: Path | None,
    as_json: bool,
) -> int:
    """Print the recommendation and write its file; return the exit code, 1 where nothing qualifies."""
    typed, given = asked_for(source, policies, seeds)
    chosen_from = given if policies or typed.policies else None
    found = recommend(typed.source, chosen_from, target=target, budget=budget, seeds=typed.seeds, threads=threads)
    if output is not None and found.policy is not None:
        write_file(output, found.toml(typed.trace).encode())
    if as_json:
        show_json(_as_data(typed.name, found))
    else:
        half = found.sessions // 2
        opening = f"{typed.name}: {count(found.sessions - half, 'session')} to choose, {half} to confirm"
        show(*paragraph(opening), "")
        # Where every item has the size 1, what is held is items.
        held = "tokens" if typed.source.has_token_sizes else "items"
        show(*bullets(line.replace("tokens", held) for line in answers(found)))
        rows = found.table.to_pylist()
        header = [one.replace("tokens", held) for one in _HEADER]
        more = len(rows) - MOST_ROWS
        left_out = f"{count(more, 'more policy', 'more policies')}; " if more > 0 else ""
        show("", *table(header, [_row(one) for one in rows[:MOST_ROWS]]), "", *paragraph(left_out + _CAPTION))
        if output is not None and found.policy is not None:
            show("", f"the policy is in {output}")
    return NOTHING_QUALIFIES if found.policy is None else 0


def answers(found: Recommendation) -> Iterator[str]:
    """Yield what is recommended, a sentence each."""
    if found.policy is None or found.hit_rate is None or found.mean_tokens is None:
        yield from _refusal(found)
        return
    rate, size = _shown(found.hit_rate, 3), _shown(found.mean_tokens, 2)
    yield f"use {named(found.policy)}: it hits {rate} of the recalls, holding {size} tokens"
    if found.runner_up is not None and found.runner_up_more_tokens is not None:
        more = found.runner_up_more_tokens
        yield f"next comes {named(found.runner_up)}: {_more(more)}"
    if found.next_point_tokens is not None:
        yield f"one point of hit rate more costs {found.next_point_tokens:.2f} tokens"
    if found.flat is not None and found.flat[0] != found.flat[1]:
        low, high = map(plain, found.flat)
        within = "costs at most 5 % more" if found.target is not None else "holds at most 5 % less"
        yield f"any {free_parameter(found.policy)} from {low} to {high} {within}"
    if found.window_does_as_well is not None:
        yield f"a window does as well, within 2 %: {named(found.window_does_as_well)}"


def _refusal(found: Recommendation) -> Iterator[str]:
    best = found.table.to_pylist()[0]
    setting = _setting(best)
    closest = f"{best['policy']}{'' if setting == NOTHING else f' at {setting}'}"
    if best["qualifies"]:
        yield "nothing is recommended: what meets it on the sessions that choose does not on those that confirm"
    elif found.target is not None:
        yield f"nothing qualifies: no policy surely hits {found.target:g} of the recalls; more sessions may show one"
    else:
        yield f"nothing qualifies: no policy surely holds at most {found.budget:g} tokens"
    at_least = short(best["hit_rate_low"])
    yield f"closest comes {closest}: hit rate at least {at_least}, holding {best['mean_tokens']:.2f} tokens"


def named(policy: Policy) -> str:
    """Return a policy with its free parameter, such as ``recency_window with window_size 31``."""
    name = free_parameter(policy)
    return policy.name if name is None else f"{policy.name} with {name} {plain(policy.values()[name])}"


def _more(one: Estimate) -> str:
    if one.low is None or one.high is None or one.covers_zero:
        return "these sessions show no difference in what they hold"
    if one.value < 0:
        return f"it holds {_shown(Estimate(-one.value, -one.high, -one.low), 2)} tokens less"
    return f"it holds {_shown(one, 2)} tokens more"


def _shown(one: Estimate, digits: int) -> str:
    if one.low is None:
        return f"{one.value:.{digits}f}"
    return f"{one.value:.{digits}f} ({one.low:.{digits}f} to {one.high:.{digits}f})"


def _setting(one: dict[str, Any]) -> str:
    return NOTHING if one["parameter"] is None else plain(one["value"])


def _row(one: dict[str, Any]) -> list[Cell]:
    rate: Cell = NOTHING
    if one["hit_rate_low"] is not None:
        rate = (f"{one['hit_rate']:.3f}", f"({one['hit_rate_low']:.3f})")
    size = (f"{one['mean_tokens']:.2f}", f"({one['mean_tokens_high']:.2f})")
    return [one["policy"], _setting(one), rate, size, short(one["share_of_best"]), "yes" if one["qualifies"] else "no"]


def _as_data(name: str, found: Recommendation) -> dict[str, Any]:
    policies = ("policy", "runner_up", "window_does_as_well")
    figures = ("hit_rate", "mean_tokens", "runner_up_more_tokens")
    data = {"source": name, "sessions": found.sessions, "target": found.target, "budget": found.budget}
    for one in policies:
        policy = getattr(found, one)
        data[one] = None if policy is None else {"kind": policy.name, **finite(policy.values())}
    for one in figures:
        estimate = getattr(found, one)
        data[one] = None if estimate is None else estimate._asdict()
    return data | {
        "flat": found.flat,
        "next_point_tokens": found.next_point_tokens,
        "policies": found.table.to_pylist(),
    }
