"""What ``vecdecay explain`` tells of a policy in figures: horizons, half-lives, a worked example."""

from vecdecay.commands.numerals import plain
from vecdecay.commands.screen import NOTHING, paragraph, table
from vecdecay.engines.horizon import IMMORTAL, horizon_of
from vecdecay.policies.base import TablePolicy

MOST_RECALLS = 6

_HALF = 0.5
_BISECTIONS = 60


def horizon_lines(policy: TablePolicy) -> list[str]:
    """Return the table of horizons after 0 … 6 recalls, with stability and half-life; nothing if there is no horizon."""
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
    header = ["recalls", "stability\n(turns)", "half-life\n(turns)", "retention at\nmost 0.5 from age", "evicted\nat age"]
    title = "Horizons with the defaults: how long an item outlives its last touch."
    return ["", title, "", *(f"  {line}" for line in table(header, rows))]


def half_life(policy: TablePolicy, recall_count: int) -> tuple[float | None, int]:
    """Return the age at which retention is 0.5, and the first whole age at which it is 0.5 or less, in turns.

    The first is None where retention jumps (a window) or never falls that low, the second then IMMORTAL.

    >>> from vecdecay.policies import Ebbinghaus
    >>> half_life(Ebbinghaus(), recall_count=1)
    (5.545177444479562, 6)
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
    if policy.stability(recall_count) is None:
        return None, whole
    return _between(policy, recall_count, float(low), float(whole)), whole


def _between(policy: TablePolicy, recall_count: int, low: float, high: float) -> float:
    """Halve the interval until nothing is left of it; a decay law is a formula, so it takes fractions of a turn too."""
    for _ in range(_BISECTIONS):
        middle = (low + high) / 2
        if policy.retention(middle, recall_count) > _HALF:  # type: ignore[arg-type]
            low = middle
        else:
            high = middle
    return high


def example_lines(policy: TablePolicy) -> list[str]:
    """Return a worked example: one item that is never recalled, and the same item recalled once."""
    horizon, rescued = horizon_of(policy, 1), horizon_of(policy, 2)
    if horizon >= IMMORTAL:
        return paragraph("An item registered in turn 1 is there in every later turn.", "  ")
    recall_turn = 1 + horizon
    never = (
        f"An item registered in turn 1 and never recalled is there after the pass of turn {horizon}, at age {horizon - 1} "
        f"(retention {_score(policy, horizon - 1, 1)}), and evicted by the pass of turn {1 + horizon}, at age {horizon} "
        f"(retention {_score(policy, horizon, 1)})."
    )
    end = "never evicted again" if rescued >= IMMORTAL else f"evicted in turn {recall_turn + rescued}"
    once = f"Recalled in that very turn {recall_turn}, it is rescued, for recalls come before the pass: it is then {end}."
    return paragraph(never, "  ") + paragraph(once, "  ")


def _score(policy: TablePolicy, age: int, recall_count: int) -> str:
    score = policy.retention(age, recall_count)
    return plain(score) if score in (0.0, 1.0) else f"{score:.4f}"


def _turns(number: int) -> str:
    return NOTHING if number >= IMMORTAL else str(number)
