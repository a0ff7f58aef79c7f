"""Sweep files for tests: a small sound one to change, and what Hypothesis draws."""

from collections.abc import Mapping
from typing import Any

from hypothesis import strategies as st

from vecdecay.errors import InvalidInputError
from vecdecay.policies import POLICIES
from vecdecay.sessions import WORKLOADS
from vecdecay.sweep.definition import SweepSpec
from vecdecay.sweep.overrides import Override
from vecdecay.sweep.spec import parse_sweep
from vecdecay.sweep.toml_text import toml_key, toml_value

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


def written(raw: Mapping[str, Any]) -> str:
    """Return tables as a file."""
    lines = [f"{key} = {toml_value(value)}" for key, value in raw.items() if not _is_table(value)]
    for key, value in raw.items():
        tables = [value] if isinstance(value, dict) else value if _is_table(value) else []
        for table in tables:
            lines.append(f"[{key}]" if isinstance(value, dict) else f"[[{key}]]")
            lines.extend(f"{toml_key(name)} = {toml_value(one)}" for name, one in table.items())
    return "\n".join(lines) + "\n"


def _is_table(value: Any) -> bool:
    return isinstance(value, dict) or (isinstance(value, list) and all(isinstance(one, dict) for one in value))


VALUES: dict[str, st.SearchStrategy[Any]] = {
    "eviction_threshold": st.floats(0, 1, exclude_min=True, exclude_max=True),
    "baseline_stability": st.floats(0, 1e9, exclude_min=True) | st.integers(1, 10**15),
    "reinforcement_gain": st.floats(0, 10) | st.just(-0.0),
    "window_size": st.integers(1, 60) | st.floats(0, 1e300, exclude_min=True),
    "session_length": st.integers(1, 10**8),
    "num_foundational": st.integers(0, 9),
    "recalls_per_foundational": st.integers(0, 9),
    "noise_per_turn": st.integers(0, 9),
    "recall_base_offsets": st.lists(st.integers(0, 99) | st.floats(0, 99), min_size=1, max_size=3),
    "recall_jitter_range": st.tuples(st.floats(0, 1), st.floats(1, 2)).map(list),
}
"""A strategy per parameter of every policy and workload; a newcomer is missing here until it has one."""

FEW_VALUES: dict[str, st.SearchStrategy[Any]] = {
    "eviction_threshold": st.sampled_from([0.1, 0.2, 0.3, 0.4]),
    "baseline_stability": st.sampled_from([1, 2.0, 8, 9]),
    "reinforcement_gain": st.sampled_from([0.0, 0.5, 1]),
    "window_size": st.sampled_from([1, 15.0, 16, 17]),
    "noise_per_turn": st.sampled_from([0, 1, 2, 3]),
    "num_foundational": st.sampled_from([0, 1, 3]),
}
"""The same parameters with few values, so that cells coincide."""

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
    values = FEW_VALUES if few else VALUES
    policies, parameters = [], []
    for place, kind in enumerate(draw(st.lists(st.sampled_from(POLICIES), min_size=1, max_size=4))):
        own = [one.name for one in kind.parameters() if one.name in values]
        label = draw(st.sampled_from([f"p{place}", f"{place}-", f"_{place}"]))
        policies.append({"kind": kind.name, "label": label, **draw(_some(own, values))})
        parameters += [(f"{label}.{name}", name) for name in own]
    kind = draw(st.sampled_from(WORKLOADS))
    own = [one.name for one in kind.parameters() if one.name in values]
    workload = {"kind": kind.name, **draw(_some(own, values))}
    parameters += [(f"workload.{name}", name) for name in own]
    combine = draw(st.sampled_from(["grid", "zip", "points", "random"]))
    sweep = {"name": draw(st.from_regex(r"[A-Za-z0-9_][A-Za-z0-9_.-]{0,9}", fullmatch=True)), "combine": combine}
    sweep["seeds"] = 20 if few else draw(SEEDS)
    if not few:
        sweep |= draw(_sweep_options())
    chosen = draw(
        st.lists(st.sampled_from(parameters), unique=True, min_size=combine in ("points", "random"), max_size=3)
    )
    raw = {"schema": 1, "sweep": sweep, "workload": workload, "policy": policies}
    if combine == "points":
        points = draw(st.lists(_some_of(chosen, values), min_size=1, max_size=6))
        if not any(points):
            points[0] = {chosen[0][0]: draw(values[chosen[0][1]])}
        return raw | {"point": points}
    if combine == "random":
        sweep |= {"random_points": draw(st.integers(1, 8)), "random_seed": draw(st.integers(-9, 9))}
    length = draw(st.integers(1, 4)) if combine == "zip" else None
    raw["axis"] = [draw(_axis(name, values[own], length)) for name, own in chosen]
    return raw


def _some(names: list[str], values: dict[str, st.SearchStrategy[Any]]) -> st.SearchStrategy[dict[str, Any]]:
    return st.fixed_dictionaries({}, optional={name: values[name] for name in names})


def _some_of(
    named: list[tuple[str, str]], values: dict[str, st.SearchStrategy[Any]]
) -> st.SearchStrategy[dict[str, Any]]:
    return st.fixed_dictionaries({}, optional={name: values[own] for name, own in named})


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
def _axis(draw: st.DrawFn, name: str, values: st.SearchStrategy[Any], length: int | None) -> dict[str, Any]:
    own = name.rpartition(".")[2]
    forms = ["values"]
    if own in ("eviction_threshold", "baseline_stability", "window_size"):
        forms += ["linspace", "logspace"]
    if own in ("window_size", "noise_per_turn", "session_length"):
        forms.append("range")
    form = draw(st.sampled_from(forms))
    count = length or draw(st.integers(1, 4))
    if form == "range":
        first, step = draw(st.integers(1, 5)), draw(st.integers(1, 3))
        return {"parameter": name, "range": {"from": first, "to": first + step * (count - 1), "step": step}}
    if form != "values":
        ends = draw(st.sampled_from([(0.1, 0.4), (0.4, 0.1), (0.2, 0.3)]))
        return {"parameter": name, form: {"from": ends[0], "to": ends[count > 1], "count": count}}
    key = lambda value: tuple(map(float, value)) if isinstance(value, list) else float(value) + 0.0  # noqa: E731
    several = draw(st.lists(values, min_size=length or 1, max_size=length or 3, unique_by=None if length else key))
    return {"parameter": name, "values": several}
