"""The README is true: every code block of it runs, and prints what it shows."""

import re
import shutil
import tomllib
from collections.abc import Iterator
from pathlib import Path

import pytest
from house import ROOT
from readme_runner import (
    Reading,
    blocks,
    commands,
    difference,
    not_replayed,
    programs_of_this_python,
    replayed,
)

MOST_LINES = 300
README = (ROOT / "README.md").read_text("utf-8") if (ROOT / "README.md").is_file() else ""
BLOCKS = blocks(README)
COMMANDS = [command for block in BLOCKS if block.language == "console" for command, _ in commands(block)]


def test_there_is_a_readme_with_code_of_both_kinds() -> None:
    """Without a README, or without a command and Python code in it, the tests below would test nothing."""
    assert README
    assert {"console", "python"} <= {block.language for block in BLOCKS}


def test_the_readme_is_at_most_300_lines() -> None:
    """A newcomer reads it in one go."""
    assert README.count("\n") <= MOST_LINES


@pytest.fixture(scope="module")
def reading(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Reading]:
    """A reading of the README in a folder that holds it and the project's sweeps and nothing else."""
    folder = tmp_path_factory.mktemp("readme").resolve()
    shutil.copytree(ROOT / "sweeps", folder / "sweeps")
    shutil.copy(ROOT / "README.md", folder)  # where tracebacks and `inspect` look for the source of a block
    reading = Reading(BLOCKS, folder, programs_of_this_python())
    yield reading
    reading.close()


@pytest.mark.parametrize("index", range(len(BLOCKS)), ids=[f"line-{b.line}-{b.language}" for b in BLOCKS])
def test_a_block_does_what_the_readme_shows(reading: Reading, index: int) -> None:
    """Played after all blocks above it, the block succeeds and prints exactly what is shown."""
    problem = reading.problem(index)
    if problem:
        pytest.fail(f"README.md, line {BLOCKS[index].line}:\n{problem}", pytrace=False)


def test_continuous_integration_plays_the_readme() -> None:
    """.ci/run installs with the very words of the README and runs its test command, last."""
    lines = (ROOT / ".ci" / "run").read_text("utf-8").splitlines()
    install = [command for command in COMMANDS if command.startswith("pip install -e")]
    assert install
    assert set(install[0].split(" && ")) <= set(lines)
    assert "pytest" in COMMANDS
    assert lines[-1] == "pytest"


def test_the_extras_that_the_readme_installs_exist() -> None:
    """pip only warns about an extra that does not exist; a reader would miss what it should bring."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
    assert extras_installed(COMMANDS) <= set(project["optional-dependencies"])
    assert "test" in extras_installed(COMMANDS)


def extras_installed(lines: list[str]) -> set[str]:
    """Return the extras that ``pip install`` commands name."""
    lists = [re.findall(r"\[([\w, -]+)\]", line) for line in lines if "pip install" in line]
    return {name.strip() for found in lists for names in found for name in names.split(",")}


def problems_of(readme: str, folder: Path) -> list[str]:
    """Play a README made up for a test; its ``vecdecay`` refuses a sweep file with the word wrong."""
    program = folder / "vecdecay"
    program.write_text('#!/bin/sh\n! grep wrong "$2"\n', "utf-8")
    program.chmod(0o755)
    reading = Reading(blocks(readme), folder.resolve(), folder)
    problems = [reading.problem(index) for index in range(len(reading.blocks))]
    reading.close()
    return problems


SOUND = [
    "```python\nx = 1\n```\n```python\nprint(x)\n```\n```text\n1\n```\n",
    "```python\n>>> x = 1\n```\n```python\n>>> x\n1\n>>> print(list(range(20)))\n[0, ..., 19]\n```\n",
    "```console\n$ echo a; echo noise >&2\na\n$ printf '%s\\n' 1 2 3\n1\n...\n3\n```\n",
    "```console\n$ echo a \\\n  b\na b\n$ echo no >&2; exit 2\nno\n[exit status 2]\n```\n",
    "```console\n$ pip install -e '.[test]' && echo done\ndone\n$ pytest\n$ N=1 pytest -m thorough\n```\n",
    "```console\n$ echo 'version 1.2.3,  8 threads, 12 ms  end'\nversion 0.1.0, 1 thread, 0.31 s end\n```\n",
    "```console\n$ echo $PWD/output/cells.parquet\noutput/cells.parquet\n```\n",
    "```sql\nSELECT 1 AS one\n```\n",
    "```toml\nname = 'right'\n```\n",
]


@pytest.mark.parametrize("readme", SOUND)
def test_a_sound_block_passes(readme: str, tmp_path: Path) -> None:
    """Each kind of block, played for itself."""
    assert [problem for problem in problems_of(readme, tmp_path) if problem] == []


FAULTY = [
    ("```python\nprint(1)\n```\n```text\n2\n```\n", "-2\n+1"),
    ("```python\nprint(1)\n```\n", "+1"),
    ("```python\nx = 1\n```\n```text\n1\n```\n", "-1"),
    ("```python\nx = 1\n1 / 0\n```\n", 'File "README.md", line 3'),
    ("```python\n>>> 1\n2\n```\n", "Expected"),
    ("```console\n$ echo a\nb\n```\n", "-b\n+a"),
    ("```console\n$ echo a\n```\n", "+a"),
    ("```console\n$ true\na\n```\n", "-a"),
    ("```console\n$ exit 3\n```\n", "+[exit status 3]"),
    ("```console\n$ true\n[exit status 2]\n```\n", "-[exit status 2]"),
    ("```console\n$ printf '%s\\n' 1 2 3\n1\n...\n2\n```\n", "+3"),
    ("```console\n$ pytest\n9 passed\n```\n", "output is shown"),
    ("```console\n$ pip install . && echo a\nb\n```\n", "+a"),
    ("```sql\nSELECT 1 AS one\n```\n```text\n2\n```\n", "-2"),
    ("```sql\nSELECT 1 WHERE false\n```\n", "no row"),
    ("```sql\nSELECT nothing\n```\n", "nothing"),
    ("```toml\nname = 'wrong'\n```\n", "[exit status 1]"),
    ("```text\na\n```\n", "there is none"),
    ("```\na\n```\n", "nothing plays"),
    ("```rust\na\n```\n", "nothing plays a block of language 'rust'"),
]


@pytest.mark.parametrize(("readme", "finding"), FAULTY)
def test_a_planted_fault_is_found(readme: str, finding: str, tmp_path: Path) -> None:
    """A block that fails or prints something else than is shown is a problem that says where they differ."""
    found = [problem for problem in problems_of(readme, tmp_path) if problem]
    assert len(found) == 1
    assert finding in found[0]


def test_blocks_are_found_where_they_are() -> None:
    """Language, text and first line of every block; one that is not closed is an error."""
    found = blocks("a\n```python\nx = 1\n```\n\n````text\n```\n````\n")
    assert [(b.language, b.text, b.line) for b in found] == [("python", "x = 1\n", 3), ("text", "```\n", 7)]
    with pytest.raises(ValueError, match="line 2 is never closed"):
        blocks("```python\nx = 1\n")


def test_only_what_is_named_changes_from_run_to_run() -> None:
    """Numbers that a reader relies on are compared to the last digit."""
    folder = Path("/folder")
    assert difference("recall 0.911\n", "recall 0.912\n", folder)
    assert difference("50 sessions\n", "51 sessions\n", folder)
    assert difference("a  b\n", "a b\n", folder)
    assert not difference("took 0.9 s\n", "took 12 ms\n", folder)


def test_commands_that_are_not_replayed_are_named() -> None:
    """Only preparation and the tests themselves are left out, and the rest of the line is kept."""
    assert replayed("pip install -e '.[test]' && vecdecay run headline") == "vecdecay run headline"
    assert replayed("vecdecay demo") == "vecdecay demo"
    assert not_replayed("VECDECAY_THOROUGH=1 pytest -m thorough")
    assert not not_replayed("vecdecay run pytest")
    assert extras_installed(["pip install -e '.[test]'", "pip install 'vecdecay[sql, report]'", "x[y]"]) == {
        "test",
        "sql",
        "report",
    }
