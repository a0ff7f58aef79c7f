"""What ``vecdecay explain`` tells of a policy in figures: horizons, half-lives, a worked example."""

from vecdecay.commands.numerals import plain
from vecdecay.commands.screen import NOTHING, paragraph, table
from vecdecay.engines.horizon import IMMORTAL, horizon_of
from vecdecay.policies.base import TablePolicy
from vecdecay.policies.curves import UNITS, age_per_unit, survival_table
from vecdecay.policies.rules import PLAIN_RULES

MOST_RECALLS = 6

_HALF = 0.5
_BISECTIONS = 60
_JUMP = 0.01


def horizon_lines(policy: TablePolicy) -> list[str]:
    """Return the table of horizons after 0 … 6 recalls, with stability and half-life; nothing without a horizon."""
    if horizon_of(policy, 1) >= IMMORTAL:
        return []
    rows = []
    for recalls in range(MOST_RECALLS + 1):
        recall_count = recalls + 1
        stability = policy.stability(recall_count)
        exact, whole = half_life(policy, recall_count)
        rows.append(
            [
                str(recalls),
                NOTHING if stability is None else f"{stability:.2f}",
                NOTHING if exact is None else f"{exact:.2f}",
                _turns(whole),
                _turns(horizon_of(policy, recall_count)),
            ]
        )
    header = ["recalls", "stability\n(turns)", "half-life\n(turns)", "retention at\nmost 0.5 from age"]
    header.append("evicted\nat age")
    title = "Horizons with the defaults: how long an item outlives its last touch."
    return ["", title, "", *(f"  {line}" for line in table(header, rows))]


def survival_lines(policy: TablePolicy) -> list[str]:
    """Return the table of half-lives and of what is left after 1, 7, 30 and 90 of the policy's own units."""
    unit, per_unit = policy.time_unit, age_per_unit(policy)
    rows = []
    for survival in survival_table(policy, MOST_RECALLS):
        exact, _ = half_life(policy, survival.recall_count)
        scores = [
            _shown_score(score) if kept else f"({_shown_score(score)})"
            for score, kept in zip(survival.scores, survival.kept, strict=True)
        ]
        half = NOTHING if exact is None else f"{exact / per_unit:.2f}"
        rows.append([str(survival.recall_count - 1), half, *scores])
    header = ["recalls", f"half-life\n({unit}s)", *(f"{units}\n{unit}{'s' * (units > 1)}" for units in UNITS)]
    title = "Retention after so long without a touch; in brackets where it is due for eviction."
    return ["", *paragraph(title), "", *(f"  {line}" for line in table(header, rows))]


def _shown_score(score: float) -> str:
    """Return three digits, and never those of 0 or 1 for what is neither."""
    if 0.0 < score < 0.0005:
        return "<0.001"
    return ">0.999" if 0.9995 <= score < 1.0 else f"{score:.3f}"


def half_life(policy: TablePolicy, recall_count: int) -> tuple[float | None, int]:
    """Return the age at which retention is 0.5, and the first whole age at which it is 0.5 or less, in turns.

    The first is None where retention jumps past 0.5 (a window) or never falls so low; the second is then IMMORTAL.

    >>> from vecdecay.policies import Ebbinghaus, RecencyWindow
    >>> half_life(Ebbinghaus(), recall_count=1), half_life(RecencyWindow(), recall_count=1)
    ((5.545177444479562, 6), (None, 16))
    """
    whole = 1
    while whole < IMMORTAL and policy.retention(whole, recall_count) > _HALF:
        whole *= 2
    if whole >= IMMORTAL:
        return None, IMMORTAL
    low = whole // 2
    while whole - low > 1:
        middle = (low + whole) // 2
        low, whole = (middle, whole) if policy.retention(middle, recall_count) > _HALF else (low, middle)
    return _crossing(policy, recall_count, whole), whole


def _crossing(policy: TablePolicy, recall_count: int, whole: int) -> float | None:
    """Return where retention passes 0.5 in the turn before ``whole``; None if it jumps there.

    A decay law is a formula and takes fractions of a turn too, though nothing but its half-life ever asks for them.
    """
    above, below = whole - 1.0, float(whole)
    try:
        for _ in range(_BISECTIONS):
            middle = (above + below) / 2
            if policy.retention(middle, recall_count) > _HALF:  # type: ignore[arg-type]
                above = middle
            else:
                below = middle
        left, right = policy.retention(above, recall_count), policy.retention(below, recall_count)  # type: ignore[arg-type]
    except Exception:  # a law of a person's own may take whole ages only
        return None
    return below if left - right < _JUMP else None


def example_lines(policy: TablePolicy) -> list[str]:
    """Return a worked example: an item that is never recalled and, under the plain rules, the same item rescued."""
    horizon, rescued = horizon_of(policy, 1), horizon_of(policy, 2)
    if horizon >= IMMORTAL:
        return paragraph("An item registered in turn 1 is there in every later turn.", "  ")
    before, after = _score(policy, horizon - 1, 1), _score(policy, horizon, 1)
    if policy.rules() != PLAIN_RULES:
        text = f"At age {horizon - 1} an item that was never recalled scores {before} and stays; at age {horizon} it "
        return paragraph(f"{text}scores {after} and is due for eviction.", "  ")
    turn = 1 + horizon
    never = (
        f"An item registered in turn 1 and never recalled is there after the pass of turn {horizon}, at age "
        f"{horizon - 1} (retention {before}), and evicted by the pass of turn {turn}, at age {horizon} "
        f"(retention {after})."
    )
    end = "never evicted" if rescued >= IMMORTAL else f"evicted in turn {turn + rescued}"
    once = (
        f"Recalled in that very turn {turn}, it is rescued, for recalls come before the pass, and {end} if it is not "
        "recalled again."
    )
    return paragraph(never, "  ") + paragraph(once, "  ")


def _score(policy: TablePolicy, age: int, recall_count: int) -> str:
    score = policy.retention(age, recall_count)
    return plain(score) if score in (0.0, 1.0) else f"{score:.4f}"


def _turns(number: int) -> str:
    return NOTHING if number >= IMMORTAL else str(number)
