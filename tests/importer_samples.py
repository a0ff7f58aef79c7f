"""A small source of every format that ``vecdecay import`` knows, made in code, for the tests of all importers."""

import json
import sqlite3
import struct
import zipfile
from collections.abc import Callable, Sequence
from contextlib import closing
from pathlib import Path
from typing import Any

import pyarrow as pa

SECRET = "words that nobody else should read"
DAY = 86_400_000


def claude_code(folder: Path) -> Path:
    """Write a transcript."""
    path = folder / "session.jsonl"
    lines = []
    for number, name in enumerate(("a.py", "b.py", "a.py", "a.py")):
        use = {"type": "tool_use", "name": "Read", "input": {"file_path": name, "why": SECRET}}
        message = {"id": f"m{number}", "role": "assistant", "content": [{"type": "text", "text": SECRET}, use]}
        lines.append({"type": "assistant", "uuid": f"u{number}", "sessionId": "s1", "message": message})
    path.write_text("\n".join(map(json.dumps, lines)))
    return path


def database(path: Path, schema: str, table: str, rows: Sequence[Sequence[Any]]) -> Path:
    """Write an SQLite file with one filled table."""
    with closing(sqlite3.connect(path)) as connection:
        connection.executescript(schema)
        if rows:
            connection.executemany(f"INSERT INTO {table} VALUES ({', '.join('?' * len(rows[0]))})", rows)
        connection.commit()
    return path


REVLOG = (
    "CREATE TABLE revlog (id INTEGER PRIMARY KEY, cid INTEGER, usn INTEGER, ease INTEGER, ivl INTEGER, "
    "lastIvl INTEGER, factor INTEGER, time INTEGER, type INTEGER); CREATE TABLE notes (flds TEXT);"
)
REVIEWS = ((19_801, 7, 3, 0), (19_802, 8, 1, 0), (19_809, 7, 4, 1), (19_820, 8, 2, 1), (19_831, 7, 1, 1))
"""Day (since 1970), card, button and kind of a few reviews."""


def reviews(rows: Sequence[tuple[int, int, int, int]] = REVIEWS, factor: int = 2500) -> list[tuple[Any, ...]]:
    """Return rows of Anki's log."""
    return [(day * DAY, card, -1, ease, 1, 1, factor, 900, kind) for day, card, ease, kind in rows]


def anki(folder: Path, rows: Sequence[tuple[Any, ...]] | None = None) -> Path:
    """Write a collection as Anki keeps it."""
    path = database(folder / "collection.anki2", REVLOG, "revlog", reviews() if rows is None else rows)
    with closing(sqlite3.connect(path)) as connection:
        connection.execute("INSERT INTO notes VALUES (?)", (SECRET,))
        connection.commit()
    return path


def colpkg(folder: Path) -> Path:
    """Write a package as Anki exports it: the collection packed, and beside it a stub for older programs."""
    whole = anki(folder)
    path = folder / "collection.colpkg"
    with zipfile.ZipFile(path, "w") as package:
        package.writestr("collection.anki2", b"a stub")
        package.writestr("collection.anki21b", pa.compress(whole.read_bytes(), codec="zstd", asbytes=True))
    whole.unlink()
    return path


def fsrs(folder: Path) -> Path:
    """Write a log of reviews."""
    path = folder / "revlog.csv"
    lines = [f"{card},{day * DAY},{grade},{kind},{SECRET}" for day, card, grade, kind in REVIEWS]
    path.write_text("\n".join(["card_id,review_time,review_rating,review_state,review_duration", *lines]))
    return path


def swe_agent(folder: Path) -> Path:
    """Write a trajectory."""
    state = json.dumps({"open_file": "/repo/a.py", "working_dir": "/repo"})
    actions = ("open a.py 10\n", f"edit 4:4\n{SECRET}\nend_of_edit\n", "python a.py\n", "cat b.py", "submit\n")
    steps = [{"action": one, "observation": SECRET, "thought": SECRET, "state": state} for one in actions]
    path = folder / "issue-1.traj"
    path.write_text(json.dumps({"trajectory": steps, "history": [], "info": {}}))
    return path


ITEM_PATH = "tool_calls[].function.arguments.path"


def call(**arguments: Any) -> dict[str, Any]:
    """Return a message that calls a tool."""
    function = {"name": "read", "arguments": json.dumps(arguments)}
    return {
        "role": "assistant",
        "content": SECRET,
        "tool_calls": [{"id": "c", "type": "function", "function": function}],
    }


def openai_chat(folder: Path) -> Path:
    """Write two conversations, a line each."""
    path = folder / "log.jsonl"
    message = {"role": "user", "content": SECRET}
    talks = [[message, call(path="a.py"), call(path="b.py"), message, call(path="a.py")], [message, call(path="b.py")]]
    path.write_text("\n".join(json.dumps({"messages": one, "model": "m"}) for one in talks))
    return path


def locomo(folder: Path) -> Path:
    """Write one dialogue of three sittings, with two questions."""
    talk: dict[str, Any] = {"speaker_a": "A", "speaker_b": "B"}
    for number in (1, 2, 3):
        talk[f"session_{number}_date_time"] = f"{number}:56 pm on {number * 3} May, 2023"
        talk[f"session_{number}"] = [{"speaker": "A", "dia_id": f"D{number}:{turn}", "text": SECRET} for turn in (1, 2)]
    questions = [{"question": SECRET, "answer": SECRET, "evidence": one, "category": 1} for one in (["D1:2"], ["D2:1"])]
    path = folder / "locomo.json"
    path.write_text(json.dumps([{"sample_id": "conv-1", "conversation": talk, "qa": questions}]))
    return path


def history(kind: str = "knowledge-update") -> dict[str, Any]:
    """Return a question of LongMemEval with its history, whose sittings are not in order."""
    turns = [{"role": "user", "content": SECRET, "has_answer": True}, {"role": "assistant", "content": SECRET}]
    return {
        "question_id": "q1",
        "question_type": kind,
        "question": SECRET,
        "answer": SECRET,
        "question_date": "2023/06/10 (Sat) 10:00",
        "haystack_session_ids": ["new", "noise", "old"],
        "haystack_dates": ["2023/06/01 (Thu) 20:21", "2023/05/27 (Sat) 10:20", "2023/05/25 (Thu) 08:00"],
        "haystack_sessions": [turns, turns[1:], turns],
    }


def longmemeval(folder: Path) -> Path:
    """Write one question."""
    path = folder / "longmemeval.json"
    path.write_text(json.dumps([history()]))
    return path


HISTORY = (
    "CREATE TABLE history (id TEXT PRIMARY KEY, memory_id TEXT, old_memory TEXT, new_memory TEXT, event TEXT, "
    "created_at DATETIME, updated_at DATETIME, is_deleted INTEGER, actor_id TEXT, role TEXT);"
)


def mem0(folder: Path, events: Sequence[tuple[Any, ...]] | None = None) -> Path:
    """Write a history; an event is its memory, kind, and times of creation and change."""
    usual = (
        ("a", "ADD", "2024-05-01T10:00:00-07:00", None),
        ("b", "ADD", "2024-05-02T10:00:00-07:00", None),
        ("a", "UPDATE", "2024-05-01T10:00:00-07:00", "2024-05-03T10:00:00-07:00"),
        ("b", "DELETE", "2024-05-02T10:00:00-07:00", "2024-05-04T10:00:00-07:00"),
    )
    rows = [
        (f"e{number}", memory, SECRET, None if kind == "DELETE" else SECRET, kind, created, updated, 0, None, "user")
        for number, (memory, kind, created, updated) in enumerate(usual if events is None else events)
    ]
    return database(folder / "history.db", HISTORY, "history", rows)


MEMORIES = (
    "CREATE TABLE memories (id INTEGER PRIMARY KEY, user_id TEXT, content TEXT, importance REAL, recall_count INTEGER, "
    "last_accessed_at TEXT, created_at TEXT, category TEXT); "
    "CREATE TABLE memory_history (id INTEGER PRIMARY KEY, memory_id INTEGER, old_content TEXT, superseded_at TEXT); "
    f"INSERT INTO memory_history VALUES (1, 1, '{SECRET}', '2024-05-03 10:00:00'), (2, 9, 'x', '2024-05-03');"
)


def your_memory(folder: Path, memories: Sequence[tuple[Any, ...]] | None = None) -> Path:
    """Write a store; a memory is its number, user, importance, recalls, last recall, creation and category."""
    usual = (
        (1, "ada", 0.9, 3, "2024-05-07 10:00:00", "2024-05-01 10:00:00", "strategy"),
        (2, "ada", 0.4, 0, "2024-05-02 10:00:00", "2024-05-02 10:00:00", "fact"),
        (3, "bob", 0.5, 1, "2024-05-05 10:00:00", "2024-05-04 10:00:00", "fact"),
    )
    rows = [(one[0], one[1], f"{SECRET} {one[0]}", *one[2:]) for one in (usual if memories is None else memories)]
    return database(folder / "memories.db", MEMORIES, "memories", rows)


REQUESTS = ((10, "a", 512), (11, "b", 4096), (12, "a", 512), (15, "c", 1), (19, "a", 512), (20, "b", 4096))
"""Time, object and size of a few requests."""


def libcachesim_csv(folder: Path) -> Path:
    """Write a trace as CSV."""
    path = folder / "trace.csv"
    lines = [f"{time},{size},{name},{SECRET}" for time, name, size in REQUESTS]
    path.write_text("\n".join(["time,size,obj_id,note", *lines]))
    return path


def records(requests: Sequence[tuple[int, str, int]] = REQUESTS) -> list[tuple[int, int, int, int]]:
    """Return time, object, size and the number of the next request of the object, -1 for none, of requests."""
    found = []
    for number, (time, name, size) in enumerate(requests):
        later = [place + 1 for place, one in enumerate(requests) if one[1] == name and place > number]
        found.append((time, ord(name), size, later[0] if later else -1))
    return found


def oracle_general(folder: Path, content: Sequence[tuple[int, int, int, int]] | None = None) -> Path:
    """Write a trace in libCacheSim's binary format."""
    path = folder / "trace.oracleGeneral.bin"
    path.write_bytes(b"".join(struct.pack("<IQIq", *one) for one in content or records()))
    return path


def lirs(folder: Path) -> Path:
    """Write a trace of blocks."""
    path = folder / "trace.txt"
    path.write_text("".join(f"{ord(name)}\n" for _, name, _ in REQUESTS) + "*\n")
    return path


def twitter(folder: Path) -> Path:
    """Write a trace with keys and sizes."""
    path = folder / "cluster.csv"
    path.write_text("".join(f"{time},key-{name},1,{size},7,get,0\n" for time, name, size in REQUESTS))
    return path


SAMPLES: dict[str, tuple[str, Callable[[Path], Path], dict[str, Any]]] = {
    "claude-code": ("claude-code", claude_code, {}),
    "swe-agent": ("swe-agent", swe_agent, {}),
    "openai-chat": ("openai-chat", openai_chat, {"item_path": [ITEM_PATH]}),
    "mem0": ("mem0", mem0, {}),
    "your-memory": ("your-memory", your_memory, {}),
    "locomo": ("locomo", locomo, {}),
    "longmemeval": ("longmemeval", longmemeval, {}),
    "anki": ("anki", anki, {}),
    "anki package": ("anki", colpkg, {}),
    "fsrs": ("fsrs", fsrs, {}),
    "libcachesim": ("libcachesim", libcachesim_csv, {}),
    "oracleGeneral": ("libcachesim", oracle_general, {}),
    "caffeine lirs": ("caffeine", lirs, {"trace_format": "lirs"}),
    "caffeine twitter": ("caffeine", twitter, {"trace_format": "twitter"}),
}
"""What a sample is called, its format, how it is made, and the options with which it is read."""
