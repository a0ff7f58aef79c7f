"""How the commands that answer are typed: compare. Their work is loaded when one of them is called."""

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
    """Compare policies at equal cost, or at an equal hit rate: each set so that it meets that, paired by session.

    Args:
        source: Workload, sweep (its workload, seeds and policies) or path of a log.
        policy: As for vecdecay show; those of the sweep, or the published ones and keep_all, if none is given.
        at: What each is to hold on average: "50 items" or "2000 tokens".
        at_hit_rate: Share of the recalls that each is to hit, instead: 0.95.
        seeds: As for vecdecay run; 1000 sessions of a workload if not given.
        threads: How many processors to use; all of them if not given.
        json: Print the results as JSON, with all digits.
    """
    from vecdecay.commands.compare import compare_command

    compare_command(source, policy, at, at_hit_rate, seeds, threads, json)
