"""``vecdecay new``: what is written runs as it is, and nothing is ever overwritten."""

import subprocess
import sys
from pathlib import Path

import pytest
from command_line import type_in

from vecdecay.commands import starters


@pytest.fixture(autouse=True)
def _folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


def typed(text: str) -> list[list[str]]:
    """Return the commands that a screen of ``new`` names."""
    lines = [line.strip().removeprefix("# ") for line in text.replace("\\\n", "").splitlines()]
    found = [line.split("  ")[0].split()[1:] for line in lines if line.startswith("vecdecay ")]
    return [
        [word for word in words if word not in ("explains", "every", "key.")] for words in found if words[0] != "list"
    ]


@pytest.mark.parametrize(
    ("kind", "name", "file"),
    [("sweep", "study", "study.toml"), ("policy", "slow_decay", "slow_decay.py"), ("workload", "pulse", "pulse.py")],
)
def test_what_is_written_runs_as_it_is(kind: str, name: str, file: str, capsys: pytest.CaptureFixture[str]) -> None:
    """Every command that is named afterwards succeeds, and so do those in the file itself."""
    ending = type_in(capsys, "new", kind, name)
    assert (ending.code, ending.err) == (0, "")
    assert ending.out.splitlines()[0] == f"{file} is written"
    assert [path.name for path in Path().iterdir()] == [file]
    text = Path(file).read_text("utf-8")
    assert "NAME" not in text
    assert "CLASS" not in text
    commands = typed(ending.out)
    assert len(commands) >= 2
    for arguments in commands + typed(text):
        few = {"check": ["--examples", "5"], "curve": ["--seeds", "20"], "run": ["--seeds", "5"]}.get(arguments[0], [])
        ended = type_in(capsys, *arguments, *few)
        assert ended.code == 0, (arguments, ended.err)


def test_all_three_play_together(capsys: pytest.CaptureFixture[str]) -> None:
    """A sweep that names the policy and the workload runs, and its folder verifies."""
    for kind, name in (("sweep", "study"), ("policy", "gentle"), ("workload", "pulse")):
        assert type_in(capsys, "new", kind, name).code == 0
    text = Path("study.toml").read_text("utf-8")
    text = text.replace('kind = "recency_biased"\nnoise_per_turn = 2', 'kind = "pulse.py:pulse"')
    text = text.replace('kind = "ebbinghaus"', 'kind = "gentle.py:Gentle"')
    Path("study.toml").write_text(text, "utf-8")
    assert type_in(capsys, "run", "study.toml", "--seeds", "5").code == 0
    assert type_in(capsys, "verify", "output/study", "--sample", "5").code == 0


def test_python_files_are_clean(capsys: pytest.CaptureFixture[str]) -> None:
    """What people begin with has no complaints of a linter."""
    type_in(capsys, "new", "policy", "gentle.py")
    type_in(capsys, "new", "workload", "pulse")
    found = subprocess.run(
        [sys.executable, "-m", "ruff", "check", "--isolated", "--select", "E,F,W,I,B,UP", "."],
        capture_output=True,
        text=True,
        check=False,
    )
    assert found.returncode == 0, found.stdout


@pytest.mark.parametrize(
    ("arguments", "complaint"),
    [
        (("sweeps", "a"), "'sweeps' cannot be written; allowed: sweep, policy, workload; did you mean sweep?"),
        (("policy", "two words"), "name 'two words': allowed: letters"),
        (("policy", "class"), "name 'class': allowed: letters"),
        (("workload", "../up"), "name '../up': allowed: letters"),
        (("sweep", ""), "name '': allowed: letters"),
        (("sweep", "é"), "name 'é': allowed: letters"),
    ],
)
def test_what_cannot_be_is_one_line(
    arguments: tuple[str, str], complaint: str, capsys: pytest.CaptureFixture[str]
) -> None:
    """And nothing is written."""
    ending = type_in(capsys, "new", *arguments)
    assert (ending.code, ending.out) == (2, "")
    (line,) = ending.complaints
    assert line.startswith(complaint)
    assert list(Path().iterdir()) == []


@pytest.mark.parametrize("kind", ["sweep", "policy", "workload"])
def test_nothing_is_overwritten(
    kind: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Neither a file nor a link that leads nowhere."""
    monkeypatch.chdir(tmp_path)
    suffix = ".toml" if kind == "sweep" else ".py"
    Path(f"mine{suffix}").write_text("own", "utf-8")
    Path(f"link{suffix}").symlink_to("nowhere")
    for name in ("mine", "link"):
        ending = type_in(capsys, "new", kind, name)
        assert (ending.code, ending.out) == (2, "")
        assert ending.complaints == [f"{name}{suffix} is there already, and is not overwritten; choose another name"]
    assert Path(f"mine{suffix}").read_text("utf-8") == "own"
    assert Path(f"link{suffix}").is_symlink()


def test_what_is_written_goes_on_in_a_narrow_terminal(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """A command that is wrapped can be copied as it is."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("COLUMNS", "40")
    out = type_in(capsys, "new", "workload", "a_long_name").out
    assert "  vecdecay curve \\\n      a_long_name.py:a_long_name \\\n      recency_window\n" in out
    assert max(map(len, out.splitlines())) <= 40


def test_names_take_their_places() -> None:
    """A name that holds the placeholder stays whole."""
    assert starters.named("NAME CLASS", "my_NAME") == "my_NAME MyNAME"
