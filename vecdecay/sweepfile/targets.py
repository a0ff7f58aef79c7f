"""What an axis, a point or ``--set`` can name: the parameters of the policies, by label, and those of the workload."""

from vecdecay.parameters import Described, Parameter
from vecdecay.sweepfile.problems import Findings, KeyPath, shown, suggestion


class Targets:
    """The labels of a sweep and what stands behind them; None where the kind itself is a mistake.

    ``incomplete`` says that some policy could not be read so far as to have a label: then an unknown label is no
    mistake of its own.
    """

    def __init__(self) -> None:
        self.incomplete = False
        self._classes: dict[str, type[Described] | None] = {}

    def add(self, label: str, described: type[Described] | None) -> None:
        """Add a label."""
        self._classes[label] = described

    def __contains__(self, label: str) -> bool:
        """Tell whether the label is taken."""
        return label in self._classes

    def find(self, name: str, path: KeyPath, findings: Findings) -> Parameter | None:
        """Return the parameter that ``LABEL.parameter`` names, None where there is none; then a finding says why."""
        label, _, own_name = name.rpartition(".")
        described = self._classes.get(label)
        if described is not None:
            found = next((one for one in described.parameters() if one.name == own_name), None)
            if found is not None:
                return found
        elif label in self._classes or self.incomplete:
            return None
        known = self._names()
        hint = suggestion(name, known) or f"; allowed: {', '.join(known[:12])}{', …' if len(known) > 12 else ''}"
        findings.add(path, f"{shown(name)} is no parameter of this sweep{hint}")
        return None

    def _names(self) -> list[str]:
        return [
            f"{label}.{one.name}"
            for label, described in self._classes.items()
            if described is not None
            for one in described.parameters()
        ]
