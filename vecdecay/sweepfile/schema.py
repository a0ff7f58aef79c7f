"""The JSON Schema of sweep files, for editors: made from the models and from what every parameter says of itself."""

import math
from collections.abc import Iterable
from typing import Any

from vecdecay.parameters import Described, Parameter
from vecdecay.policies import POLICIES
from vecdecay.quantities import ALL_METRICS
from vecdecay.sessions import WORKLOADS
from vecdecay.sessions.relearning import ON_MISS
from vecdecay.sessions.workload import Workload
from vecdecay.sweepfile.seeds import MOST_SEEDS
from vecdecay.sweepfile.tables import SweepFile

DIALECT = "https://json-schema.org/draft/2020-12/schema"


def json_schema() -> dict[str, Any]:
    """Return the schema as plain data.

    It knows each policy's and workload's parameters with their ranges. What concerns several keys together (labels that
    axes name, equal lengths, the number of cells) is checked only when a sweep is read.
    """
    schema = SweepFile.model_json_schema(by_alias=True)
    tables = schema["$defs"]
    tables["SweepTable"]["properties"]["seeds"] = _seeds_schema(tables["SweepTable"]["properties"]["seeds"])
    tables["SweepTable"]["properties"]["metrics"]["items"] = {"enum": [one.name for one in ALL_METRICS]}
    tables["AxisTable"]["oneOf"] = [{"required": [form]} for form in ("values", "linspace", "logspace", "range")]
    _without_null({**tables, "": schema})
    tables["PolicyTable"] = _by_kind(tables["PolicyTable"], POLICIES)
    tables["WorkloadTable"] = _by_kind(tables["WorkloadTable"], WORKLOADS)
    schema["oneOf"] = [{"required": [one]} for one in ("workload", "trace")]
    return {"$schema": DIALECT, **schema}


def parameter_schema(parameter: Parameter) -> dict[str, Any]:
    """Return the schema of one parameter: type, range, default, meaning."""
    unit = f" ({parameter.unit})" if parameter.unit else ""
    default = list(parameter.default) if isinstance(parameter.default, tuple) else parameter.default
    about: dict[str, Any] = {"description": f"{parameter.meaning}{unit}; {parameter.allowed()}"}
    if default != math.inf:  # which JSON cannot write
        about["default"] = default
    if parameter.kind == "flag":
        return {"type": "boolean", **about}
    if parameter.kind == "choice":
        return {"enum": list(parameter.choices), **about}
    if parameter.kind == "texts":
        return {"type": "array", "items": {"type": "string"}, "minItems": 1, **about}
    limits = {
        "exclusiveMinimum": parameter.above,
        "minimum": parameter.at_least,
        "exclusiveMaximum": parameter.below,
        "maximum": parameter.at_most,
    }
    number: dict[str, Any] = {"type": "integer" if parameter.kind == "integer" else "number"}
    number |= {word: limit for word, limit in limits.items() if limit is not None}
    if parameter.kind != "numbers":
        return {**number, **about}
    length = {"minItems": parameter.length or 1}
    if parameter.length is not None:
        length["maxItems"] = parameter.length
    return {"type": "array", "items": number, **length, **about}


def _seeds_schema(own: dict[str, Any]) -> dict[str, Any]:
    count = {"type": "integer", "minimum": 1, "maximum": MOST_SEEDS}
    integer = {"type": "integer"}
    listed = {"type": "array", "items": integer, "minItems": 1, "uniqueItems": True}
    return own | {"oneOf": [count, _closed(first=integer, count=count), _closed(list=listed)]}


def _closed(**properties: Any) -> dict[str, Any]:
    return {
        "type": "object",
        "properties": properties,
        "required": list(properties),
        "additionalProperties": False,
    }


def _by_kind(table: dict[str, Any], classes: Iterable[type[Described]]) -> dict[str, Any]:
    """Return one alternative per kind, each with the keys of the table and the parameters of the kind.

    The last one is user code, whose parameters only its file knows.
    """
    own = {"type": "string", "pattern": r"^.+:[A-Za-z_]\w*$", "description": "FILE.py:NAME, code of your own"}
    alternatives = []
    for described in classes:
        kind = {"const": described.name, "description": getattr(described, "summary", "")}
        more = [ON_MISS] if issubclass(described, Workload) else []
        parameters = {one.name: parameter_schema(one) for one in (*described.every_parameter(), *more)}
        alternatives.append(
            {
                "type": "object",
                "title": described.name,
                "properties": {**table["properties"], "kind": kind, **parameters},
                "required": ["kind"],
                "additionalProperties": False,
            }
        )
    table_of_own = {"title": "your own", "properties": {**table["properties"], "kind": own}}
    alternatives.append({"type": "object", **table_of_own, "required": ["kind"]})
    return {"description": table["description"], "oneOf": alternatives}


def _without_null(tables: dict[str, Any]) -> None:
    """Take away the alternative null and the default null, which TOML cannot write."""
    for table in tables.values():
        for name, one in table["properties"].items():
            if one.get("default", "") is None:
                del one["default"]
            alternatives = [entry for entry in one.get("anyOf", []) if entry != {"type": "null"}]
            if len(alternatives) == 1:
                del one["anyOf"]
                table["properties"][name] = alternatives[0] | one
