"""The command ``vecdecay``: what can be typed, and how every command ends. The work is done in ``commands``.

Only cyclopts is imported here, so that ``vecdecay --help`` is quick; each command imports what it needs.

Exit codes: 0 done, 1 the result could not be made or written, 2 a mistake in what was typed or in a sweep file,
130 and 143 interrupted, 141 the reader of the output went away.
"""

import functools
import signal
import sys
from collections.abc import Callable, Sequence
from contextlib import nullcontext
from pathlib import Path
from typing import Annotated, Literal, NoReturn

from cyclopts import App, CycloptsError, Parameter, UnusedCliTokensError

from vecdecay import __version__
from vecdecay.commands.answers import compare, curve, front, recommend, sensitivity, why
from vecdecay.commands.arguments import BareHelp, Whole, shown_default
from vecdecay.commands.endings import Terminated, end, in_words, slow_calls_are_named, terminable
from vecdecay.commands.import_trace import import_
from vecdecay.commands.merge import merge
from vecdecay.commands.pages import help_, new, schema
from vecdecay.commands.report import report
from vecdecay.commands.streams import complain, finish_output, give_up_output, own_output, prepare_streams
from vecdecay.errors import InvalidInputError, VecdecayError

FAILED = 1
MISTAKEN = 2
INTERRUPTED = 128 + signal.SIGINT
TERMINATED = 128 + signal.SIGTERM
READER_GONE = 128 + 13  # SIGPIPE, which not every system names


app = App(
    name="vecdecay",
    help="Play memory-retention policies on many seeded sessions at once, exact to the bit.",
    help_epilogue="Begin with: vecdecay run headline",
    help_format="plaintext",
    help_formatter=BareHelp(),
    version=f"vecdecay {__version__}",
    default_parameter=Parameter(negative=(), show_default=shown_default),
    suppress_keyboard_interrupt=False,
    result_action="return_value",
)


@app.command(sort_key=0)
def run(
    sweep: str,
    /,
    *,
    seeds: str | None = None,
    set_: Annotated[list[str] | None, Parameter(name="--set")] = None,
    detail: str | None = None,
    engine: str | None = None,
    checkpoints: str | None = None,
    threads: Whole | None = None,
    on: str | None = None,
    output: Path | None = None,
    shard: str | None = None,
    precision: float | None = None,
    force: bool = False,
    dry_run: bool = False,
    report: bool = False,
    json: bool = False,
    quiet: bool = False,
) -> int:
    """Run a sweep, show what came of it, and keep the results as Parquet files.

    Args:
        sweep: Name of a sweep (see vecdecay list) or path of a sweep file.
        seeds: Sessions to play instead of the file's: a count (1000), a range (100:200, without 200) or a list (3,1,4).
        set_: Other values for a parameter: ebbinghaus.eviction_threshold=0.1,0.2 or =linspace(0,1,21),
            =logspace(1,100,5), =range(5,50,5). Can be given more than once.
        detail: How much is kept: cells, sessions, items, turns or misses; what the file says if not given.
        engine: auto, horizon, stateful, lockstep, cache, capacity or reference, all alike; the file's if not given.
        checkpoints: Turns at which the recall rate is kept too: 50,100; what the file says if not given.
        threads: How many processors to use; all of them if not given.
        on: Where to play: processes, or dask://HOST:PORT (extra dask), the workers of a Dask cluster: the same bytes.
        output: Folder for the results; output/NAME if not given. A run that was interrupted there is continued.
        shard: Play one share of several, 2/5 the second of five; vecdecay merge joins them.
        precision: Instead of --seeds, as many sessions as make intervals of hit and recall rate 0.001 to each side.
        force: Move another run out of the way (nothing is deleted) instead of refusing its folder.
        dry_run: Say what the run would take, and play nothing.
        report: Write report.html into the folder too, as vecdecay report does.
        json: Print the results as JSON, with all digits.
        quiet: No progress.
    """
    from vecdecay.commands.run import RunOptions, run_command

    changes = (("--seeds", seeds), ("--detail", detail), ("--engine", engine), ("--checkpoints", checkpoints))
    options = RunOptions(
        sweep=sweep,
        changes=[(option, text) for option, text in changes if text is not None]
        + [("--set", one) for one in set_ or ()],
        threads=threads,
        on=on,
        output=output,
        shard=shard,
        force=force,
        dry_run=dry_run,
        as_json=json,
        quiet=quiet,
        report=report,
        precision=precision,
    )
    return run_command(options)


@app.command(sort_key=1)
def demo(*, seed: Whole = 0) -> None:
    """Narrate one session: when its foundational item is recalled, when it is lost, and why.

    Args:
        seed: Seed of the session.
    """
    from vecdecay.commands.demo import demo_command

    demo_command(seed)


@app.command(sort_key=2)
def show(
    workload: str,
    /,
    *,
    seed: Whole = 0,
    policy: list[str] | None = None,
    items: Whole = 12,
    save: Path | None = None,
    seeds: str | None = None,
) -> None:
    """Draw one session as text: items and turns, what happens to them, and what each policy makes of it.

    Args:
        workload: Name of a workload (see vecdecay list), with parameters: "zipf_recalls(zipf_exponent=2)", or of one's
            own: my_workloads.py:Mine; or the path of a log.
        seed: Seed of the session; of a log, its number from 0.
        policy: Name of a policy, with parameters: "recency_window(window_size=30)", or of one's own:
            my_policies.py:Gentle. Can be given more than once; the two published ones if not given.
        items: How many items to draw at most.
        save: File for the session as a log, such as saved.parquet, which vecdecay replay reads and plays the same.
        seeds: Which sessions to save instead, as for vecdecay run; of a log all are saved.
    """
    from vecdecay.commands.show import USUAL_POLICIES, show_command

    show_command(workload, seed, policy or USUAL_POLICIES, items, save, seeds)


@app.command(sort_key=2)
def replay(
    trace: Path,
    /,
    *,
    policy: list[str] | None = None,
    map_: Annotated[list[str] | None, Parameter(name="--map")] = None,
    turn: str | None = None,
    time_unit: str | None = None,
    on_miss: str = "nothing",
    duplicates: str = "each",
    registered_again: str = "reset",
    longest_silence: Whole | None = None,
    elapsed: str = "recorded",
    skip_bad_rows: bool = False,
    output: Path | None = None,
    json: bool = False,
) -> None:
    """Play policies on a log of one's own agent: what is in it first, then the policies side by side.

    Args:
        trace: Path of the log: Parquet, CSV, JSON Lines or Arrow; a row per event, with session, turn or time, item,
            and kind (register, recall or forget), where it has kinds.
        policy: As for vecdecay show. Can be given more than once; the two published ones and keep_all if not given.
        map_: Which column is what: item=file_path. Can be given more than once.
        turn: What makes a turn of time: 1h, 1d, event or message. The column turn is read if not given.
        time_unit: Unit of plain numbers in the column time: s, ms, us or ns; recognised by their size if not given.
        on_miss: What a recall that misses does: nothing, or relearn, which registers its item anew.
        duplicates: The same event of an item in a turn counts each time, or once.
        registered_again: A registration of a registered item: reset, ignore, reinforce or error.
        longest_silence: Silences longer than so many turns are cut; all are kept if not given.
        elapsed: Policies in days, hours or seconds read the recorded time, or count turns by turns_per_day: turns.
        skip_bad_rows: Leave out rows that cannot be read, and count them.
        output: Folder for the results as Parquet files; none are written if not given.
        json: Print the results as JSON, with all digits.
    """
    from vecdecay.commands.replay import replay_command

    rules = {
        "turn": turn, "time_unit": time_unit, "on_miss": on_miss, "duplicates": duplicates,
        "registered_again": registered_again, "longest_silence": longest_silence, "elapsed": elapsed,
        "skip_bad_rows": skip_bad_rows,
    }  # fmt: skip
    replay_command(trace, policy or (), map_ or (), rules, output, json)


app.command(import_, name="import", sort_key=2)
for answer in (compare, curve, front, recommend, sensitivity, why):
    app.command(answer, sort_key=2)


@app.command(name="list", sort_key=2)
def list_(kind: str | None = None, /, *, json: bool = False) -> None:
    """List policies, workloads, importers, sweeps and metrics, one line each.

    Args:
        kind: Only one kind: policies, workloads, importers, sweeps or metrics.
        json: Print names and summaries as JSON.
    """
    from vecdecay.commands.listing import list_command

    list_command(kind, json)


@app.command(sort_key=3)
def explain(name: str, /, *more: str, json: bool = False) -> None:
    """Explain a policy, workload, metric, column, parameter, sweep, option, or any other word of the screens.

    Args:
        name: What to explain, as vecdecay list, the results and the sweep files call it.
        more: Further words of a term: working set.
        json: Print the facts as JSON.
    """
    from vecdecay.commands.explain import explain_command

    explain_command(" ".join((name, *more)), options(), json)


@app.command(sort_key=4)
def bench(*, sessions: Whole = 1_000_000, workloads: bool = False) -> None:
    """Time the engines side by side on the headline sessions, and each workload by itself.

    Args:
        sessions: Sessions that the fastest engine plays in a round; the others play a fixed share of them.
        workloads: Time the workloads only.
    """
    from vecdecay.commands.bench import bench_command

    bench_command(sessions, workloads)


app.command(schema, sort_key=5)


@app.command(sort_key=1)
def results(run_folder: Path, /, *, csv: bool = False, markdown: bool = False, json: bool = False) -> int:
    """Show the results of a run again; of one that was interrupted, those so far and how to resume it.

    Args:
        run_folder: Folder of the run.
        csv: Print cells.parquet as CSV, with all digits.
        markdown: Print a Markdown table with a row per distinct cell.
        json: Print the results as JSON, with all digits.
    """
    from vecdecay.commands.results import results_command

    return results_command(run_folder, csv, markdown, json)


app.command(report, sort_key=1)
app.command(help_, name="help", sort_key=1)
app.command(new, sort_key=1)


@app.command(sort_key=6)
def verify(
    run_folder: Path,
    /,
    *,
    all_: Annotated[bool, Parameter(name="--all")] = False,
    sample: Whole = 200,
    sample_seed: Whole = 0,
    quiet: bool = False,
    json: bool = False,
) -> int:
    """Check a run: every file and every key, and a sample of its sessions recomputed.

    Args:
        run_folder: Folder of the run.
        all_: Compute every session again, not a sample; this takes as long as the scalar engine takes.
        sample: How many sessions are computed again.
        sample_seed: Another number picks other sessions.
        quiet: No progress.
        json: Print what was found as JSON.
    """
    from vecdecay.commands.verify import verify_command

    return verify_command(run_folder, all_, sample, sample_seed, quiet, json)


app.command(merge, sort_key=7)


@app.command(sort_key=8)
def sql(run_folder: Path, query: str, /, *, csv: bool = False, json: bool = False) -> None:
    """Ask a run in SQL; its views are cells, sessions, items, turns, misses and histograms. Needs the extra sql.

    Args:
        run_folder: Folder of the run.
        query: Such as: select policy, foundational_recall_rate_mean from cells
        csv: Print the answer as CSV, with all digits.
        json: Print the answer as JSON, with all digits; NaN and the infinities are null.
    """
    from vecdecay.commands.sql import sql_command

    sql_command(run_folder, query, csv, json)


@app.command(sort_key=10)
def completion(shell: Literal["bash", "zsh", "fish"], /) -> None:
    """Print a script that completes commands and options: eval "$(vecdecay completion bash)".

    Args:
        shell: The shell to complete in.
    """
    from vecdecay.commands.screen import show

    show(app.generate_completion(shell=shell).rstrip())


@app.command(sort_key=9)
def check(policy: str, /, *, examples: Whole = 100, strict: bool = False, json: bool = False) -> int:
    """Test a policy against the invariants that every policy should keep; note surprising traits of its design.

    A method that takes more than 10 seconds for one call is named, and ends the check. Needs the extra test.

    Args:
        policy: Name of a policy (see vecdecay list), or file and class (my_policies.py:Gentle); with parameters in
            brackets: "ebbinghaus(eviction_threshold=0.3)".
        examples: Sessions that are drawn for each invariant.
        strict: End with exit code 1 where there is a design note, too.
        json: Print what came of each invariant as JSON.
    """
    from vecdecay.commands.check import check_command

    return check_command(policy, examples, strict, json)


@functools.cache
def options() -> dict[str, dict[str, str]]:
    """Return, for each command, its options and arguments with what each is for."""
    found = {}
    for name in app:
        if not name.startswith("-"):
            collected = app[name].assemble_argument_collection(parse_docstring=True)
            found[name] = {one.name: str(one.parameter.help or "") for one in collected}
    return found


def main(arguments: Sequence[str] | None = None) -> NoReturn:
    """Run the command with the given arguments (those of the process if None) and exit with its code."""
    prepare_streams()
    with terminable() as others:
        code = _ended(lambda: _dispatch(arguments))
    end(code, others)


def _dispatch(arguments: Sequence[str] | None) -> int:
    tokens = list(sys.argv[1:] if arguments is None else arguments)
    asks = {"--help", "-h", "--version"}.intersection(tokens) or not tokens
    try:
        ends_them = tokens[:1] == ["check"]
        with nullcontext() if asks else own_output(), nullcontext() if ends_them else slow_calls_are_named():
            code = app(tokens or ["--help"], exit_on_error=False, print_error=False, verbose=False)
    except UnusedCliTokensError as error:
        raise InvalidInputError([f"unexpected: {' '.join(map(repr, error.unused_tokens or ()))}"]) from None
    except CycloptsError as error:
        raise InvalidInputError([" ".join(str(error).split())]) from None
    finish_output()
    return code if isinstance(code, int) else 0


def _ended(command: Callable[[], int]) -> int:
    """Return the exit code of a command; whatever stopped it is reported, one line per mistake."""
    try:
        return command()
    except InvalidInputError as error:
        complain(*error.problems)
        return MISTAKEN
    except BrokenPipeError:
        give_up_output()
        return READER_GONE
    except (VecdecayError, OSError) as error:
        complain(in_words(error))
        give_up_output()
        return FAILED
    except MemoryError:
        complain("the memory of this machine does not suffice; vecdecay run --dry-run tells what a run takes")
        return FAILED
    except Terminated:
        return TERMINATED
    except KeyboardInterrupt:
        return INTERRUPTED


if __name__ == "__main__":
    main()
