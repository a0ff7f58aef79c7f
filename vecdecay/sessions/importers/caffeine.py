"""Text formats of Caffeine's simulator: traces of caches, one request a line.

An item is a key or a block, a session a trace, a turn a request, as the simulator counts; a request for several blocks
touches each of them in one turn. Reads are taken, as the simulator takes them; sizes, where a format has them, become
tokens. Blocks of a volume are called ``volume:block``.

Source: ben-manes/caffeine, simulator/…/parser: the readers of the formats, by the names of its reference.conf.
"""

import os
from functools import partial
from pathlib import Path
from typing import NamedTuple

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from vecdecay.errors import InvalidInputError
from vecdecay.parameters import brief, did_you_mean
from vecdecay.sessions.importers.lines import WHOLE, Fields, fields_of, found_in, lines_of, request_table
from vecdecay.sessions.importers.reading import Imported, Importer, LeftOut, collected

_MOST_BLOCKS = 65_536
"""Of one request: more are a damaged number."""

_HEX, _NAME = "0x[0-9a-fA-F]{1,16}", r"\S{1,500}"


class Blocks(NamedTuple):
    """A request for several blocks: where its length stands, and the units of its first block and of its length."""

    length: int
    start_unit: int = 1
    length_unit: int = 1


class TextFormat(NamedTuple):
    """Where things stand in a line, places from 0.

    ``item`` holds what names an object (of blocks, the last is the first block), ``pattern`` what each looks like;
    ``sizes`` are added up; ``reads`` is a place, and the pattern of a line that is taken.
    """

    item: tuple[int, ...]
    pattern: str = WHOLE
    separator: str | None = None
    sizes: tuple[int, ...] = ()
    reads: tuple[int, str] | None = None
    blocks: Blocks | None = None
    times: int | None = None
    header: bool = False


FORMATS = {
    "lirs": TextFormat((0,), rf"-?{WHOLE}"),
    "arc": TextFormat((0,), blocks=Blocks(1)),
    "adapt-size": TextFormat((1, 2), sizes=(2,)),  # an object of another size is another object there
    "address": TextFormat((1,), _HEX),
    "address-penalties": TextFormat((1,), _HEX),
    "cachelib": TextFormat((0,), separator=",", sizes=(2, 4), reads=(1, "GET|GET_LEASE"), times=3, header=True),
    "camelab": TextFormat((2,), reads=(1, "[^wW].*"), blocks=Blocks(3)),
    "gradle": TextFormat((0,), "[0-9a-fA-F-]{1,64}"),
    "lrb": TextFormat((1,), sizes=(2,)),
    "outbrain": TextFormat((1,), separator=",", header=True),
    "snia-cambridge": TextFormat((1, 2, 4), _NAME, ",", reads=(3, "Read"), blocks=Blocks(5, 512, 512)),
    "snia-k5cloud": TextFormat((0, 3), separator=",", reads=(2, "R.*"), blocks=Blocks(4, 512, 512)),
    "snia-object-store": TextFormat((2,), "[0-9a-fA-F]{1,16}", sizes=(3,), reads=(1, "REST.GET.OBJECT")),
    "snia-tencent-block": TextFormat((4, 1), separator=",", reads=(3, "0"), blocks=Blocks(2)),
    "snia-tencent-photo": TextFormat((1, 2, 3), _NAME, sizes=(4,), reads=(2, "[05]")),  # the formats that are stored
    "thesios": TextFormat((0, 1), _NAME, ",", sizes=(10,), reads=(6, "READ")),
    "tragen": TextFormat((1,), separator=",", sizes=(2,)),
    "twitter": TextFormat((1,), _NAME, ",", sizes=(2, 3), reads=(5, "gets?")),
    "umass-storage": TextFormat((0, 1), separator=",", reads=(3, "[^wW].*"), blocks=Blocks(2, 1, 512)),
    "umass-youtube": TextFormat((4,), _NAME, reads=(3, "GETVIDEO")),
}
"""The formats that are read, as Caffeine calls them. Not read are binary ones, and baleen, snia-enterprise, snia-systor
and wikipedia, whose lines need more than fields.
"""


def read_caffeine(source: str | os.PathLike[str], trace_format: str = "") -> Imported:
    """Return the requests of a trace, or of all (.trace, .gz, .xz, .txt, .csv) below a folder, and notes.

    The table has session, turn and item, and tokens where the format has sizes.
    """
    if trace_format not in FORMATS:
        hint = did_you_mean(trace_format, FORMATS)
        raise InvalidInputError([f"--trace-format is {brief(trace_format)}; allowed: {', '.join(FORMATS)}{hint}"])
    endings = (".trace", ".gz", ".xz", ".zst", ".txt", ".csv", ".lis")
    tables, notes = collected(source, endings, partial(_requests, form=FORMATS[trace_format]))
    table = pa.concat_tables(tables)
    return table, [found_in(table), *notes]


def _requests(path: Path, name: str, left_out: LeftOut, form: TextFormat) -> list[pa.Table]:
    skipped = int(form.header)
    numbers = (*form.sizes, *((form.blocks.length, form.item[-1]) if form.blocks else ()))
    numbers += () if form.times is None else (form.times,)
    places = {*form.item, *numbers, *(() if form.reads is None else form.reads[:1])}
    fields, short = fields_of(lines_of(path)[skipped:], places, form.separator)
    if form.reads is not None:
        taken = fields.matching(*form.reads)
        left_out.add("requests left out, which are no reads", name, fields.number[~taken] + skipped)
        fields = fields.kept(taken)
    sound = np.ones(len(fields.number), dtype=np.bool_)
    for place, pattern in ((one, some) for ones, some in ((form.item, form.pattern), (numbers, WHOLE)) for one in ones):
        sound &= fields.matching(place, pattern)
    bad = np.sort(np.concatenate([short, fields.number[~sound]])) + skipped
    left_out.add("lines left out, which are not of the format", name, bad)
    fields = fields.kept(sound)
    count = _counts(fields, form)
    odd = (count < 1) | (count > _MOST_BLOCKS)
    left_out.add(f"requests left out, of no block or more than {_MOST_BLOCKS:,}", name, fields.number[odd] + skipped)
    fields, count = fields.kept(~odd), count[~odd]
    if not len(fields.number):
        return []
    sizes = sum((fields.integers(one) for one in form.sizes), np.zeros(len(count), dtype=np.int64))
    which = np.repeat(np.arange(len(count)), count)
    return [request_table(name, which + 1, _items(fields, form, which, count), sizes[which] if form.sizes else None)]


def _counts(fields: Fields, form: TextFormat) -> NDArray[np.int64]:
    """Return how many events a request is."""
    if form.times is not None:
        return fields.integers(form.times)
    if form.blocks is None:
        return np.ones(len(fields.number), dtype=np.int64)
    return -(-fields.integers(form.blocks.length) // form.blocks.length_unit)


def _items(fields: Fields, form: TextFormat, which: NDArray[np.int64], count: NDArray[np.int64]) -> pa.Array:
    """Return the names of what the events touch; ``which`` is the request of each."""
    names = [fields.columns[place].take(pa.array(which)) for place in form.item]
    if form.blocks is not None:
        first = fields.integers(form.item[-1]) // form.blocks.start_unit
        inside = np.arange(len(which)) - np.repeat(np.cumsum(count) - count, count)
        block = pa.array(first[which] + inside)
        if len(names) == 1:
            return block
        names[-1] = block.cast(pa.large_string())
    return names[0] if len(names) == 1 else pc.binary_join_element_wise(*names, pa.scalar(":", pa.large_string()))


_SUMMARY = f"traces of Caffeine's simulator, {len(FORMATS)} text formats: requests, with sizes as tokens"
CAFFEINE = Importer("caffeine", _SUMMARY, read_caffeine, ("trace_format",))
