"""``sensitivity``: how much each parameter of a policy and of its workload moves the hit rate and what is held.

Every point of the design is played on the same seeds, so that what differs between two points is what the parameters
do and not another draw (common random numbers). The indices are SALib's, of expected values: hits per recall and items
held per turn, over all sessions together.
"""

import math
import warnings
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from types import ModuleType
from typing import Any

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from vecdecay.arrow import Streamed
from vecdecay.engines.registry import play_block
from vecdecay.errors import InvalidInputError, VecdecayError
from vecdecay.parameters import brief, did_you_mean
from vecdecay.policies.base import Policy
from vecdecay.run.knobs import Knob, knobs_of
from vecdecay.run.over_blocks import over_blocks
from vecdecay.run.ranges import Varied, varied_of
from vecdecay.run.simulate import checked_arguments
from vecdecay.sessions.block import SessionBlock
from vecdecay.sweepfile.model import WORKLOAD

METHODS = ("morris", "sobol")
MEASURES = ("hit_rate", "mean_working_set")
USUAL_SAMPLES = {"morris": 20, "sobol": 64}
_LEVELS = 4
_MOST_SAMPLES = 100_000
Floats = NDArray[np.float64]


@dataclass(frozen=True)
class Sensitivity(Streamed):
    """What moves a policy's results, and how much.

    ``table`` has a row per measure ("hit_rate", "mean_working_set") and parameter, with its range. By "morris":
    ``effect``, the mean absolute change over the range, from steps through two thirds of it, with its 95 % interval,
    and ``spread``, the standard deviation of the changes: as large as the effect where the parameter acts together with
    others, or not in proportion. By "sobol": the share of the variance that is the parameter's ``alone``, and its
    ``total`` with all that it has a part in, each with its interval. ``pairs`` (sobol) is the share of two parameters
    together. Values are null where nothing differs. Intervals are of a bootstrap over the design. ``knobs`` are
    parameters that are one. ``fixed`` are the numbers that were not varied.
    """

    source: str
    sessions: int
    policy: str
    method: str
    points: int
    table: pa.Table
    pairs: pa.Table
    knobs: tuple[Knob, ...]
    fixed: tuple[str, ...]

    def __repr__(self) -> str:
        return (
            f"Sensitivity ({self.method}) of {self.policy} on {self.sessions:,} sessions of {self.source}: "
            f"{self.table.num_rows // len(MEASURES)} parameters, {self.points:,} points"
        )


def sensitivity(
    source: Any,
    policy: Any,
    *,
    vary: Mapping[str, tuple[float, float]] | None = None,
    method: str = "morris",
    samples: int | None = None,
    seeds: Any = None,
    threads: int | None = None,
) -> Sensitivity:
    """Return how much each parameter moves the hit rate and the mean working set. Needs the extra ``sensitivity``.

    Args:
        source, seeds, threads: as in :func:`simulate`.
        policy: one policy; what is not varied is as it is there.
        vary: parameters with their ranges (low, high), those of the workload as ``workload.NAME``. If None, every
            number of both from half to twice its value, as far as that is allowed.
        method: "morris", elementary effects (Morris 1991, Technometrics 33; mu* of Campolongo et al. 2007, Environ.
            Model. Softw. 22), or "sobol", shares of the variance (Saltelli et al. 2010, Comput. Phys. Commun. 181).
        samples: trajectories of morris (20 if None), or base samples of sobol, a power of two (64 if None). Morris
            plays samples × (parameters + 1) points, sobol samples × (2 × parameters + 2).

    Raises:
        InvalidInputError: names every argument that is wrong.
        VecdecayError: the extra is not installed.
    """
    problems: list[str] = []
    if method not in METHODS:
        hint = did_you_mean(method, METHODS) if isinstance(method, str) else ""
        problems.append(f"method is {brief(method)}; allowed: {', '.join(METHODS)}{hint}")
    number = samples if samples is not None else USUAL_SAMPLES.get(method, 1)
    if isinstance(number, bool) or not isinstance(number, int) or not 2 <= number <= _MOST_SAMPLES:
        problems.append(f"samples is {brief(samples)}; allowed: an integer from 2 to {_MOST_SAMPLES}")
    elif method == "sobol" and number & (number - 1):
        problems.append(f"samples is {number}; allowed for sobol: a power of two")
    try:
        spec, workers = checked_arguments(source, policy, seeds, "sessions", "auto", None, threads)
    except InvalidInputError as error:
        raise InvalidInputError([*problems, *error.problems]) from None
    if len(spec.policies) != 1:
        problems.append(f"policy is {len(spec.policies)} policies; allowed: one")
    described = {spec.policies[0].label: spec.policies[0].policy, WORKLOAD: spec.workload}
    varied, fixed = varied_of(described, vary, problems)
    if problems:
        raise InvalidInputError(problems)
    design = _Design(method, number, varied, _salib(method))
    results = _played(design, described, spec.seeds, workers)
    rows, pairs = design.indices(results)
    knobs = knobs_of(spec.policies[0].policy, varied)
    return Sensitivity(
        spec.workload_kind,
        len(spec.seeds),
        spec.policies[0].label,
        method,
        len(design.points),
        rows,
        pairs,
        knobs,
        fixed,
    )


def _salib(method: str) -> tuple[ModuleType, ModuleType]:
    """Return SALib's modules that draw the points of a method and analyse what came of them."""
    try:
        import SALib.analyze.morris
        import SALib.analyze.sobol
        import SALib.sample.morris
        import SALib.sample.sobol
    except ImportError as error:
        text = "sensitivity needs the package SALib; install it with: pip install 'vecdecay[sensitivity]'"
        raise VecdecayError(text) from error
    return getattr(SALib.sample, method), getattr(SALib.analyze, method)


class _Design:
    """The points of a method, each a number from 0 to 1 per parameter, and the indices of what came of them."""

    def __init__(
        self, method: str, samples: int, varied: Sequence[Varied], salib: tuple[ModuleType, ModuleType]
    ) -> None:
        self.method, self.varied = method, varied
        self.problem = {
            "num_vars": len(varied),
            "names": [one.name for one in varied],
            "bounds": [[0.0, 1.0]] * len(varied),
        }
        draw, self._analyse = salib
        options: dict[str, Any] = {"num_levels": _LEVELS} if method == "morris" else {"calc_second_order": True}
        self.points: Floats = draw.sample(self.problem, samples, seed=0, **options)

    def indices(self, results: Floats) -> tuple[pa.Table, pa.Table]:
        """Return the rows of all measures, and of all pairs; ``results`` (measure, point)."""
        rows: list[dict[str, Any]] = []
        pairs: list[dict[str, Any]] = []
        for measure, values in zip(MEASURES, results, strict=True):
            found = self._found(values)
            for place, one in enumerate(self.varied):
                row: dict[str, Any] = {"measure": measure, "parameter": one.name, "from": one.low, "to": one.high}
                for column, (name, interval) in _COLUMNS[self.method].items():
                    row |= _with_interval(column, found, name, interval, place)
                rows.append(row)
                for other in range(place + 1, len(self.varied)) if self.method == "sobol" else ():
                    pair = {"measure": measure, "first": one.name, "second": self.varied[other].name}
                    pairs.append(pair | _with_interval("together", found, "S2", "S2_conf", (place, other)))
        return pa.Table.from_pylist(rows, _schema(self.method)), pa.Table.from_pylist(pairs, _PAIRS)

    def _found(self, values: Floats) -> Mapping[str, Any] | None:
        """Return SALib's answer, None where all points give the same, which has no indices."""
        if not np.isfinite(values).all() or values.min() == values.max():
            return None
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # of divisions by a variance of 0, which give NaN
            if self.method == "sobol":
                return self._analyse.analyze(self.problem, values, calc_second_order=True, seed=0)  # type: ignore[no-any-return]
            return self._analyse.analyze(self.problem, self.points, values, num_levels=_LEVELS, seed=0)  # type: ignore[no-any-return]


_COLUMNS = {
    "morris": {"effect": ("mu_star", "mu_star_conf"), "spread": ("sigma", "")},
    "sobol": {"alone": ("S1", "S1_conf"), "total": ("ST", "ST_conf")},
}
_HEAD = [("measure", pa.string()), ("parameter", pa.string()), ("from", pa.float64()), ("to", pa.float64())]
_PAIRS = pa.schema(
    [("measure", pa.string()), ("first", pa.string()), ("second", pa.string())]
    + [(name, pa.float64()) for name in ("together", "together_low", "together_high")]
)


def _schema(method: str) -> pa.Schema:
    columns = [
        name
        for column, (_, interval) in _COLUMNS[method].items()
        for name in ([column, f"{column}_low", f"{column}_high"] if interval else [column])
    ]
    return pa.schema([*_HEAD, *((name, pa.float64()) for name in columns)])


def _with_interval(
    column: str, found: Mapping[str, Any] | None, name: str, interval: str, place: Any
) -> dict[str, float | None]:
    value = math.nan if found is None else float(found[name][place])
    half = math.nan if found is None or not interval else float(found[interval][place])
    ends = {f"{column}_low": value - half, f"{column}_high": value + half} if interval else {}
    return {key: one if math.isfinite(one) else None for key, one in {column: value, **ends}.items()}


def _played(design: _Design, described: Mapping[str, Any], seeds: Any, threads: int) -> Floats:
    """Return the measures of all points (measure, point), those that share a workload played on the same sessions."""
    label = next(iter(described))
    columns = {one.name: one.values(design.points[:, place]) for place, one in enumerate(design.varied)}
    built: list[tuple[Any, Policy]] = []
    problems: dict[str, None] = {}
    for point in range(len(design.points)):
        changes: dict[str, dict[str, Any]] = {label: {}, WORKLOAD: {}}
        for name, values in columns.items():
            owner = WORKLOAD if name.startswith(f"{WORKLOAD}.") else label
            changes[owner][name.removeprefix(f"{WORKLOAD}.")] = values[point]
        try:
            policy, workload = (
                one if not changes[each] else one.varied(changes[each]) for each, one in described.items()
            )
        except InvalidInputError as error:
            problems |= dict.fromkeys(error.problems)
            continue
        built.append((workload, policy))
    if problems:
        raise InvalidInputError([f"{one}; narrow the ranges" for one in list(problems)[:5]])
    by_workload: dict[Any, dict[Policy, None]] = {}
    for workload, policy in built:
        by_workload.setdefault(workload, {})[policy] = None
    measured = {
        (workload, policy): pair
        for workload, policies in by_workload.items()
        for policy, pair in zip(policies, _measures(workload, list(policies), seeds, threads), strict=True)
    }
    return np.array([measured[one] for one in built]).T


def _measures(workload: Any, policies: list[Policy], seeds: Any, threads: int) -> list[tuple[float, float]]:
    """Return hits per recall and items held per turn of each policy, NaN where nothing is recalled."""
    spec, threads = checked_arguments(workload, policies, seeds, "sessions", "auto", None, threads)
    played = [entry.policy for entry in spec.policies]

    def totals(block: SessionBlock) -> list[list[int]]:
        outcomes = [play_block(block, policy, relearn=spec.workload.relearns) for policy in played]
        return [
            [int(one.sum()) for one in (each.recalls, each.misses, each.working_set_sum, each.session_length)]
            for each in outcomes
        ]

    def joined(several: list[list[list[int]]]) -> list[list[int]]:
        return [[sum(column) for column in zip(*each, strict=True)] for each in zip(*several, strict=True)]

    found = over_blocks(spec, threads, totals, joined)
    return [
        ((recalls - misses) / recalls if recalls else math.nan, held / turns) for recalls, misses, held, turns in found
    ]
