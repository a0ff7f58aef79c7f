"""LoCoMo: long dialogues of two people in dated sittings, with questions and the turns that answer them.

A session is a dialogue, an item a turn of it (``D3:11``: the 11th of sitting 3), registered at the time of its sitting;
a question recalls its evidence. Evidence is ragged in the published file: several ids in one text, with ``;`` or spaces
between them, ``D:11:26``, ``D30:05``, a bare ``D``, ids of no turn. What can be read is, and is counted.

Source: Maharana et al., Evaluating Very Long-Term Conversational Memory of LLM Agents (2024); snap-research/locomo,
data/locomo10.json. The older form, a file per dialogue, is read too.
"""

import datetime as dt
import os
import re
from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import Any

from vecdecay.errors import InvalidInputError
from vecdecay.parameters import brief, did_you_mean
from vecdecay.sessions.importers.dialogues import Question, Sitting, day_after, dialogue_table, rows_of
from vecdecay.sessions.importers.reading import Imported, Importer, LeftOut, Row, collected, json_of, refused, time_of

ASKED = ("end", "following")
"""When questions are asked: a day after the last sitting, or at the sitting that follows their latest evidence."""

Ids = dict[tuple[int, int], tuple[str, int]]
"""What an id names, by its numbers: a turn, and the place of its sitting in the order of time."""

_SITTING = re.compile(r"session_(\d{1,9})")
_ID = re.compile(r"D:?(\d{1,9}):(\d{1,9})", re.IGNORECASE)


def read_locomo(source: str | os.PathLike[str], questions: str = "end") -> Imported:
    """Return the turns and questions of dialogues (.json), and notes; ``questions`` is one of ASKED.

    The table has session, time, item, kind, message (each turn and question is one) and tokens.
    """
    if questions not in ASKED:
        hint = did_you_mean(questions, ASKED)
        raise InvalidInputError([f"--questions is {brief(questions)}; allowed: {', '.join(ASKED)}{hint}"])
    rows, notes = collected(source, (".json",), partial(_dialogues, following=questions == "following"))
    table, found = dialogue_table(rows)
    asked = "at the sitting after their evidence" if questions == "following" else "a day after the last sitting"
    return table, [found, f"questions are asked {asked}", *notes]


def _dialogues(path: Path, name: str, left_out: LeftOut, following: bool) -> list[Row]:
    whole = json_of(path)
    samples = [one for one in (whole if isinstance(whole, list) else [whole]) if isinstance(one, dict)]
    rows: list[Row] = []
    for number, sample in enumerate(samples):
        given = sample.get("sample_id")
        session = given if isinstance(given, str) and given else f"{name}#{number + 1}" if number else name
        talk = sample.get("conversation")
        sittings, ids = _sittings(talk if isinstance(talk, dict) else sample, session, left_out)
        if sittings:
            rows += rows_of(session, sittings, list(_questions(sample, session, sittings, ids, following, left_out)))
    if not rows:
        raise refused(path, "there is no dialogue in it: no session_1 with session_1_date_time")
    return rows


def _sittings(talk: dict[str, Any], session: str, left_out: LeftOut) -> tuple[list[Sitting], Ids]:
    """Return the sittings in the order of time, and the turns by their ids, each with the place of its sitting."""
    numbered = sorted((int(match[1]), key) for key in talk if (match := _SITTING.fullmatch(key)))
    sittings = []
    for number, key in numbered:
        time, turns = _time(talk.get(f"{key}_date_time")), talk[key]
        if time is None or not isinstance(turns, list):
            left_out.add("sittings left out, which have no date or no turns", session, [number - 1])
            continue
        listed = [one if isinstance(one, dict) else {} for one in turns]
        sound = {one: turn.get("text") for turn in listed if isinstance(one := turn.get("dia_id"), str) and one}
        lost = len(turns) - len(sound)
        left_out.add("turns left out, which have no id of their own; by sitting", session, [number - 1] * lost)
        sittings.append(Sitting(time, list(sound.items())))
    sittings.sort(key=lambda one: one.time)
    ids = {
        (int(match[1]), int(match[2])): (item, place)
        for place, sitting in enumerate(sittings)
        for item, _ in sitting.turns
        if (match := _ID.fullmatch(item))
    }
    return sittings, ids


def _questions(
    sample: dict[str, Any],
    session: str,
    sittings: list[Sitting],
    ids: Ids,
    following: bool,
    left_out: LeftOut,
) -> Iterator[Question]:
    asked = sample.get("qa")
    for number, one in enumerate(asked if isinstance(asked, list) else ()):
        evidence = one.get("evidence") if isinstance(one, dict) else None
        needed: dict[str, int] = {}
        for text in evidence if isinstance(evidence, list) else [evidence]:
            matches = _ID.findall(text) if isinstance(text, str) else []
            numbers = [(int(sitting), int(turn)) for sitting, turn in matches]
            known = [ids[one] for one in numbers if one in ids]
            needed.update(known)
            left_out.add("evidence left out, in which there is no id", session, [number] * (not matches))
            left_out.add("evidence left out, ids of no turn", session, [number] * (len(matches) - len(known)))
            if known and text != known[0][0]:
                left_out.add("evidence of several ids, or of another form, was read", session, [number])
        if needed:
            place = max(needed.values()) + 1
            opens = following and place < len(sittings)
            time = sittings[place].time if opens else day_after(sittings[-1].time)
            yield Question(f"question {number + 1}", time, needed, opens=opens)


def _time(text: Any) -> dt.datetime | None:
    """Return the time that a text such as "1:56 pm on 8 May, 2023" names."""
    try:
        return dt.datetime.strptime(text.strip(), "%I:%M %p on %d %B, %Y").replace(tzinfo=dt.UTC)
    except (AttributeError, ValueError):
        return time_of(text)


LOCOMO = Importer(
    "locomo", "LoCoMo dialogues (.json): turns registered, evidence recalled", read_locomo, ("questions",)
)
