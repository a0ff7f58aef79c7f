"""What is forgotten: one file per policy."""

from vecdecay.policies.base import Policy, TablePolicy
from vecdecay.policies.ebbinghaus import Ebbinghaus
from vecdecay.policies.keep_all import KeepAll
from vecdecay.policies.recency_window import RecencyWindow

POLICIES: tuple[type[Policy], ...] = (Ebbinghaus, RecencyWindow, KeepAll)
"""Every policy that a sweep file can name, in the order in which ``vecdecay list`` shows them."""

__all__ = ["POLICIES", "Ebbinghaus", "KeepAll", "Policy", "RecencyWindow", "TablePolicy"]
