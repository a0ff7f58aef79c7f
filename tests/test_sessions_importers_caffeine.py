"""Caffeine's text formats: each line as the simulator's reader takes it."""

from pathlib import Path
from typing import Any

import pytest

from vecdecay.errors import InvalidInputError
from vecdecay.sessions.importers import import_trace
from vecdecay.sessions.importers.caffeine import FORMATS


def imported(folder: Path, name: str, *lines: str) -> tuple[list[tuple[Any, ...]], list[str]]:
    """Return turn, item and tokens of every event, and the notes after the first."""
    path = folder / "t.trace"
    path.write_text("\n".join(lines))
    table, notes = import_trace("caffeine", path, trace_format=name)
    return [(row["turn"], str(row["item"]), row.get("tokens")) for row in table.to_pylist()], notes[1:]


EXAMPLES: dict[str, tuple[list[str], list[tuple[int, str, int | None]]]] = {
    "lirs": (["7", "*", "", "-3", "7"], [(1, "7", None), (2, "-3", None), (3, "7", None)]),
    "arc": (["100 3 0 0", "5 1 0 1"], [(1, "100", None), (1, "101", None), (1, "102", None), (2, "5", None)]),
    "adapt-size": (["1 0 68", "2 0 70"], [(1, "0:68", 68), (2, "0:70", 70)]),
    "address": (["s 0x1fffff50 1", "l 0x1F 1"], [(1, "0x1fffff50", None), (2, "0x1F", None)]),
    "address-penalties": (["s 0x1fffff50 1 1 100"], [(1, "0x1fffff50", None)]),
    "cachelib": (["key,op,size,op_count,key_size", "5,GET,10,2,3", "6,SET,1,1,1"], [(1, "5", 13), (1, "5", 13)]),
    "camelab": (["0 R 8 2 x", "0 W 9 1 x", "1 r 3 1 x"], [(1, "8", None), (1, "9", None), (2, "3", None)]),
    "gradle": (["deadbeef01"], [(1, "deadbeef01", None)]),
    "lrb": (["1 5 0", "2 6 99999999999"], [(1, "5", 1), (2, "6", 2**31 - 1)]),
    "outbrain": (["display_id,ad_id,clicked", "1,42337,0"], [(1, "42337", None)]),
    "snia-cambridge": (
        ["128,usr,0,Read,1024,1025,9", "129,usr,0,Write,0,512,9"],
        [(1, "usr:0:2", None), (1, "usr:0:3", None), (1, "usr:0:4", None)],
    ),
    "snia-k5cloud": (["7,0,Read,1024,513", "7,0,Write,1024,1"], [(1, "7:2", None), (1, "7:3", None)]),
    "snia-object-store": (["5 REST.GET.OBJECT 8d4f 77 0 76", "6 REST.PUT.OBJECT 8d4f 77"], [(1, "8d4f", 77)]),
    "snia-tencent-block": (["9,16,2,0,3", "9,16,2,1,3"], [(1, "3:16", None), (1, "3:17", None)]),
    "snia-tencent-photo": (["1 ab 0 m 77 x", "1 ab 2 m 77 x", "2 ab 5 m 0 x"], [(1, "ab:0:m", 77), (2, "ab:5:m", 1)]),
    "thesios": (
        ["filename,o,a,b,c,d,op,e,f,g,size", "f,64,a,b,c,d,READ,e,f,g,9", "f,64,a,b,c,d,WRITE,e,f,g,9"],
        [(1, "f:64", 9)],
    ),
    "tragen": (["1,5,100"], [(1, "5", 100)]),
    "twitter": (["0,k-a,3,10,1,get,0", "0,k-b,3,10,1,set,0", "1,k-a,3,10,1,gets,0"], [(1, "k-a", 13), (2, "k-a", 13)]),
    "umass-storage": (["2,7,1024,r,0.1", "2,7,512,W,0.2"], [(1, "2:7", None), (1, "2:8", None)]),
    "umass-youtube": (["1 2 3 GETVIDEO abc x y", "1 2 3 OTHER abc x y"], [(1, "abc", None)]),
}


@pytest.mark.parametrize("name", FORMATS)
def test_a_line_is_read_as_the_simulator_reads_it(name: str, tmp_path: Path) -> None:
    """Keys, sizes, blocks and what is no read."""
    lines, events = EXAMPLES[name]
    assert imported(tmp_path, name, *lines)[0] == events


def test_what_is_left_out_is_counted_with_its_lines(tmp_path: Path) -> None:
    """Line 1 may be a header; requests of too many blocks are damaged."""
    lines = ("x,y", "1", "1,a", "1,5")
    assert imported(tmp_path, "outbrain", *lines) == (
        [(1, "5", None)],
        ["2 lines left out, which are not of the format: t.trace rows 2, 3"],
    )
    assert imported(tmp_path, "arc", "5 1", "6 0", "7 99999999", "8")[1] == [
        "1 lines left out, which are not of the format: t.trace row 4",
        "2 requests left out, of no block or more than 65,536: t.trace rows 2, 3",
    ]
    assert imported(tmp_path, "twitter", "0,k,1,1,1,get,0", "0,k,1,1,1,set,0")[1] == [
        "1 requests left out, which are no reads: t.trace row 2"
    ]


def test_a_format_is_named(tmp_path: Path) -> None:
    """Without one, or with another, all are."""
    for name, hint in (("", ""), ("lurs", "; did you mean lirs")):
        with pytest.raises(InvalidInputError, match=f"--trace-format is .*; allowed: lirs, arc, .*{hint}"):
            imported(tmp_path, name, "1")
    with pytest.raises(InvalidInputError, match=r"nothing to play in it; 2 lines left out, .* t\.trace rows 1, 2"):
        imported(tmp_path, "lirs", "one", "two")
