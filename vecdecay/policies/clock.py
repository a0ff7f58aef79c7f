"""The clocks of policies whose constants are in days, hours or seconds: how a number of turns becomes one of those.

The program's clock is the turn, of unknown duration. A policy that needs a duration has the parameter
``turns_per_day``, whose default makes one turn one of the policy's own units.
"""

from typing import Any

from vecdecay.parameters import parameter

HOURS_PER_DAY = 24.0
SECONDS_PER_DAY = 86_400.0


def turns_per_day_parameter(default: float) -> Any:
    """Return the parameter ``turns_per_day`` of a policy that divides ages by it; fractions are allowed."""
    return parameter(default, at_least=1e-6, at_most=1e9, unit="turns", meaning="turns that make a day")


def days(age: float, turns_per_day: float) -> float:
    """Return an age in turns as days.

    >>> days(3, turns_per_day=2.0)
    1.5
    """
    return age / turns_per_day


def hours(age: float, turns_per_day: float) -> float:
    """Return an age in turns as hours; exact for whole hours at 24 turns a day.

    >>> hours(111, turns_per_day=24.0)
    111.0
    """
    return age * HOURS_PER_DAY / turns_per_day


def seconds(age: float, turns_per_day: float) -> float:
    """Return an age in turns as seconds.

    >>> seconds(1, turns_per_day=1440.0)
    60.0
    """
    return age * SECONDS_PER_DAY / turns_per_day
