"""Executes a notebook: its code cells one after the other in one namespace, and what they show beside what is stored.

No Jupyter is needed: what a cell prints, and the text and HTML of its last expression, are compared with the outputs
that the file holds; pictures are drawn, but their bytes depend on the version of Matplotlib.
``python tests/notebook_runner.py FILE`` executes a notebook and stores its outputs.
"""

import ast
import base64
import contextlib
import io
import json
import re
import sys
from itertools import zip_longest
from pathlib import Path
from typing import Any

TEXT, HTML, PICTURE = "text/plain", "text/html", "image/png"


def code_cells(notebook: dict[str, Any]) -> list[dict[str, Any]]:
    """Return the cells that hold code."""
    return [cell for cell in notebook["cells"] if cell["cell_type"] == "code"]


def outputs_of(cell: dict[str, Any], namespace: dict[str, Any], number: int) -> list[dict[str, Any]]:
    """Execute a cell and return its outputs, as a notebook stores them."""
    tree = ast.parse("".join(cell["source"]))
    last = tree.body.pop() if tree.body and isinstance(tree.body[-1], ast.Expr) else None
    printed, value = io.StringIO(), None
    with contextlib.redirect_stdout(printed):
        exec(compile(tree, f"cell {number}", "exec"), namespace)
        if isinstance(last, ast.Expr):
            value = eval(compile(ast.Expression(last.value), f"cell {number}", "eval"), namespace)
    outputs: list[dict[str, Any]] = []
    if printed.getvalue():
        outputs.append(
            {"name": "stdout", "output_type": "stream", "text": printed.getvalue().splitlines(keepends=True)}
        )
    if value is not None:
        result = {"output_type": "execute_result", "execution_count": number, "metadata": {}, "data": shown(value)}
        outputs.append(result)
    return outputs


def shown(value: Any) -> dict[str, Any]:
    """Return what a notebook shows of a value, by the kinds of content."""
    if hasattr(value, "get_figure"):
        content = io.BytesIO()
        value.get_figure().savefig(content, format="png", dpi=60)
        return {TEXT: ["<Axes>"], PICTURE: base64.b64encode(content.getvalue()).decode()}
    found: dict[str, Any] = {TEXT: repr(value).splitlines(keepends=True)}
    html = getattr(value, "_repr_html_", None)
    return found | ({HTML: html().splitlines(keepends=True)} if html is not None else {})


def differences(stored: list[dict[str, Any]], made: list[dict[str, Any]]) -> list[str]:
    """Return what is stored and not made.

    A table may have more rows than it had, such as a new parameter, and a picture other bytes; all else is the same.
    """
    found = []
    for old, new in zip_longest(stored, made, fillvalue={}):
        data, now = old.get("data", {}), new.get("data", {})
        if old.get("text") != new.get("text") or data.keys() != now.keys():
            found.append(f"{old} is now {new}")
        elif HTML in data:
            rows = re.findall(r"<caption>.*?</caption>|<tr>.*?</tr>", "".join(data[HTML]))
            found += [f"{row} is no longer in {now[HTML]}" for row in rows if row not in "".join(now[HTML])]
        elif PICTURE not in data and data != now:
            found.append(f"{data} is now {now}")
    return found


def executed(notebook: dict[str, Any]) -> dict[str, Any]:
    """Return the notebook with the outputs of its cells."""
    namespace: dict[str, Any] = {"__name__": "__main__"}
    notebook = json.loads(json.dumps(notebook))
    for number, cell in enumerate(code_cells(notebook), start=1):
        cell["execution_count"] = number
        cell["outputs"] = outputs_of(cell, namespace, number)
    return notebook


if __name__ == "__main__":
    for name in sys.argv[1:]:
        done = executed(json.loads(Path(name).read_text("utf-8")))
        Path(name).write_text(json.dumps(done, indent=1, ensure_ascii=False) + "\n", "utf-8")
