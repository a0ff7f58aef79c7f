"""Follows a README as a reader would: plays its code blocks from top to bottom in one folder and compares.

How a block is played, by the language that its fence names:

- ``python``: all blocks share one namespace. What a block prints stands in the ``text`` block right after it.
  A block that starts with ``>>>`` is a doctest and shows what it prints itself.
- ``console``: each line ``$ command`` is run by the shell; the lines below it are its standard output. A
  command that fails shows its error output too, and then a line like ``[exit status 2]``. Installing, and
  running the tests, are not repeated here (see ``NOT_REPLAYED``).
- ``toml``: a sweep file; ``vecdecay run`` on it must succeed.
- ``sql``: run by DuckDB; it must find a row, and prints its result, which a ``text`` block after it may show.
- ``text``: what the block before it prints.

Output is compared exactly, but for two things: a line ``...`` stands for any number of lines, and what
changes from run to run is replaced on both sides (see ``CHANGING``; the folder of the run goes too). Progress
goes to standard error, which is not compared.
"""

import contextlib
import difflib
import doctest
import io
import os
import re
import subprocess
import sys
import traceback
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import duckdb
from effort import PATIENCE

PLAYED = ("console", "python", "sql", "text", "toml")

CHANGING = (
    (re.compile(r"\b\d+(?:[.,]\d+)*\s?(?:ns|µs|ms|s|min|h)\b"), "<duration>"),
    (re.compile(r"\b\d+ threads?\b"), "<threads>"),
    (re.compile(r"\b\d+\.\d+\.\d+\b"), "<version>"),
)


# How commands begin that prepare an environment or run these very tests, and why they are not run from here.
NOT_REPLAYED = {
    "git clone": "the checkout is here",
    "cd ": "the checkout is here",
    "python -m venv": "the environment is here; .ci/run makes one from nothing",
    "source ": "the environment is here; .ci/run makes one from nothing",
    "pip install": "the package is installed; .ci/run plays this line",
    "pytest": "this is a part of it; .ci/run plays this line",
}


@dataclass(frozen=True)
class Block:
    """One fenced block: the language that its fence names, its text, and the line where the text starts."""

    language: str
    text: str
    line: int


def blocks(readme: str) -> list[Block]:
    """Return the fenced blocks of a README in their order; raise ValueError where a fence is not closed."""
    found: list[Block] = []
    fence, language, start = "", "", 0
    lines = readme.splitlines()
    for number, line in enumerate(lines, start=1):
        mark = re.match(r"\s*(`{3,}|~{3,})(.*)$", line)
        if mark and not fence:
            fence, language, start = mark[1], mark[2].strip(), number + 1
        elif mark and mark[1].startswith(fence) and not mark[2].strip():
            text = "".join(f"{text_line}\n" for text_line in lines[start - 1 : number - 1])
            found.append(Block(language, text, start))
            fence = ""
    if fence:
        raise ValueError(f"the block that starts in line {start} is never closed")
    return found


def commands(block: Block) -> list[tuple[str, str]]:
    """Return the commands of a console block, each with the output shown below it."""
    parts = re.split(r"^\$ ", block.text.replace("\\\n", ""), flags=re.MULTILINE)
    if parts[0]:
        raise ValueError(f"line {block.line}: a console block starts with a line '$ command'")
    return [(command, output) for command, _, output in (part.partition("\n") for part in parts[1:])]


def not_replayed(command: str) -> str:
    """Return why a command is not run from here, or an empty string for one that is."""
    bare = re.sub(r"^(?:[A-Z_]+=\S+ )+", "", command)
    return next((why for beginning, why in NOT_REPLAYED.items() if bare.startswith(beginning)), "")


def replayed(command: str) -> str:
    """Return what is left of ``a && b && c`` without the parts that are not replayed."""
    return " && ".join(part for part in command.split(" && ") if not not_replayed(part))


def difference(shown: str, printed: str, folder: Path) -> str:
    """Return how the printed text differs from the shown one, as a unified diff; empty if they agree."""
    expected, actual = _settled(shown, folder), _settled(printed, folder)
    pattern = "".join(r"(?:.*\n)*?" if line.strip() == "..." else re.escape(f"{line}\n") for line in expected)
    if re.fullmatch(pattern, "".join(f"{line}\n" for line in actual)):
        return ""
    return "\n".join(difflib.unified_diff(expected, actual, "shown", "printed", lineterm=""))


def _settled(text: str, folder: Path) -> list[str]:
    lines = []
    for line in text.replace(f"{folder}/", "").splitlines():
        settled = line
        for pattern, replacement in CHANGING:
            settled = pattern.sub(replacement, settled)
        # A duration of another width moves the columns beside it.
        lines.append((re.sub(r" {2,}", " ", settled) if settled != line else line).rstrip())
    return lines


class Reading:
    """One reading of a README in one folder: each block is played once, after all blocks before it."""

    def __init__(self, readme_blocks: list[Block], folder: Path, programs: Path) -> None:
        """Play ``readme_blocks`` in ``folder``, with the programs of ``programs`` before all others."""
        self.blocks = readme_blocks
        self.folder = folder
        self.environment = {
            name: value
            for name, value in os.environ.items()
            if name not in {"FORCE_COLOR", "PYTHONPATH", "PYTHONWARNINGS", "PYTEST_ADDOPTS"}
        }
        self.environment |= {
            "PATH": f"{programs}{os.pathsep}{os.environ.get('PATH', os.defpath)}",
            "COLUMNS": "80",
            "LC_ALL": "C.UTF-8",
            "NO_COLOR": "1",
            "PYTHONIOENCODING": "utf-8",
        }
        self.namespace: dict[str, Any] = {"__name__": "readme"}
        self.database = duckdb.connect()
        self.problems: list[str] = []

    def problem(self, index: int) -> str:
        """Return what is wrong with a block, or an empty string; play the blocks before it where needed."""
        while len(self.problems) <= index:
            number = len(self.problems)
            block = self.blocks[number]
            play = getattr(self, f"_play_{block.language}") if block.language in PLAYED else self._play_unknown
            try:
                with contextlib.chdir(self.folder):
                    self.problems.append(play(number, block))
            except Exception:
                self.problems.append(traceback.format_exc())
        return self.problems[index]

    def close(self) -> None:
        """Let go of the database."""
        self.database.close()

    def _shown_after(self, number: int) -> str | None:
        following = self.blocks[number + 1 : number + 2]
        return following[0].text if following and following[0].language == "text" else None

    def _play_unknown(self, _: int, block: Block) -> str:
        return f"nothing plays a block of language {block.language!r}; known: {', '.join(PLAYED)}"

    def _play_text(self, number: int, _: Block) -> str:
        if number and self.blocks[number - 1].language in {"python", "sql"}:
            return ""
        return "a text block shows what the python or sql block right before it prints; there is none"

    def _play_python(self, number: int, block: Block) -> str:
        if block.text.startswith(">>>"):
            return self._play_doctest(block)
        printed = io.StringIO()
        # The empty lines make a traceback name the README's own line.
        source = "\n" * (block.line - 1) + block.text
        with contextlib.redirect_stdout(printed):
            exec(compile(source, "README.md", "exec"), self.namespace)
        return difference(self._shown_after(number) or "", printed.getvalue(), self.folder)

    def _play_doctest(self, block: Block) -> str:
        example = doctest.DocTestParser().get_doctest(
            block.text, self.namespace, "README.md", "README.md", block.line - 1
        )
        example.globs = self.namespace  # doctest works on a copy, and later blocks need what this one defines
        report: list[str] = []
        runner = doctest.DocTestRunner(verbose=False, optionflags=doctest.ELLIPSIS)
        runner.run(example, out=report.append, clear_globs=False)
        return "".join(report)

    def _play_console(self, _: int, block: Block) -> str:
        problems = []
        for command, shown in commands(block):
            rest = replayed(command)
            if not rest:
                problems.append(f"$ {command}\noutput is shown, but {not_replayed(command)}" if shown else "")
                continue
            result = self._run(rest)
            printed = result.stdout
            if result.returncode:
                printed += f"{result.stderr}[exit status {result.returncode}]\n"
            differs = difference(shown, printed, self.folder)
            problems.append(differs and f"$ {rest}\n{differs}\n{result.stderr}")
        return "\n".join(filter(None, problems))

    def _play_toml(self, _: int, block: Block) -> str:
        room = self.folder / f"toml-line-{block.line}"  # its own folder, so that no other run's output is there
        room.mkdir()
        (room / "readme.toml").write_text(block.text, "utf-8")
        result = self._run("vecdecay run readme.toml", room)
        return f"{result.stdout}{result.stderr}[exit status {result.returncode}]" if result.returncode else ""

    def _play_sql(self, number: int, block: Block) -> str:
        result = self.database.sql(block.text)
        if result is None or not len(result):
            return "the query finds no row"
        shown = self._shown_after(number)
        return "" if shown is None else difference(shown, f"{result}\n", self.folder)

    def _run(self, command: str, folder: Path | None = None) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            command,
            shell=True,
            cwd=folder or self.folder,
            env=self.environment,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            encoding="utf-8",
            timeout=PATIENCE,
            check=False,
        )


def programs_of_this_python() -> Path:
    """Return the folder where the commands of the running environment stand, ``vecdecay`` among them."""
    return Path(sys.executable).parent
