"""LongMemEval: chat histories of dated sittings, each with one question and the turns that answer it.

A session is a question with its history, an item a turn (``answer_4be1b6b4_2:0``: the first of a sitting), registered
at the time of its sitting. At the time of the question, or a day after the last sitting where that is later, the turns
with ``has_answer`` are recalled. A question of the kind knowledge-update asks for the latest value: its evidence in the
latest sitting supersedes that of earlier ones, which are forgotten in the turn that replaces them, and are not
recalled. Other kinds say nothing of what is superseded.

Source: Wu et al., LongMemEval (ICLR 2025); xiaowu0162/LongMemEval, README (format of the data).
"""

import datetime as dt
import os
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from vecdecay.sessions.importers.dialogues import Question, Sitting, day_after, dialogue_table, rows_of
from vecdecay.sessions.importers.reading import Imported, Importer, LeftOut, Row, collected, json_of, refused, time_of

_DATE = re.compile(r"(\d{4})/(\d\d?)/(\d\d?)(?:\s*\([^)]*\))?(?:\s+(\d\d?):(\d\d))?")


def read_longmemeval(source: str | os.PathLike[str]) -> Imported:
    """Return the turns and questions of a file of LongMemEval (.json), and notes.

    The table has session, time, item, kind, message (each turn and question is one) and tokens.
    """
    rows, notes = collected(source, (".json",), _histories)
    table, found = dialogue_table(rows)
    return table, [found, *notes]


def _histories(path: Path, name: str, left_out: LeftOut) -> list[Row]:
    whole = json_of(path)
    rows: list[Row] = []
    for number, one in enumerate(whole if isinstance(whole, list) else [whole]):
        history = list(_sittings(one, number, name, left_out)) if isinstance(one, dict) else []
        if not history:
            left_out.add("questions left out, which have no history", name, [number])
            continue
        given = one.get("question_id")
        session = given if isinstance(given, str) and given else f"{name}#{number + 1}"
        history.sort(key=lambda both: both[0].time)
        question = _question(one, [answers for _, answers in history], number, name, left_out)
        last = history[-1][0].time
        time = _time(one.get("question_date")) or day_after(last)
        if time < last:
            left_out.add("questions older than their last sitting, asked a day after it", name, [number])
            time = day_after(last)
        rows += rows_of(session, [sitting for sitting, _ in history], [question._replace(time=time)])
    if not rows:
        raise refused(path, "there is no question with haystack_sessions and haystack_dates in it")
    return rows


def _sittings(one: dict[str, Any], number: int, name: str, left_out: LeftOut) -> Iterator[tuple[Sitting, list[str]]]:
    """Yield the sittings of a history, each with those of its items that answer the question."""
    histories, dates, ids = (one.get(f"haystack_{key}") for key in ("sessions", "dates", "session_ids"))
    names: dict[str, int] = {}
    for place, turns in enumerate(histories if isinstance(histories, list) else ()):
        time = _time(dates[place]) if isinstance(dates, list) and place < len(dates) else None
        given = ids[place] if isinstance(ids, list) and place < len(ids) else None
        called = given if isinstance(given, str) and given else f"sitting {place + 1}"
        names[called] = names.get(called, 0) + 1
        called += f" ({names[called]})" * (names[called] > 1)
        if time is None or not isinstance(turns, list):
            left_out.add("sittings left out, which have no date or no turns", name, [number])
            continue
        listed = [(f"{called}:{turn}", text) for turn, text in enumerate(turns) if isinstance(text, dict)]
        left_out.add("questions with turns left out, which are no objects", name, [number] * (len(listed) < len(turns)))
        answers = [item for item, text in listed if text.get("has_answer") is True]
        yield Sitting(time, [(item, text.get("content")) for item, text in listed]), answers


def _question(one: dict[str, Any], answers: list[list[str]], number: int, name: str, left_out: LeftOut) -> Question:
    """Return what a question needs; its time is set by the caller."""
    needed = [item for some in answers for item in some]
    replaced: dict[str, str] = {}
    if not needed:
        left_out.add("questions without evidence, such as those that cannot be answered", name, [number])
    if one.get("question_type") == "knowledge-update":
        latest = next((some for some in reversed(answers) if some), [])
        replaced = {item: latest[0] for item in needed if item not in latest}
        left_out.add(
            "questions whose earlier evidence was superseded, and is forgotten", name, [number] * bool(replaced)
        )
        needed = latest
    return Question("question", dt.datetime.max, needed, replaced)


def _time(text: Any) -> dt.datetime | None:
    """Return the time that a text such as "2023/05/30 (Tue) 23:40" names."""
    match = _DATE.fullmatch(text.strip()) if isinstance(text, str) else None
    if match is None:
        return time_of(text)
    year, month, day, hour, minute = (int(part or 0) for part in match.groups())
    try:
        return dt.datetime(year, month, day, hour, minute, tzinfo=dt.UTC)
    except ValueError:
        return None


_SUMMARY = "LongMemEval histories (.json): turns registered, answers recalled"
LONGMEMEVAL = Importer("longmemeval", _SUMMARY, read_longmemeval)
