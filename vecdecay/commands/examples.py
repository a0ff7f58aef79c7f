"""The examples of ``vecdecay help``, beside the files of ``starters``; a test runs each. At most 50 columns wide."""

from typing import NamedTuple

STATEFUL = '''\
from dataclasses import dataclass

import vecdecay as vd


@dataclass(frozen=True)
class Spaced(vd.StatefulPolicy):
    """A late recall lengthens life more."""

    half_life: float = 6.0
    eviction_threshold: float = 0.2

    # The state is a tuple of numbers.
    def on_register(self, turn):
        return self.half_life, turn

    def on_recall(self, state, turn):
        half_life, last = state
        gap = turn - last
        return half_life * (1.0 + gap**0.5), turn

    def retention(self, state, turn):
        half_life, last = state
        return 0.5 ** ((turn - last) / half_life)
'''

TESTING = """\
from hypothesis import given

import vecdecay as vd
from gentle import Gentle
from vecdecay.testing import (
    check_policy,
    never_rises_with_age,
    sessions,
)


def test_every_invariant():
    report = check_policy(Gentle(), examples=20)
    assert report.sound, report.violations


def test_one_invariant():
    never_rises_with_age(Gentle())


# It evicts at the age of 24 turns; sessions have
# gaps about that.
@given(session=sessions(ages=[24]))
def test_on_drawn_sessions(session):
    played = vd.play(session, Gentle())
    result = vd.simulate(
        [session], Gentle(), detail="items"
    )
    hits = sum(result.items["hits"].to_pylist())
    assert hits == sum(played.found)
"""


class Piece(NamedTuple):
    """A piece of a sweep file: what it does, the number of points that it makes, and its text."""

    meaning: str
    points: int
    text: str


PIECES = (
    Piece("values: those that are listed, of any type.", 3,
'''[[axis]]
parameter = "ebbinghaus.eviction_threshold"
values = [0.1, 0.2, 0.4]
'''),
    Piece("linspace: floats at equal distances, both ends included.", 5,
'''[[axis]]
parameter = "ebbinghaus.eviction_threshold"
linspace = { from = 0.1, to = 0.5, count = 5 }
'''),
    Piece("logspace: floats at equal ratios, both ends included; here 1, 10 and 100.", 3,
'''[[axis]]
parameter = "ebbinghaus.baseline_stability"
logspace = { from = 1, to = 100, count = 3 }
'''),
    Piece("range: integers up to and including the end; here 1, 3 and 5, of a parameter of the workload.", 3,
'''[[axis]]
parameter = "workload.noise_per_turn"
range = { from = 1, to = 5, step = 2 }
'''),
    Piece("Several axes make a grid: every value of one with every value of the other.", 6,
'''[sweep]
combine = "grid"

[[axis]]
parameter = "ebbinghaus.eviction_threshold"
values = [0.1, 0.2, 0.4]

[[axis]]
parameter = "workload.noise_per_turn"
values = [1, 5]
'''),
    Piece("zip: the first values of all axes together, then the second ones, and so on.", 3,
'''[sweep]
combine = "zip"

[[axis]]
parameter = "ebbinghaus.eviction_threshold"
values = [0.1, 0.2, 0.4]

[[axis]]
parameter = "recency_window.window_size"
values = [60, 30, 15]
'''),
    Piece("points: each point is listed; what it does not name is as in [[policy]] and [workload].", 2,
'''[sweep]
combine = "points"

[[point]]
ebbinghaus.eviction_threshold = 0.1
recency_window.window_size = 60

[[point]]
recency_window.window_size = 30
'''),
    Piece("random: points drawn from the grid by random_seed; the same seed draws the same points.", 10,
'''[sweep]
combine = "random"
random_points = 10
random_seed = 1

[[axis]]
parameter = "ebbinghaus.eviction_threshold"
linspace = { from = 0.1, to = 0.9, count = 81 }

[[axis]]
parameter = "ebbinghaus.baseline_stability"
logspace = { from = 1, to = 100, count = 21 }
'''),
    Piece("label: the name by which axes and results call a policy, where its kind occurs twice.", 2,
'''[[policy]]
kind = "ebbinghaus"
label = "lasting"
baseline_stability = 20

[[policy]]
kind = "ebbinghaus"
label = "brief"

[[axis]]
parameter = "brief.baseline_stability"
values = [4, 8]
'''),
    Piece("What is kept and shown: a row per item, the recall rate at two turns, and three metrics.", 1,
'''[sweep]
detail = "items"
checkpoints = [50, 100]
metrics = ["hit_rate", "misses", "token_turns"]
'''),
    Piece("seeds: a count, a first seed and a count, or a list.", 1,
'''[sweep]
seeds = { first = 1000, count = 9 }
'''),
    Piece("seeds as a list, which keeps its order.", 1,
'''[sweep]
seeds = { list = [3, 1, 4] }
'''),
    Piece("A mixture of workloads, each session of one that is drawn by these shares.", 1,
'''[workload]
kind = "mixture"
workloads = ["drift", "zipf_recalls"]
shares = [0.25, 0.75]
'''),
    Piece("A capacity, for policies with a budget.", 2,
'''[[policy]]
kind = "lru"
capacity_items = 20

[[axis]]
parameter = "lru.capacity_items"
values = [10, 20]
'''),
    Piece("A policy and a workload of your own: file and name. The run's folder keeps a copy of the files.", 2,
'''[workload]
kind = "pulse.py:pulse"
gap = 10

[[policy]]
kind = "gentle.py:Gentle"
half_life = 20.0

[[axis]]
parameter = "Gentle.half_life"
values = [10, 20]
'''),
    Piece("A log in place of [workload]; without seeds all its sessions are played. Only path is needed.", 1,
'''[trace]
path = "log.csv"
columns = { item = "file" }
turn = "1h"
time_unit = "s"
on_miss = "relearn"
duplicates = "once"
registered_again = "reinforce"
longest_silence = 100
elapsed = "turns"
skip_bad_rows = true
'''),
)  # fmt: skip
"""Each stands beside the starter sweep's tables in place of its own of the same name; [sweep] adds to its keys."""

CONSOLE = {
    "sweepfile": """\
$ vecdecay new sweep study
$ vecdecay run study.toml
$ vecdecay run study.toml --dry-run
$ vecdecay run study.toml --output output/other \\
    --seeds 100:110 --detail items \\
    --set ebbinghaus.eviction_threshold=0.1,0.3
$ vecdecay run study.toml --output output/fine \\
    --set \\
    "recency_window.window_size=range(5,9,2)"
""",
    "own-policy": """\
$ vecdecay new policy gentle
$ vecdecay explain gentle.py:Gentle
$ vecdecay show drift --policy gentle.py:Gentle
$ vecdecay check gentle.py:Gentle --examples 9
$ vecdecay curve drift gentle.py:Gentle --seeds 50
""",
    "own-workload": """\
$ vecdecay new workload pulse
$ vecdecay show pulse.py:pulse --seed 1
$ vecdecay show "pulse.py:pulse(gap=5, rules=1)"
$ vecdecay curve pulse.py:pulse --seeds 50
""",
    "traces": """\
$ vecdecay replay sample --policy lru
$ vecdecay replay log.csv --map item=file \\
    --turn 1h --on-miss relearn
""",
    "results": """\
$ vecdecay run study.toml --seeds 9
$ vecdecay results output/study
$ vecdecay results output/study --csv
$ vecdecay sql output/study \\
    "select policy, hit_rate_mean from cells"
$ vecdecay verify output/study --sample 5
""",
    "machines": """\
$ vecdecay run study.toml --shard 1/2
$ vecdecay run study.toml --shard 2/2
$ vecdecay merge output/study-1-of-2 \\
    output/study-2-of-2 --output output/study
""",
}
"""What is typed, by the page that shows it; each page starts in a folder with the files of the starters."""

PYTHON = {
    "own-policy": """\
import vecdecay as vd
from gentle import Gentle

vd.simulate(vd.Drift(), Gentle(), seeds=range(50))
vd.simulate(vd.Drift(), Spaced(), seeds=range(50))
""",
    "own-workload": '''\
from dataclasses import dataclass

import vecdecay as vd
from pulse import pulse

vd.simulate(pulse, vd.Lru(9), seeds=range(50))


@dataclass(frozen=True)
class Slow:
    """The same with a gap of a hundred turns."""

    rules: int = 3

    def events(self, seed):
        return pulse(seed, self.rules, gap=100)


vd.simulate(Slow(rules=5), vd.Lru(9), seeds=[1])
''',
    "traces": """\
import vecdecay as vd

trace = vd.Trace.read(
    "log.csv",
    columns={"item": "file"},
    turn="1h",
    on_miss="relearn",
)
for note in trace.notes:
    print(note)
result = vd.simulate(trace, vd.Lru(5))
result.sessions["hit_rate"].to_pylist()
""",
    "results": """\
import duckdb
import pandas
import polars
import pyarrow.parquet

import vecdecay as vd

run = vd.open_run("output/study")
run.cells  # an Arrow table
run.sessions.to_table(columns=["seed", "misses"])

cells = "output/study/cells.parquet"
sessions = "output/study/sessions/*.parquet"
pandas.read_parquet(cells)
polars.scan_parquet(sessions).collect()
duckdb.sql(f"select misses from '{sessions}'")

schema = pyarrow.parquet.read_schema(cells)
schema.field("hit_rate_mean").metadata
""",
    "python": """\
import vecdecay as vd

result = vd.simulate(
    vd.RecencyBiased(),
    [vd.Ebbinghaus(), vd.RecencyWindow(30)],
    seeds=range(100),
)
result.cells
result.to_pandas()

curve = vd.curve(
    vd.RecencyBiased(),
    vd.RecencyWindow(),
    "window_size",
    seeds=range(100),
)
curve.at(30)["hit_rate"]

run = vd.sweep(
    "study.toml",
    output="output/python",
    set={"seeds": 9, "detail": "items"},
)
vd.open_run("output/python").verify(sample=5)
""",
}
"""Code of the pages; it runs in a folder with the files of the starters and a run of the sweep."""

LOG = """\
session,time,file,kind
a,1700000000,rules.md,register
a,1700003700,notes.md,register
a,1700007300,rules.md,recall
a,1700100000,rules.md,recall
b,1700000000,notes.md,register
b,1700090000,notes.md,recall
"""

SLURM = """\
#!/bin/bash
#SBATCH --array=1-100
#SBATCH --requeue --cpus-per-task=4
k=$SLURM_ARRAY_TASK_ID
vecdecay run study.toml --quiet --threads 4 \\
    --shard $k/100 --output runs/study-$k
"""

KUBERNETES = """\
apiVersion: batch/v1
kind: Job
metadata: { name: study }
spec:
  completionMode: Indexed
  completions: 100
  parallelism: 20
  template:
    spec:
      restartPolicy: OnFailure
      containers:
      - name: share
        image: IMAGE-WITH-VECDECAY
        workingDir: /data
        command: [sh, -c]
        args:
        - k=$((JOB_COMPLETION_INDEX + 1));
          vecdecay run study.toml --quiet
          --shard $k/100 --output runs/study-$k
        volumeMounts:
        - { name: data, mountPath: /data }
      volumes:
      - name: data
        persistentVolumeClaim: { claimName: data }
"""
