"""Runs a sweep in a process of its own, and tells how much memory it took at its peak."""

import json

from effort import needs_proc as needs_proc  # re-exported
from sweep_runs import fresh_process

MEASURED = """
import json, shutil, sys
from pathlib import Path
from vecdecay.run.sweep import run_sweep
from vecdecay.sweepfile.spec import parse_sweep
report = run_sweep(parse_sweep(sys.argv[1]), Path(sys.argv[2]), threads=int(sys.argv[3]))
status = Path("/proc/self/status").read_text()
peak = int(status.partition("VmHWM:")[2].split()[0]) * 1024
size = sum(path.stat().st_size for path in Path(sys.argv[2]).rglob("*.parquet"))
shutil.rmtree(sys.argv[2])
print(json.dumps({"peak": peak, "size": size, "failed": len(report.failed), "checked": report.checked_sessions}))
"""


def measured(text: str, threads: int, folder: object) -> dict[str, int]:
    """Return the peak memory in bytes of a whole process that runs the sweep, the size of its tables in bytes, and how
    many cells failed and sessions were checked.
    """
    done = fresh_process(MEASURED, text, folder, threads)
    assert done.returncode == 0, done.stderr
    found: dict[str, int] = json.loads(done.stdout)
    return found
