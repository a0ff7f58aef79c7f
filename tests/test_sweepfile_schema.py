"""The schema for editors agrees with what is read."""

import copy
import json
import math
from typing import Any

import pytest
import tomli_w
from conftest import examples
from hypothesis import given, settings
from sweep_texts import AXES, sweep_text, sweeps

from vecdecay.errors import InvalidInputError
from vecdecay.parameters import Parameter
from vecdecay.policies import POLICIES
from vecdecay.sessions import WORKLOADS
from vecdecay.sweepfile.schema import json_schema, parameter_schema
from vecdecay.sweepfile.spec import parse_sweep
from vecdecay.sweepfile.toml_text import parse_toml

SCHEMA = json_schema()
TYPES: dict[str, Any] = {"object": dict, "array": list, "string": str, "boolean": bool}


def fits(value: Any, schema: dict[str, Any]) -> bool:
    """Tell whether a value fits a schema: the few keywords that ours uses, and an error for any other."""
    unknown = schema.keys() - KEYWORDS.keys() - {"title", "description", "default", "$defs", "$schema"}
    assert not unknown, unknown
    return all(rule(value, schema[word], schema) for word, rule in KEYWORDS.items() if word in schema)


def _type(value: Any, wanted: str, schema: dict[str, Any]) -> bool:
    if wanted in ("integer", "number"):
        return isinstance(value, int if wanted == "integer" else int | float) and not isinstance(value, bool)
    return isinstance(value, TYPES[wanted])


def _pattern(value: Any, wanted: str, schema: dict[str, Any]) -> bool:
    import re

    return re.search(wanted.replace("$", r"\Z"), value) is not None


KEYWORDS: dict[str, Any] = {
    "$ref": lambda value, ref, _: fits(value, SCHEMA["$defs"][ref.removeprefix("#/$defs/")]),
    "type": _type,
    "const": lambda value, wanted, _: type(value) is type(wanted) and value == wanted,
    "enum": lambda value, words, _: value in words,
    "oneOf": lambda value, several, _: sum(fits(value, one) for one in several) == 1,
    "pattern": _pattern,
    "minimum": lambda value, bound, _: value >= bound,
    "maximum": lambda value, bound, _: value <= bound,
    "exclusiveMinimum": lambda value, bound, _: value > bound,
    "exclusiveMaximum": lambda value, bound, _: value < bound,
    "minItems": lambda value, bound, _: len(value) >= bound,
    "maxItems": lambda value, bound, _: len(value) <= bound,
    "minLength": lambda value, bound, _: len(value) >= bound,
    "maxLength": lambda value, bound, _: len(value) <= bound,
    "uniqueItems": lambda value, _, __: len(set(value)) == len(value),
    "items": lambda value, inner, _: all(fits(one, inner) for one in value),
    "required": lambda value, names, _: set(names) <= set(value),
    "properties": lambda value, inner, _: all(fits(value[name], inner[name]) for name in set(value) & set(inner)),
    "additionalProperties": lambda value, allowed, schema: (
        allowed is True or set(value) <= set(schema.get("properties", {}))
    ),
}


def test_it_is_plain_json() -> None:
    """It can be printed, and is the same at each call."""
    assert json.loads(json.dumps(SCHEMA, allow_nan=False)) == SCHEMA == json_schema()


def test_every_policy_and_workload_stands_in_it() -> None:
    """With every parameter, its meaning and its default."""
    for table, classes in (("PolicyTable", POLICIES), ("WorkloadTable", WORKLOADS)):
        alternatives = SCHEMA["$defs"][table]["oneOf"]
        named = [one for one in alternatives if "const" in one["properties"]["kind"]]
        assert [one["properties"]["kind"]["const"] for one in named] == [one.name for one in classes]
        for alternative, described in zip(named, classes, strict=True):
            for parameter in described.parameters():
                assert parameter.meaning in alternative["properties"][parameter.name]["description"]
                own = alternative["properties"][parameter.name]
                assert fits(own["default"], own) if parameter.default != math.inf else "default" not in own


@settings(max_examples=examples(100))
@given(sweeps())
def test_it_accepts_what_is_read(raw: dict[str, Any]) -> None:
    """Every sound file that is drawn fits."""
    parse_sweep(tomli_w.dumps(raw))
    assert fits(json.loads(json.dumps(raw)), SCHEMA)


@pytest.mark.parametrize(
    "lines",
    [
        {"top": "schema = 2"},
        {"top": ""},
        {"sweep": "detail = 'cell'"},
        {"sweep": "seeds = 0"},
        {"sweep": "seeds = { first = 1 }"},
        {"sweep": "seeds = { list = [1, 1] }"},
        {"sweep": "metrics = ['misse']"},
        {"sweep": "extra = 1"},
        {"sweep": "title = 'a\tb'"},
        {"workload": "noise_per_turn = 1.5"},
        {"workload": "recall_jitter_range = [1]"},
        {"workload": "recall_jitter_range = [-1, 1]"},
        {"curve": "eviction_threshold = 1"},
        {"curve": "eviction_threshold = true"},
        {"curve": "window_size = 3"},
        {"curve": "label = 'a.b'"},
        {"rest": "[[policy]]\nkind = 'clock'"},
        {"rest": "[[axis]]\nparameter = 'ebbinghaus.eviction_threshold'"},
        {"rest": AXES + "values = [1]"},
        {"rest": "[[axis]]\nparameter = 'recency_window.window_size'\nrange = { from = 1, to = 2, step = 0 }"},
    ],
)
def test_it_refuses_what_is_refused(lines: dict[str, str]) -> None:
    """An editor underlines these before the program is ever asked."""
    text = sweep_text(**lines)
    with pytest.raises(InvalidInputError):
        parse_sweep(text)
    assert not fits(parse_toml(text, "small.toml"), SCHEMA)
    assert fits(parse_toml(sweep_text(rest=AXES), "small.toml"), SCHEMA)


def test_parameters_of_every_kind_have_a_schema() -> None:
    """Flags and choices too, which no policy has yet."""
    flag = parameter_schema(Parameter("a", "flag", True, "it is"))
    choice = parameter_schema(Parameter("a", "choice", "x", "it is", choices=("x", "y")))
    assert (fits(False, flag), fits(0, flag)) == (True, False)
    assert (fits("y", choice), fits("z", choice)) == (True, False)
    assert copy.copy(flag)["default"] is True


def test_own_code_is_accepted_by_its_kind_alone() -> None:
    """For policies and workloads; its parameters are known to its file only."""
    text = sweep_text(workload="every = 3").replace('"published_sessions"', '"mine.py:pulse"')
    text = text.replace('"recency_window"', '"mine.py:Gentle"\nhalf_life = 3')
    assert fits(parse_toml(text, "small.toml"), SCHEMA)
    assert not fits(parse_toml(text.replace("mine.py:pulse", "mine.py"), "small.toml"), SCHEMA)
