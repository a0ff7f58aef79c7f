"""``vecdecay show``: one session as text, the same for every policy but for what the policy makes of it."""

from dataclasses import replace
from pathlib import Path

import pytest
from command_line import type_in

from vecdecay.commands.show import chosen_items, lives
from vecdecay.policies import POLICIES, Ebbinghaus, RecencyWindow
from vecdecay.sessions import WORKLOADS, Mixture, RareCritical, SteadyUse
from vecdecay.sessions.session import FORGET, FOUNDATIONAL, NOISE, RECALL, REGISTER, Session

PICTURE = """\
burst_then_silence(num_foundational=2, noise_per_turn=0), seed 7: 150 turns, 2
foundational items, 0 items of noise, 8 recalls.

recency_window (window_size 15, grace_turns 0)
turn                  1         31        61        91        121
item 0 foundational   +RR█R█R████E······································
item 1 foundational   RRR██R████E·······································

+ registered; R recalled; x recall failed; E evicted; █ in memory; · gone
1 column = 3 turns
"""


def test_the_picture_of_a_seed(capsys: pytest.CaptureFixture[str]) -> None:
    """Register, recalls, eviction, and nothing left of it; 80 columns."""
    workload = "burst_then_silence(num_foundational=2, noise_per_turn=0)"
    ending = type_in(capsys, "show", workload, "--seed", "7", "--policy", "recency_window")
    assert (ending.code, ending.err) == (0, "")
    assert ending.out == PICTURE


@pytest.mark.parametrize("name", [one.name for one in WORKLOADS if one is not RareCritical])
def test_every_workload_can_be_drawn(name: str, capsys: pytest.CaptureFixture[str]) -> None:
    """Twelve items under each of the published two, within 80 columns; the mixture too."""
    ending = type_in(capsys, "show", name, "--seed", "3")
    lines = ending.out.splitlines()
    assert ending.code == 0
    assert max(map(len, lines)) <= 80
    assert sum(line.startswith("item ") for line in lines) == 24
    assert "more item" in ending.out


def test_marks_are_what_happened() -> None:
    """A registration, a recall, an eviction, a miss, and being there in between."""
    session = Session(9, (FOUNDATIONAL,), ((2, REGISTER, 0), (3, RECALL, 0), (8, RECALL, 0)))
    life = lives(session, RecencyWindow(2), [0])[0]
    assert life.marks == {2: {"+"}, 3: {"R"}, 6: {"E"}, 8: {"x"}}
    assert life.columns(1) == " +R██E·x·"
    assert life.columns(3) == "REx"


def test_evictions_are_marked_by_their_reason(capsys: pytest.CaptureFixture[str]) -> None:
    """Decay, want of room, a newer version, a set end, a forgotten source; the legend has what occurs."""
    kinds, events = (
        (FOUNDATIONAL,) * 6,
        (*((1, REGISTER, item) for item in (0, 2, 3, 4)), (2, REGISTER, 1), (3, FORGET, 4)),
    )
    session = Session(
        9, kinds, (*events, (4, REGISTER, 5)), expires_turns=(0, 0, 2, 0, 0, 0), sources=((),) * 3 + ((4,), (), ())
    )
    session = replace(session, supersedes=(-1, 0, -1, -1, -1, -1))
    shown = lives(session, RecencyWindow(4, on_superseded="delete", on_forget="cascade"), range(6))
    marks = [max(life.marks.items())[1] for life in shown.values()]
    assert marks == [{"S"}, {"E"}, {"T"}, {"D"}, {"F"}, {"E"}]
    crowded = lives(replace(session, expires_turns=()), RecencyWindow(4, capacity_items=1), range(6))
    assert "C" in crowded[0].marks[1]
    ending = type_in(capsys, "show", "forget_requests", "--policy", "keep_all(on_forget='cascade')", "--items", "40")
    assert "D derived from what was forgotten" in " ".join(ending.out.replace("\xa0", " ").split())
    assert "no room" not in ending.out


@pytest.mark.parametrize("policy", POLICIES)
def test_every_policy_can_be_asked(policy: type, capsys: pytest.CaptureFixture[str]) -> None:
    """By its name, and several at once."""
    ending = type_in(capsys, "show", "steady_use(session_length=20)", "--policy", policy.name, "--policy", "keep_all")
    assert ending.code == 0
    assert ending.out.count("item 0 foundational") == 2


def test_foundational_items_come_first_then_noise_that_is_recalled() -> None:
    """Whatever there is room for."""
    kinds = (FOUNDATIONAL, NOISE, NOISE, FOUNDATIONAL, NOISE)
    events = (*((1, REGISTER, item) for item in range(5)), (2, RECALL, 4))
    session = Session(9, kinds, events)
    assert [chosen_items(session, most) for most in (1, 2, 3, 4, 9)] == [
        [0],
        [0, 3],
        [0, 3, 4],
        [0, 1, 3, 4],
        [0, 1, 2, 3, 4],
    ]


def test_presence_is_that_of_the_engine() -> None:
    """Turn by turn, what is drawn agrees with the number of items that the session's trace has."""
    session = SteadyUse(session_length=60, noise_per_turn=1).session(4)
    every = lives(session, Ebbinghaus(), range(len(session.item_kinds)))
    assert all(len(life.present) == 60 for life in every.values())
    assert sum(life.present[59] for life in every.values()) < sum(life.present[12] for life in every.values()) + 9


def test_mistakes_are_named_together(capsys: pytest.CaptureFixture[str]) -> None:
    """Workload, policy and number of items, a line each; exit code 2, nothing drawn."""
    ending = type_in(capsys, "show", "stead_use", "--policy", "ebbinghause", "--items", "0")
    assert (ending.code, ending.out) == (2, "")
    assert ending.complaints == [
        "--items is 0; allowed: at least 1",
        "'stead_use' is no workload; did you mean steady_use?",
        f"policy is 'ebbinghause'; allowed: {', '.join(one.name for one in POLICIES)}; did you mean ebbinghaus?",
    ]


OWN = """
from dataclasses import dataclass
from vecdecay import TablePolicy

@dataclass(frozen=True)
class Gentle(TablePolicy):
    half_life: float = 10.0
    eviction_threshold: float = 0.2

    def retention(self, age, recall_count):
        return 0.5 ** (age / self.half_life)

class Broken(Gentle):
    def retention(self, age, recall_count):
        return 1 / 0

def two_recalls(seed):
    return [(1, "register", "a"), (3, "recall", "a"), (4, "forget", "a"), (9, "recall", "a")]
"""


def test_policies_and_workloads_of_ones_own_with_parameters(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Of a file, with the values in brackets; what is wrong with them is a line each, and so is one that raises."""
    monkeypatch.chdir(tmp_path)
    Path("own.py").write_text(OWN, "utf-8")
    policies = ["own.py:Gentle(half_life=1)", "recency_window(window_size=30)"]
    ending = type_in(capsys, "show", "own.py:two_recalls", *(text for one in policies for text in ("--policy", one)))
    assert (ending.code, ending.err) == (0, "")
    assert "Gentle (half_life 1, eviction_threshold 0.2)" in ending.out
    assert "recency_window (window_size 30, grace_turns 0)" in ending.out
    assert [line.split()[-1] for line in ending.out.splitlines() if line.startswith("item 0")] == ["+█RF····x"] * 2
    assert "F forgotten" in ending.out
    mistakes = ["own.py:Gentle(half_lif=1)", "own.py:Gentel", "ebbinghaus(eviction_threshold=high)", "keep_all(1)"]
    ending = type_in(capsys, "show", "steady_use", *(text for one in mistakes for text in ("--policy", one)))
    assert (ending.code, ending.out) == (2, "")
    name, kind, value, text = ending.complaints
    assert name.endswith("did you mean half_life?")
    assert kind.endswith("did you mean Gentle?")
    assert (
        value == "Ebbinghaus.eviction_threshold is 'high'; allowed: a number, a text in quotes, True, False or a list"
    )
    assert text == "'KeepAll(1)' is no policy; allowed: name or name(parameter=value, ...)"
    ending = type_in(capsys, "show", "steady_use", "--policy", "own.py:Broken")
    assert ending.code == 2
    assert "ZeroDivisionError" in ending.complaints[0]


def test_what_is_too_large_to_draw_is_refused(capsys: pytest.CaptureFixture[str]) -> None:
    """From arithmetic, before the session is made."""
    ending = type_in(capsys, "show", "never_recalled(session_length=200000)")
    assert ending.code == 2
    (line,) = ending.complaints
    assert line.startswith("a session has 200000 turns")
    assert Mixture().sizes().turns == 150


def test_a_mixture_is_drawn_with_its_parameters(capsys: pytest.CaptureFixture[str]) -> None:
    """Of one workload, it is that workload; a mistake inside it is named, and a mixture in it refused."""
    one = "burst_then_silence(num_foundational=2, noise_per_turn=0)"
    ending = type_in(
        capsys, "show", f"mixture(workloads=[{one!r}],shares=[1.0])", "--seed", "7", "--policy", "keep_all"
    )
    alone = type_in(capsys, "show", one, "--seed", "7", "--policy", "keep_all")
    assert (ending.code, ending.err) == (alone.code, alone.err) == (0, "")
    assert ending.out.partition("keep_all")[2] == alone.out.partition("keep_all")[2]
    ending = type_in(capsys, "show", "mixture(workloads=['mixture', 'drift(items_in_use=0)'],shares=[1.0, 0.5])")
    assert ending.code == 2
    nested, inside, weights = ending.complaints
    assert nested.startswith("Mixture.workloads[0]: 'mixture' is no workload that a mixture can be made of")
    assert inside.startswith("Mixture.workloads[1]: Drift.items_in_use is 0")
    assert weights.startswith("Mixture.shares is (1.0, 0.5), of sum 1.5")


def test_every_mistake_in_a_workload_is_named(capsys: pytest.CaptureFixture[str]) -> None:
    """What is wrong singly and what is wrong together, with those in the other arguments."""
    text = "establish_silence_resurface(noise_per_turn=nan,session_length=50,category_weights=[0.5,0.1,0,0])"
    ending = type_in(capsys, "show", text, "--items", "0")
    assert (ending.code, ending.out) == (2, "")
    assert [line.partition(";")[0] for line in ending.complaints] == [
        "--items is 0",
        "EstablishSilenceResurface.noise_per_turn is nan",
        "EstablishSilenceResurface.session_length is 50",
        "EstablishSilenceResurface.category_weights is (0.5, 0.1, 0.0, 0.0), of sum 0.6",
    ]


def test_a_session_without_items_is_told_in_one_line(capsys: pytest.CaptureFixture[str]) -> None:
    """No picture of nothing; where there is noise, that is drawn."""
    ending = type_in(capsys, "show", "steady_use(num_foundational=0, noise_per_turn=0)")
    assert (ending.code, ending.err) == (0, "")
    assert ending.out.splitlines() == [
        "steady_use(num_foundational=0, noise_per_turn=0), seed 0: 150 turns, 0",
        "foundational items, 0 items of noise, 0 recalls.",
        "",
        "There is nothing to draw: no item is ever registered.",
    ]
    ending = type_in(capsys, "show", "steady_use(num_foundational=0)")
    assert "450 items of noise" in ending.out.replace("\n", " ")
    assert ending.out.count("item 0 noise") == 2
