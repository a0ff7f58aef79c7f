"""Gives a plan, with the log in it, to each worker of a Dask cluster once; tasks then name it."""

import io
import pickle
from typing import Any

from vecdecay.run.plan import Plan

_given: dict[str, bytes] = {}


def given_plan(name: str, plan: Plan) -> Any:
    """Return a plugin that has each worker keep a plan: those that are there at once, others before they take tasks."""
    from distributed import WorkerPlugin

    pickled = pickle.dumps(plan)

    class GivenPlan(WorkerPlugin):
        def setup(self, worker: Any) -> None:
            keep(name, pickled)

        def teardown(self, worker: Any) -> None:
            keep(name, None)

    return GivenPlan()


def keep(name: str, pickled: bytes | None) -> None:
    """Keep a plan for tasks to come, or let go of it."""
    if pickled is None:
        _given.pop(name, None)
    else:
        _given[name] = pickled


class _Sender(pickle.Pickler):
    """Notes the plans that it meets, under names that are pickled in their place."""

    def __init__(self, file: io.BytesIO, run: str) -> None:
        super().__init__(file)
        self._run = run
        self.plans: dict[str, Plan] = {}

    def persistent_id(self, value: Any) -> str | None:
        if not isinstance(value, Plan):
            return None
        name = f"plan-{self._run}-{value.spec.digest}"
        self.plans[name] = value
        return name


class _Receiver(pickle.Unpickler):
    def persistent_load(self, name: Any) -> Any:
        return pickle.loads(_given[name])


def pack(task: Any, run: str) -> tuple[bytes, dict[str, Plan]]:
    """Return a task as it is sent, and the plans that workers must have been given before, by their names.

    ``run`` is a word that no other run on the same workers has.
    """
    packed = io.BytesIO()
    sender = _Sender(packed, run)
    sender.dump(task)
    return packed.getvalue(), sender.plans


def unpack(task: bytes) -> Any:
    """Return a task that was sent to this worker, with the plan that it was given."""
    return _Receiver(io.BytesIO(task)).load()
