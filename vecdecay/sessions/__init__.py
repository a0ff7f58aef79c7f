"""What happens: sessions as data, and the workloads that generate them."""

from vecdecay.sessions.published import PublishedSessions
from vecdecay.sessions.uniform_recalls import UniformRecalls
from vecdecay.sessions.workload import Workload

WORKLOADS: tuple[type[Workload], ...] = (PublishedSessions, UniformRecalls)
"""Every workload that a sweep file can name, in the order in which ``vecdecay list`` shows them."""

__all__ = ["WORKLOADS", "PublishedSessions", "UniformRecalls", "Workload"]
