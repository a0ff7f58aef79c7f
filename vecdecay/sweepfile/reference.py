"""The reference page on sweep files: every key with its meaning, made from the models that check a file."""

import textwrap
import typing
from collections.abc import Iterator

import tomli_w
from pydantic import BaseModel
from pydantic.fields import FieldInfo

from vecdecay.quantities import METRIC_NAMES
from vecdecay.sweepfile.tables import SweepFile, allowed_text, model_inside

WIDTH = 100

START = """\
schema = 1

[sweep]
name = "half-lives"
seeds = 1000

[workload]
kind = "published_sessions"
noise_per_turn = 5

[[policy]]
kind = "ebbinghaus"

[[policy]]
kind = "recency_window"
label = "window"
window_size = 20
"""

COMBINATIONS = {
    "grid": (
        "Every value of each axis with every value of the others, the last axis varying fastest. 3 × 5 points.",
        """\
[[axis]]
parameter = "ebbinghaus.eviction_threshold"
values = [0.1, 0.2, 0.3]

[[axis]]
parameter = "window.window_size"
range = { from = 10, to = 50, step = 10 }
""",
    ),
    "zip": (
        "The first value of each axis, then the second of each, and so on; the axes are equally long. 5 points.",
        """\
[[axis]]
parameter = "ebbinghaus.eviction_threshold"
linspace = { from = 0.1, to = 0.5, count = 5 }

[[axis]]
parameter = "ebbinghaus.baseline_stability"
logspace = { from = 1.0, to = 100.0, count = 5 }
""",
    ),
    "points": (
        "The points as they are listed. What a point leaves out has the value of the policy's own table. 2 points.",
        """\
[[point]]
"ebbinghaus.eviction_threshold" = 0.1
"window.window_size" = 10

[[point]]
"workload.noise_per_turn" = 3
""",
    ),
    "random": (
        "Values drawn from each axis on its own, as many as random_points asks for; the same ones for the same "
        "random_seed.",
        """\
random_points = 20  # in [sweep]

[[axis]]
parameter = "ebbinghaus.baseline_stability"
logspace = { from = 1.0, to = 100.0, count = 1000 }
""",
    ),
}
"""For each way to combine: what it does, and the rest of a file that begins with ``START``."""


def reference_text() -> str:
    """Return the page as text, in lines of at most 100 characters."""
    lines = [
        "A sweep file is TOML. It says which policies are played on which sessions, and which of their parameters "
        "take several values. vecdecay run plays it; --set LABEL.parameter=VALUE,VALUE changes it for one run.",
        "",
        *_indented(START),
    ]
    for name, field in SweepFile.model_fields.items():
        inner = model_inside(field.annotation)
        key = field.alias or name
        if inner is None and key != "point":
            lines += ["", f"{key} = {allowed_text(field)}", f"    {field.description}."]
            continue
        is_list = typing.get_origin(field.annotation) is list
        lines += ["", f"[[{key}]]" if is_list else f"[{key}]", f"    {field.description}.", ""]
        if inner is not None:
            lines += _keys(inner, "    ")
        if key in ("workload", "policy"):
            lines += ["    Further keys are the parameters of that kind: see vecdecay explain KIND."]
    lines += ["", "Metrics", f"    {', '.join(METRIC_NAMES)}"]
    lines += ["", "How axes and points combine"]
    for combine, (text, example) in COMBINATIONS.items():
        lines += ["", f'combine = "{combine}"', f"    {text}", "", *_indented(example)]
    return "".join(f"{line}\n" for long in lines for line in _wrapped(long))


def _keys(model: type[BaseModel], indent: str) -> Iterator[str]:
    """Yield the lines on the keys of a table; those of a table inside it further in."""
    for name, field in sorted(model.model_fields.items(), key=lambda item: not item[1].is_required()):
        inner = model_inside(field.annotation)
        yield f"{indent}{field.alias or name}{_default(field)}"
        allowed = "" if allowed_text(field) in str(field.description) else f" Allowed: {allowed_text(field)}."
        yield f"{indent}    {field.description}.{allowed}"
        if inner is not None:
            yield from _keys(inner, f"{indent}    ")


def _default(field: FieldInfo) -> str:
    if field.is_required():
        return " (required)"
    if field.default is None:
        return ""
    return " (default " + tomli_w.dumps({"x": field.default}).removeprefix("x = ").strip() + ")"


def _indented(text: str) -> list[str]:
    return [f"    {line}".rstrip() for line in text.splitlines()]


def _wrapped(line: str) -> list[str]:
    indent = " " * (len(line) - len(line.lstrip()))
    return textwrap.wrap(line, WIDTH, subsequent_indent=indent, break_long_words=False, break_on_hyphens=False) or [""]
