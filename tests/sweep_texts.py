"""Sweep files for tests: a small sound one to change, and what Hypothesis draws."""

import math
from collections.abc import Mapping
from typing import Any

from hypothesis import strategies as st

from vecdecay.errors import InvalidInputError
from vecdecay.parameters import Described, Parameter
from vecdecay.policies import POLICIES, Ebbinghaus, KeepAll, RecencyWindow
from vecdecay.sessions import WORKLOADS, PublishedSessions
from vecdecay.sweepfile.model import SweepSpec
from vecdecay.sweepfile.overrides import Override
from vecdecay.sweepfile.spec import parse_sweep

AXES = """
[[axis]]
parameter = "ebbinghaus.eviction_threshold"
values = [0.1, 0.2, 0.3]
[[axis]]
parameter = "recency_window.window_size"
range = { from = 10, to = 50, step = 10 }
"""


def sweep_text(
    *, top: str = "schema = 1", sweep: str = "", workload: str = "", curve: str = "", window: str = "", rest: str = ""
) -> str:
    """Return a sound sweep file with two policies; each argument adds lines to one of its tables."""
    return f"""{top}
[sweep]
name = "small"
{"" if "seeds" in sweep else "seeds = 20"}
{sweep}
[workload]
kind = "published_sessions"
{workload}
[[policy]]
kind = "ebbinghaus"
{curve}
[[policy]]
kind = "recency_window"
{window}
{rest}
"""


def parsed(**lines: str) -> SweepSpec:
    """Return the sweep of :func:`sweep_text` with these lines."""
    return parse_sweep(sweep_text(**lines), "small.toml")


def problems(text: str, *overrides: Override) -> list[str]:
    """Return the lines of the error that a text must raise, without the file's name; each must be one line."""
    try:
        parse_sweep(text, "small.toml", overrides)
    except InvalidInputError as error:
        for line in error.problems:
            assert line.isprintable()
            assert len(line) < 1000
        return [line.removeprefix("small.toml: ") for line in error.problems]
    raise AssertionError("the text was accepted")


MANY = 1000
"""No larger integer is drawn, unless the parameter asks for it: sessions have limits of their own."""


def values_of(parameter: Parameter) -> st.SearchStrategy[Any]:
    """Return what a parameter may be, from its own description; integers are small."""
    if parameter.kind == "flag":
        return st.booleans()
    if parameter.kind == "choice":
        return st.sampled_from(parameter.choices)
    low = parameter.at_least if parameter.above is None else parameter.above
    high = parameter.at_most if parameter.below is None else parameter.below
    if parameter.kind == "integer":
        least = math.ceil(low or 0) + (parameter.above is not None)
        return st.integers(least, max(least, min(MANY, math.floor(MANY if high is None else high))))
    exclusive = {"exclude_min": parameter.above is not None, "exclude_max": parameter.below is not None}
    number = st.floats(low, high, allow_nan=False, allow_infinity=False, **exclusive)
    if parameter.kind == "numbers":
        length = parameter.length
        # Rising, since the two ends of a range stand in this order.
        return st.lists(number, min_size=length or 1, max_size=length or 3).map(sorted)
    number |= st.integers(1, MANY).map(parameter.clean).map(int) if _takes_integers(parameter) else st.nothing()
    return number | st.just(math.inf) if parameter.or_infinite else number


def _takes_integers(parameter: Parameter) -> bool:
    try:
        return parameter.clean(1) == 1 and parameter.clean(MANY) == MANY
    except ValueError:
        return False


def is_sound(described: type[Described], values: Mapping[str, Any]) -> bool:
    """Tell whether values that are each allowed go together."""
    try:
        described.build(values)
    except InvalidInputError:
        return False
    return True


def stands_alone(described: type[Described]) -> bool:
    """Tell whether values that are each allowed always go together, so that any of them can lie on an axis."""
    return described is PublishedSessions or not described.may_clash()


FEW_POLICIES = (Ebbinghaus, RecencyWindow, KeepAll)
FEW_VALUES: dict[str, st.SearchStrategy[Any]] = {
    "eviction_threshold": st.sampled_from([0.1, 0.2, 0.3, 0.4]),
    "baseline_stability": st.sampled_from([1, 2.0, 8, 9]),
    "reinforcement_gain": st.sampled_from([0.0, 0.5, 1]),
    "window_size": st.sampled_from([1, 15.0, 16, 17]),
    "noise_per_turn": st.sampled_from([0, 1, 2, 3]),
    "num_foundational": st.sampled_from([0, 1, 3]),
}
"""Some parameters with few values, so that cells coincide."""

SEEDS = (
    st.integers(1, 10**12)
    | st.fixed_dictionaries({"first": st.integers(-(2**80), 2**80), "count": st.integers(1, 10**12)})
    | st.fixed_dictionaries(
        {"list": st.lists(st.integers(-(2**80), 2**80) | st.integers(0, 9), min_size=1, unique=True)}
    )
)
TEXT = st.text(st.characters(exclude_categories=["Cs"]), max_size=30)
LINE = TEXT.filter(str.isprintable)


@st.composite
def sweeps(draw: st.DrawFn, few: bool = False) -> dict[str, Any]:
    """Draw the tables of a sound sweep; with ``few`` values, so that many cells are alike."""
    policies: list[dict[str, Any]] = []
    parameters: list[tuple[str, Parameter]] = []
    for place, kind in enumerate(
        draw(st.lists(st.sampled_from(FEW_POLICIES if few else POLICIES), min_size=1, max_size=4))
    ):
        label = draw(st.sampled_from([f"p{place}", f"{place}-", f"_{place}"]))
        policies.append({"kind": kind.name, "label": label, **draw(_some(kind, few))})
        parameters += _parameters(kind, label, few)
    kind = draw(st.sampled_from((PublishedSessions,) if few else WORKLOADS))
    workload = {"kind": kind.name, **draw(_some(kind, few))}
    parameters += _parameters(kind, "workload", few)
    combine = draw(st.sampled_from(["grid", "zip", "points", "random"]))
    sweep = {"name": draw(st.from_regex(r"[A-Za-z0-9_][A-Za-z0-9_.-]{0,9}", fullmatch=True)), "combine": combine}
    sweep["seeds"] = 20 if few else draw(SEEDS)
    if not few:
        sweep |= draw(_sweep_options())
    needed = combine in ("points", "random")
    if not parameters:
        sweep["combine"] = combine = "grid"
    chosen = draw(st.lists(st.sampled_from(parameters or [None]), unique=True, min_size=needed, max_size=3))
    chosen = chosen if parameters else []
    raw = {"schema": 1, "sweep": sweep, "workload": workload, "policy": policies}
    if combine == "points":
        points = draw(st.lists(_some_of(chosen, few), min_size=1, max_size=6))
        if not any(points):
            points[0] = {chosen[0][0]: draw(_values(chosen[0][1], few))}
        return raw | {"point": points}
    if combine == "random":
        sweep |= {"random_points": draw(st.integers(1, 8)), "random_seed": draw(st.integers(-9, 9))}
    length = draw(st.integers(1, 4)) if combine == "zip" else None
    raw["axis"] = [draw(_axis(name, one, length, few)) for name, one in chosen]
    return raw


def _values(parameter: Parameter, few: bool) -> st.SearchStrategy[Any]:
    return FEW_VALUES[parameter.name] if few else values_of(parameter)


def _parameters(described: type[Described], label: str, few: bool) -> list[tuple[str, Parameter]]:
    if not stands_alone(described):
        return []
    return [(f"{label}.{one.name}", one) for one in described.parameters() if not few or one.name in FEW_VALUES]


def _some(described: type[Described], few: bool) -> st.SearchStrategy[dict[str, Any]]:
    own = [one for one in described.parameters() if not few or one.name in FEW_VALUES]
    drawn = st.fixed_dictionaries({}, optional={one.name: _values(one, few) for one in own})
    return drawn.map(lambda values: values if is_sound(described, values) else {})


def _some_of(chosen: list[tuple[str, Parameter]], few: bool) -> st.SearchStrategy[dict[str, Any]]:
    return st.fixed_dictionaries({}, optional={name: _values(one, few) for name, one in chosen})


def _sweep_options() -> st.SearchStrategy[dict[str, Any]]:
    return st.fixed_dictionaries(
        {},
        optional={
            "title": LINE,
            "note": TEXT,
            "detail": st.sampled_from(["cells", "sessions", "items", "turns"]),
            "engine": st.sampled_from(["auto", "horizon", "lockstep", "reference"]),
            "checkpoints": st.lists(st.integers(1, 2**31 - 1), max_size=4),
            "metrics": st.lists(st.sampled_from(["misses", "survival_time"]), unique=True),
        },
    )


@st.composite
def _axis(draw: st.DrawFn, name: str, parameter: Parameter, length: int | None, few: bool) -> dict[str, Any]:
    forms = ["values"]
    if parameter.name in ("eviction_threshold", "baseline_stability", "window_size"):
        forms += ["linspace", "logspace"]
    if parameter.name in ("window_size", "noise_per_turn", "session_length"):
        forms.append("range")
    form = draw(st.sampled_from(forms))
    count = length or draw(st.integers(1, 4))
    if form == "range":
        first, step = draw(st.integers(1, 5)), draw(st.integers(1, 3))
        return {"parameter": name, "range": {"from": first, "to": first + step * (count - 1), "step": step}}
    if form != "values":
        ends = draw(st.sampled_from([(0.1, 0.4), (0.4, 0.1), (0.2, 0.3)]))
        return {"parameter": name, form: {"from": ends[0], "to": ends[count > 1], "count": count}}
    several = draw(st.lists(_values(parameter, few), min_size=length or 1, max_size=length or 3))
    if not length:  # a grid wants each value once, in the type of the parameter
        several = list({repr(_cleaned(parameter, value)): value for value in several}.values())
    return {"parameter": name, "values": several}


def _cleaned(parameter: Parameter, value: Any) -> Any:
    cleaned = parameter.clean(value)
    several = cleaned if parameter.kind == "numbers" else [cleaned]
    return [one + 0.0 if isinstance(one, float) else one for one in several]  # 0.0 and -0.0 are one value
