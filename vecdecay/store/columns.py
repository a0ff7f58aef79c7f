"""Arrow fields from the records in ``quantities``, and the seed column, whose type depends on the seeds."""

import math
from collections.abc import Iterable
from dataclasses import dataclass
from decimal import Decimal

import numpy as np
import pyarrow as pa

from vecdecay.parameters import Described
from vecdecay.quantities import RELATION_NAMES, SATURATED, Quantity
from vecdecay.sessions.mersenne import Seeds

_TYPES = {
    "int32": pa.int32(),
    "int64": pa.int64(),
    "float64": pa.float64(),
    "string": pa.dictionary(pa.int32(), pa.string()),
    "bool": pa.bool_(),
}


_SESSION = ("cell", "session")

ASKED_COLUMNS: dict[str, tuple[Quantity, ...]] = {
    "token_hit_rate": (
        Quantity("recalled_tokens", "int64", _SESSION, "tokens", "tokens of the items of all recalls"),
        Quantity("missed_tokens", "int64", _SESSION, "tokens", "tokens of the items of those that missed"),
    ),
    "dead_weight": (
        Quantity(
            "dead_item_turns", "int64", _SESSION, "items", "items held and not recalled again, summed over the turns"
        ),
    ),
    "saturation": (
        Quantity(
            "saturated_item_turns",
            "int64",
            _SESSION,
            "items",
            f"items whose retention is above {SATURATED}, summed over the turns; null without a retention",
            nullable=True,
        ),
    ),
}
"""Columns of the sessions table beside metrics that are asked for."""


@dataclass(frozen=True)
class Layout:
    """What the schemas of a run depend on; one layout holds for all its tables and parts.

    ``checkpoints`` are turns, ascending; ``seeds_fit`` says whether every seed fits 64 bits (else seeds are text);
    ``has_tokens`` whether items may have sizes (else figures in tokens would repeat those in items); ``has_relations``
    whether items may supersede, or be derived from, each other (else such counts are left out); ``kinds`` are the
    policies and workloads whose parameters are columns of the cells table, ``shared`` the names
    of those parameters which all policies have that are set somewhere, ``asked`` the metrics that are measured because
    they are asked for.
    """

    checkpoints: tuple[int, ...] = ()
    seeds_fit: bool = True
    has_tokens: bool = False
    has_relations: bool = False
    kinds: tuple[type[Described], ...] = ()
    shared: tuple[str, ...] = ()
    asked: tuple[str, ...] = ()

    @property
    def beside(self) -> tuple[int | str, ...]:
        """What is measured beside the metrics of every sweep: names of further metrics, turns of checkpoints."""
        return (*(RELATION_NAMES if self.has_relations else ()), *self.asked, *self.checkpoints)


def field_of(quantity: Quantity, turn: int | None = None) -> pa.Field:
    """Return the Arrow field of a quantity; ``turn`` fills the placeholder of a checkpoint's column."""
    meaning = quantity.meaning if turn is None else quantity.meaning.format(turn=turn)
    name = quantity.name if turn is None else quantity.name.format(turn=turn)
    metadata = {"meaning": meaning, "unit": quantity.unit, "dimensions": ", ".join(quantity.dimensions)}
    return pa.field(name, _TYPES[quantity.dtype], nullable=quantity.nullable, metadata=metadata)


def fields_of(quantities: Iterable[Quantity], layout: Layout) -> list[pa.Field]:
    """Return the Arrow fields of quantities; a seed column is text where not every seed fits 64 bits."""
    fields = map(field_of, quantities)
    if layout.seeds_fit:
        return list(fields)
    return [field.with_type(pa.string()) if field.name == "seed" else field for field in fields]


def seeds_fit_64_bits(seeds: Seeds) -> bool:
    """Tell whether every seed fits the signed 64-bit column; otherwise seeds are stored as text."""
    if isinstance(seeds, np.ndarray) and seeds.dtype != object:
        return seeds.dtype.kind == "i" or len(seeds) == 0 or int(seeds.max()) < 2**63
    if isinstance(seeds, range):
        ends = (seeds[0], seeds[-1]) if seeds else ()
        return all(-(2**63) <= seed < 2**63 for seed in ends)
    return all(-(2**63) <= seed < 2**63 for seed in seeds)


def longest_seed_text(seeds: Seeds) -> int:
    """Return the bytes that no seed exceeds as text; 0 where all fit the 64-bit column, which holds no text."""
    if seeds_fit_64_bits(seeds):
        return 0
    ends = (seeds[0], seeds[-1]) if isinstance(seeds, range) else seeds
    bits = max(int(seed).bit_length() for seed in ends)
    return bits * 30_103 // 100_000 + 2  # a digit has log2(10) bits; one more where that is rounded down, and a sign


def row_bytes(schema: pa.Schema, seed_text: int) -> float:
    """Return the bytes of a row: values, numbers for words, bits for nulls, ``seed_text`` for a seed that is text."""
    return math.fsum(_field_bits(field.type, seed_text) + bool(field.nullable) for field in schema) / 8


def _field_bits(kind: pa.DataType, seed_text: int) -> int:
    if pa.types.is_string(kind):
        return 8 * (8 + seed_text)
    width: int = 32 if pa.types.is_dictionary(kind) else kind.bit_width
    return width


def seed_array(seeds: Seeds, kind: pa.DataType) -> pa.Array:
    """Return the seeds as an Arrow array of the column's type."""
    if kind == pa.string():
        # str refuses integers of more than 4,300 digits; Decimal holds them all, and writes them to the last digit.
        return pa.array([str(Decimal(int(seed))) for seed in seeds], type=kind)
    if isinstance(seeds, range):
        # Modulo 2**64, so that no product or end point that lies outside spoils the seeds, which all fit.
        steps = np.arange(len(seeds), dtype=np.uint64)
        values = steps * np.uint64(seeds.step % 2**64) + np.uint64(seeds.start % 2**64)
        return pa.array(values.view(np.int64), type=kind)
    return pa.array(np.asarray(seeds, dtype=np.int64), type=kind)
