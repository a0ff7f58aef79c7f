"""The wording of mistakes: paths, values that do not fit a line, the option in place of the file, and a limit."""

import pytest

from vecdecay.errors import InvalidInputError
from vecdecay.sweepfile.problems import MOST_PROBLEMS, Findings, key_text


def test_keys_are_shown_as_toml_writes_them_and_counted_from_one() -> None:
    """A path reads like the file; a key that is not bare, or long, is quoted and shortened."""
    assert key_text(()) == ""
    assert key_text(("axis", 0, "values", 2)) == "axis[1].values[3]"
    assert key_text(("point", 0, "a.b\n")) == r"point[1].'a.b\n'"
    assert len(key_text(("x" * 10_000,))) < 100


def raised(findings: Findings) -> tuple[str, ...]:
    """Return the lines that the findings raise."""
    with pytest.raises(InvalidInputError) as caught:
        findings.stop_if_any()
    return caught.value.problems


def test_the_option_that_set_a_key_stands_in_place_of_the_file() -> None:
    """The longest known path decides; another key is the file's."""
    findings = Findings("a.toml", {("axis", 1): "--set x=1,2"})
    findings.add(("axis", 1, "values", 0), "is 1")
    findings.add(("axis", 0, "values", 0), "is 1")
    findings.add((), "is empty")
    assert raised(findings) == (
        "--set x=1,2: axis[2].values[1]: is 1",
        "a.toml: axis[1].values[1]: is 1",
        "a.toml: is empty",
    )


def test_without_mistakes_nothing_is_raised() -> None:
    """No finding, no error."""
    findings = Findings("a.toml")
    assert not findings
    findings.stop_if_any()


def test_the_list_of_mistakes_ends_and_says_so() -> None:
    """Fifty are listed, and a last line tells that there were more; exactly fifty need no such line."""
    findings = Findings("a.toml")
    for place in range(MOST_PROBLEMS):
        assert not findings.full
        findings.add(("axis", place), "is wrong")
    assert findings.full
    assert len(raised(findings)) == MOST_PROBLEMS
    findings.add(("axis", 99), "is wrong")
    assert raised(findings)[MOST_PROBLEMS:] == ("a.toml: and more mistakes than are listed here",)
