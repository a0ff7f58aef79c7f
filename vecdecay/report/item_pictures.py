"""Pictures of items: how a policy lets go of one, which ones survive, and the life of a single one."""

import math
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa

from vecdecay.engines.life import Life, life_of
from vecdecay.engines.lives import EVERY_TURN, FIRST_TURN, Known, ages_after, score_at, scores
from vecdecay.errors import InvalidInputError
from vecdecay.numerals import count
from vecdecay.policies.base import Policy, TablePolicy
from vecdecay.policies.stateful import HazardPolicy, StatefulPolicy, functions_of
from vecdecay.report.study import Study
from vecdecay.report.style import (
    INK,
    LINE,
    MUTED,
    Caption,
    Label,
    colour,
    dashes,
    dress,
    label_at_the_right,
    plain_numbers,
    short_text,
)
from vecdecay.run.played import CellRow

if TYPE_CHECKING:
    from matplotlib.axes import Axes

RECALLS_SHOWN = (0, 1, 2, 4)
_LONGEST, _LONGEST_BY_TURN = 100_000, 2_000
_POINTS = 160


def draw_retention(ax: "Axes", policy: Policy, label: str | None = None) -> Caption:
    """Draw the retention of an item after 0, 1, 2 and 4 recalls against its age, and the age at which it is evicted."""
    if not isinstance(policy, TablePolicy | StatefulPolicy):
        raise InvalidInputError([f"{policy.name} has no retention to draw; its order of victims decides"])
    known: Known = policy
    touches = _touches(known)
    title = f"{label or policy.name}: retention of an item that is not touched any more"
    gone = [ages_after(known, one).gone for one in touches]
    longest = _LONGEST_BY_TURN if _by_turn(known) else _LONGEST
    reached = [age for age in gone if age is not None and age <= longest]
    end = min(longest, math.ceil(1.3 * max(reached, default=100)) + 2)
    wide = bool(reached) and end > 12 * (min(reached) + 1)
    labels: list[Label] = []
    curves = [_curve(known, one, end) for one in touches]
    distinct = [place for place, curve in enumerate(curves) if curve not in curves[:place]]
    for place in distinct:
        ages, values = curves[place]
        shade = colour(place)
        ax.plot(ages, values, color=shade, linewidth=1.5)
        at = gone[place]
        if at is not None and at <= end:
            before = next((value for age, value in zip(ages, values, strict=True) if age >= at), values[-1])
            ax.plot([at], [before], marker="o", color=shade, markersize=5)
        labels.append(Label(end, values[-1], _recalls_text(place, len(distinct), at, policy), shade))
    threshold = policy.threshold() if isinstance(policy, TablePolicy | StatefulPolicy) else None
    if threshold is not None and not isinstance(policy, HazardPolicy):
        ax.axhline(threshold, color=MUTED, linewidth=0.9, linestyle=(0, (4, 3)))
        ax.annotate(
            f"evicted below {threshold:.3g}", (0, threshold), (3, -4), va="top", xycoords=("axes fraction", "data"),
            textcoords="offset points", color=MUTED, fontsize=9,
        )  # fmt: skip
    what = "share of items still there" if isinstance(policy, HazardPolicy) else "retention"
    dress(ax, f"age ({_age_unit(policy)}s since the last touch)", what)
    plain_numbers(ax, "x", wide)
    ax.set_xlim(1 if wide else 0, end)
    ax.set_ylim(-0.03, 1.03)
    label_at_the_right(ax, labels)
    return Caption(title, _retention_message(known, gone))


def _touches(policy: Known) -> list[list[int]]:
    step = 0 if isinstance(policy, TablePolicy) else 1
    return [[FIRST_TURN + step * number for number in range(recalls + 1)] for recalls in RECALLS_SHOWN]


def _by_turn(policy: Known) -> bool:
    if isinstance(policy, HazardPolicy):
        return True
    return isinstance(policy, StatefulPolicy) and functions_of(type(policy)).on_turn is not None


def _curve(policy: Known, touches: Sequence[int], end: int) -> tuple[list[int], list[float]]:
    """Return ages from 0 to ``end`` and the score at each; of what goes at random, the share of items left."""
    if _by_turn(policy):
        values = [score for _, score in zip(range(end + 1), scores(policy, touches), strict=False)]  # type: ignore[arg-type]
        if isinstance(policy, HazardPolicy):
            period = policy.period_turns()
            chances = [value if (touches[-1] + age) % period == 0 else 1.0 for age, value in enumerate(values)]
            values = np.cumprod(chances).tolist()
        return list(range(len(values))), values
    finite = ages_after(policy, touches).gone
    close = [] if finite is None else [finite - 1, finite]  # where a window drops to 0 in one step
    even = np.unique(np.concatenate([np.linspace(0, end, _POINTS), np.geomspace(1, end, _POINTS)]).astype(int))
    ages = sorted({*even.tolist(), *(age for age in close if 0 <= age <= end)})
    return ages, [score_at(policy, touches, age) for age in ages]


def _recalls_text(place: int, of: int, gone: int | None, policy: Policy) -> str:
    recalls = RECALLS_SHOWN[place]
    name = "any recalls" if of == 1 else f"{recalls} recall{'s' * (recalls != 1)}"
    unit = _age_unit(policy)
    return f"{name}: never gone" if gone is None else f"{name}: {gone:,} {unit}s"


def _age_unit(policy: Policy) -> str:
    whole_units = isinstance(policy, TablePolicy) and policy.rules().unit_turns != 1
    return policy.time_unit if whole_units else "turn"


def _retention_message(policy: Known, gone: Sequence[int | None]) -> str:
    unit = _age_unit(policy)
    rhythm = "" if isinstance(policy, TablePolicy) else f" (recalled {EVERY_TURN})"
    if isinstance(policy, HazardPolicy):
        return f"it drops items at random; the point is where 95 % are gone{rhythm}"
    if all(age is None for age in gone):
        return "it never evicts an item by its age"
    if len(set(gone)) == 1:
        return f"recalls make no difference: {gone[0]:,} {unit}s after its last touch an item is evicted"
    texts = ["never" if age is None else f"{age:,}" for age in gone]
    return (
        f"after {', '.join(map(str, RECALLS_SHOWN))} recalls{rhythm} an item is evicted at age "
        f"{', '.join(texts)} {unit}s (points)"
    )


def draw_survival(ax: "Axes", study: Study, rows: Sequence[CellRow]) -> Caption:
    """Draw which share of the items is in memory at the end, by their rank of use in the session."""
    number, tables = study.sample(rows)
    labels, shares = [], []
    longest = 1
    for row, table in zip(rows, tables, strict=True):
        ranks, share = survival_by_rank(table)
        shares.append(share.tolist())
        longest = max(longest, len(ranks))
        place = row.cell.policy_index
        ax.plot(ranks, share, color=colour(place), linestyle=dashes(place), linewidth=1.5, drawstyle="steps-mid")
        labels.append(Label(float(ranks[-1]) if len(ranks) else 1.0, float(share[-1]) if len(share) else 0.0,
                            study.brief_name(row), colour(place)))  # fmt: skip
    dress(ax, "rank of use (1: recalled most)", "in memory at the end (share)")
    plain_numbers(ax, "x", longest > 30)
    ax.set_xlim(1 if longest > 30 else 0.5, max(longest, 2))
    ax.set_ylim(-0.03, 1.03)
    label_at_the_right(ax, labels)
    over = f"over the first {number:,} sessions" if number < len(study.plan.spec.seeds) else f"over {number:,} sessions"
    title = "which items survive, by how much they are used"
    if len(shares) > 1 and all(one == shares[0] for one in shares):
        return Caption(title, f"no difference: the same items survive under each policy, {over}")
    return Caption(title, f"items used equally often share their ranks; {over}")


def survival_by_rank(items: pa.Table) -> tuple[Any, Any]:
    """Return ranks (rank,) from 1 and the share of sessions in which the item of that rank is there at the end.

    An item ranks by the recalls that asked for it, found or not, so the order is the same under every policy. Items of
    a session that are recalled equally often share the mean of their ranks' places.
    """
    _, session = np.unique(items["seed"].to_numpy(zero_copy_only=False), return_inverse=True)
    uses = items["hits"].to_numpy().astype(np.int64) + items["misses"].to_numpy()
    present = items["present"].to_numpy(zero_copy_only=False).astype(np.float64)
    order = np.lexsort((-uses, session))
    session, uses, present = session[order], uses[order], present[order]
    group = np.cumsum(np.r_[True, (session[1:] != session[:-1]) | (uses[1:] != uses[:-1])][: len(order)]) - 1
    mean = np.bincount(group, weights=present) / np.bincount(group)
    rank = np.arange(len(order)) - np.searchsorted(session, session)
    counts = np.bincount(rank)
    return np.arange(1, len(counts) + 1), np.bincount(rank, weights=mean[group]) / counts


def lost_item(study: Study, rows: Sequence[CellRow]) -> tuple[int, int] | None:
    """Return place of a sampled session and an item there that was lost and then asked for; None where none was.

    The first is chosen for which the policies differ, else the first of all.
    """
    _, tables = study.sample(rows)
    missed = [table["misses"].to_numpy() for table in tables]
    keys = tables[0]["seed"].to_numpy(zero_copy_only=False), tables[0]["item"].to_numpy()
    lost = np.array([one > 0 for one in missed])
    hits = [table["hits"].to_numpy() > 0 for table in tables]
    # An item that some policy found and another did not tells most; one that was found before it was lost, more.
    for wanted in (lost.any(axis=0) & ~lost.all(axis=0) & np.array(hits).any(axis=0), lost.any(axis=0)):
        places = np.flatnonzero(wanted)
        if len(places):
            seed, item = (one.tolist()[places[0]] for one in keys)
            return list(dict.fromkeys(keys[0].tolist())).index(seed), item
    return None


_MARKS = {"registered": "^", "recalled": "o", "missed": "x", "forgotten": "s", "evicted": "v"}
_LEGEND = "△ registered, ● recalled, × recall that failed, ▼ evicted, ■ forgotten"


def draw_life(ax: "Axes", study: Study, rows: Sequence[CellRow], place: int, item: int) -> Caption:
    """Draw what became of one item of a session under some policies: a strip each, of its retention over the turns."""
    seed = study.plan.spec.seeds[place]
    workload = rows[0].cell.workload
    session = workload.session(seed)
    lives = [life_of(session, item, row.cell.policy, workload.relearns) for row in rows]
    for strip, life in enumerate(lives):
        base = len(rows) - 1 - strip
        shade = colour(rows[strip].cell.policy_index)
        ax.axhline(base, color=LINE, linewidth=0.8, zorder=0)
        for turns, values in _stretches(life):
            ax.fill_between(turns, base, [base + 0.68 * value for value in values], color=shade, alpha=0.3, linewidth=0)
            ax.plot(turns, [base + 0.68 * value for value in values], color=shade, linewidth=1.3)
        for turn, what in life.marks:
            hollow = what in ("missed", "registered")
            ax.plot([turn], [base], marker=_MARKS[what], color=INK if what in ("missed", "evicted") else shade,
                    markersize=6, markerfacecolor="none" if hollow else None, clip_on=False, zorder=4)  # fmt: skip
    names = [study.name(row) for row in rows]
    ax.set_yticks([len(rows) - 1 - strip + 0.3 for strip in range(len(rows))], [_two_lines(name) for name in names])
    dress(ax, "turn", "", None)
    ax.spines["left"].set_visible(False)
    ax.tick_params(axis="y", length=0)
    ax.set_ylim(-0.25, len(rows) - 0.05)
    ax.set_xlim(0, session.session_length + 1)
    plain_numbers(ax, "x", logarithmic=False)
    return Caption(f"the life of item {item} of session {seed}", _life_message(names, lives))


def _two_lines(name: str) -> str:
    label, bracket, rest = name.partition(" (")
    return short_text(label, 20) + (f"\n{short_text(rest.removesuffix(')'), 20)}" if bracket else "")


def _stretches(life: Life) -> Iterator[tuple[list[int], list[float]]]:
    """Yield the stretches of turns in which the item was there, without a gap."""
    turns: list[int] = []
    values: list[float] = []
    for turn, value in zip(life.turns, life.before or [1.0] * len(life.turns), strict=True):  # a cache has no score
        if turns and turn != turns[-1] + 1:
            yield turns, values
            turns, values = [], []
        turns.append(turn)
        values.append(value)
    if turns:
        yield turns, values


def _life_message(names: Sequence[str], lives: Sequence[Life]) -> str:
    texts = []
    for name, life in zip(names, lives, strict=True):
        evicted = [turn for turn, what in life.marks if what == "evicted"]
        missed = [turn for turn, what in life.marks if what == "missed"]
        if not evicted and not missed:
            texts.append(f"{name} kept it")
            continue
        gone = f"evicted it in turn {evicted[0]:,}" if evicted else "did not have it"
        failed = f", and {count(len(missed), 'recall')} failed from turn {missed[0]:,} on" if missed else ""
        texts.append(f"{name} {gone}{failed}")
    if len(lives) > 1 and all(one.marks == lives[0].marks for one in lives):
        same = texts[0].removeprefix(names[0]).strip()
        return f"no difference between the policies: each {same} ({_LEGEND})"
    return f"{'; '.join(texts)} ({_LEGEND})"
