"""How the commands that answer are typed: compare, curve, front, recommend, sensitivity; loaded when called."""

from pathlib import Path
from typing import Annotated

from cyclopts import Parameter

from vecdecay.commands.arguments import Whole


def compare(
    source: str,
    /,
    *policy: str,
    at: str | None = None,
    at_hit_rate: float | None = None,
    seeds: str | None = None,
    threads: Whole | None = None,
    json: bool = False,
) -> None:
    """Compare policies at equal cost, or at an equal hit rate, paired by session; or two runs, by their folders.

    Args:
        source: Workload, sweep (its workload, seeds and policies) or path of a log; or the folder of a run.
        policy: As for vecdecay show; those of the sweep, or the published ones and keep_all, if none is given. The
            folder of the other run, where the first is one.
        at: What each is to hold on average: "50 items" or "2000 tokens".
        at_hit_rate: Share of the recalls that each is to hit, instead: 0.95.
        seeds: As for vecdecay run; 1000 sessions of a workload if not given.
        threads: How many processors to use; all of them if not given.
        json: Print the results as JSON, with all digits.
    """
    from vecdecay.commands.compare import compare_command

    compare_command(source, policy, at, at_hit_rate, seeds, threads, json)


def curve(
    source: str,
    policy: str = "ebbinghaus",
    /,
    *,
    parameter: str | None = None,
    values: str | None = None,
    seeds: str | None = None,
    threads: Whole | None = None,
    output: Path | None = None,
    json: bool = False,
) -> None:
    """Show what every value of a policy's threshold, window or time to live comes to, from one pass, exactly.

    Args:
        source: As for vecdecay compare.
        policy: As for vecdecay show.
        parameter: Name of the parameter; the one that sets how much the policy holds if not given.
        values: Values to play one by one (5,15,50), where one pass cannot answer; it says so.
        seeds: As for vecdecay run; 1000 sessions of a workload if not given.
        threads: How many processors to use; all of them if not given.
        output: File for every step, such as curve.parquet; none is written if not given.
        json: Print every step as JSON, with all digits.
    """
    from vecdecay.commands.curve import curve_command

    curve_command(source, policy, parameter, values, seeds, threads, output, json)


def front(
    source: str,
    /,
    *policy: str,
    in_tokens: bool = False,
    seeds: str | None = None,
    threads: Whole | None = None,
    output: Path | None = None,
    json: bool = False,
) -> None:
    """Find the Pareto front: the settings of policies that no other setting beats in hit rate and in what is held.

    Args:
        source: As for vecdecay compare.
        policy: As for vecdecay show; those of the sweep, or all of the program, if none is given.
        in_tokens: Count what is held in tokens, not in items.
        seeds: As for vecdecay run; 1000 sessions of a workload if not given.
        threads: How many processors to use; all of them if not given.
        output: File for all settings as Parquet, dominated ones marked; none is written if not given.
        json: Print the settings on the front as JSON, with all digits.
    """
    from vecdecay.commands.front import front_command

    front_command(source, policy, "tokens" if in_tokens else "items", seeds, threads, output, json)


def recommend(
    source: str,
    /,
    *policy: str,
    target: float | None = None,
    budget: float | None = None,
    seeds: str | None = None,
    threads: Whole | None = None,
    output: Path | None = None,
    json: bool = False,
) -> int:
    """Recommend the policy that holds least and surely hits a target, or hits most within a budget.

    Args:
        source: As for vecdecay compare.
        policy: As for vecdecay show; those of the sweep, or all of the program, if none is given.
        target: Share of the recalls that are to hit: 0.99.
        budget: Tokens held per turn on average, instead; items, where all have the size 1.
        seeds: As for vecdecay run; 1000 sessions of a workload if not given. Half of them choose, half confirm.
        threads: How many processors to use; all of them if not given.
        output: File for the policy, which vecdecay run and vecdecay replay --policy take; none is written if not given.
        json: Print the results as JSON, with all digits.
    """
    from vecdecay.commands.recommend import recommend_command

    return recommend_command(source, policy, target, budget, seeds, threads, output, json)


def sensitivity(
    source: str,
    /,
    *,
    policy: str = "ebbinghaus",
    method: str = "morris",
    vary: Annotated[list[str] | None, Parameter(name="--vary")] = None,
    samples: Whole | None = None,
    seeds: str | None = None,
    threads: Whole | None = None,
    output: Path | None = None,
    json: bool = False,
) -> None:
    """Find out which parameters of a policy and its workload matter: for the hit rate, and for what is held.

    Needs the extra sensitivity.

    Args:
        source: As for vecdecay compare.
        policy: As for vecdecay show; what is not varied is as it is there.
        method: morris (effects of single steps, few points) or sobol (shares of the variance, many points).
        vary: A parameter and its range: eviction_threshold=0.1:0.5, workload.noise_per_turn=1:5. Can be given more
            than once; if not given, every number from half to twice its value, as far as that is allowed.
        samples: Trajectories of morris, 20 if not given; base samples of sobol, a power of two, 64 if not given.
        seeds: As for vecdecay run; 1000 sessions of a workload if not given.
        threads: How many processors to use; all of them if not given.
        output: File for all indices, such as indices.parquet; none is written if not given.
        json: Print all indices as JSON, with all digits.
    """
    from vecdecay.commands.sensitivity import sensitivity_command

    sensitivity_command(source, policy, method, vary or (), samples, seeds, threads, output, json)


def why(
    source: str,
    /,
    *,
    session: str,
    item: str,
    policy: list[str] | None = None,
    cell: Whole | None = None,
    json: bool = False,
) -> None:
    """Tell why an item was lost: its touches, the pass that removed it, the recalls that failed, what saves them.

    Args:
        source: As for vecdecay compare; or the folder of a run.
        session: The seed; of a log, what the log calls the session.
        item: The number of the item in its session; of a log, what the log calls it.
        policy: As for vecdecay show; those of the sweep or run, or the published ones, if not given. Can be given more
            than once.
        cell: Of a run, the number of the cell whose policy and workload are played.
        json: Print the results as JSON, with all digits and the retention before every pass.
    """
    from vecdecay.commands.why import why_command

    why_command(source, session, item, policy or (), cell, json)
