"""The house rules on imports: one direction, leaf kernels, a light start, and every dependency declared."""

import importlib.metadata
import re
import subprocess
import sys
import tomllib
from collections.abc import Iterable
from graphlib import CycleError, TopologicalSorter

import house
import pytest
from house import ROOT, Source, expect_none, python_files

# From what knows nobody to what knows everybody. A module may import from its own line, without a circle, and
# from the lines above it. Each entry is a file or folder of the package; __init__ holds the public names.
LAYERS = (
    (
        "adapted",
        "arrow",
        "errors",
        "compile",
        "glossary",
        "items",
        "numerals",
        "own_file",
        "parameters",
        "quantities",
        "threads",
        "version",
    ),
    ("policies",),
    ("sessions",),
    ("engines",),
    ("metrics", "analysis"),
    ("store",),
    ("sweepfile",),
    ("run",),
    ("__init__",),
    ("testing",),
    ("report",),
    ("__main__", "cli", "commands"),
)

KERNEL_IMPORTS = {"collections.abc", "math", "numba", "numpy", "operator", "typing", "vecdecay.compile"}
KERNEL_IMPORTS |= {"vecdecay.engines.kernels", "vecdecay.policies.rules", "vecdecay.policies.stateful"}
HEAVY = {"duckdb", "jinja2", "matplotlib", "numba", "pandas", "polars", "pyarrow", "pydantic"}
OPTIONAL = {
    re.split(r"[<>=\[; ]", one)[0]
    for extra in tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"][
        "optional-dependencies"
    ].values()
    for one in extra
}
"""Everything that only an extra installs; each is imported under the name of its distribution, where it is at all."""


def layer(module: str) -> int:
    """Return the line of LAYERS that a module belongs to."""
    name = module.split(".")[1] if "." in module else "__init__"
    for number, names in enumerate(LAYERS):
        if name in names:
            return number
    raise AssertionError(f"{module} belongs to no layer: add {name!r} to LAYERS")


def upward_imports(sources: Iterable[Source]) -> list[str]:
    """Find imports of a module from a module of a lower layer."""
    files = list(sources)
    names = [s.module for s in files]
    return [
        source.at(line, f"imports {name}, which stands above it")
        for source in files
        for name, line in house.modules_imported(source, names).items()
        if layer(name) > layer(source.module)
    ]


def import_circle(sources: Iterable[Source]) -> list[str]:
    """Return one circle of imports between modules, or an empty list."""
    files = list(sources)
    names = [s.module for s in files]
    graph = {s.module: set(house.modules_imported(s, names)) for s in files}
    try:
        TopologicalSorter(graph).prepare()
    except CycleError as error:
        return list(reversed(error.args[1]))
    return []


def foreign_imports_of_kernels(sources: Iterable[Source]) -> list[str]:
    """Find what a file with a kernel imports beside NumPy, Numba, math, the kernel decorator and other such files.

    Another file's kernel may be called: the cache folder carries a digest of all files that define one.
    """
    files = [source for source in sources if house.has_kernel(source)]
    allowed = KERNEL_IMPORTS | {source.module for source in files}
    return [
        source.at(item.line, f"a kernel file imports {item.name}")
        for source in files
        for item in house.imports(source)
        if not any(f"{item.name}.".startswith(f"{one}.") for one in allowed)
    ]


def test_imports_run_one_way() -> None:
    """No module imports from a layer above its own: policies know no engine, engines know no store."""
    expect_none(upward_imports(python_files("vecdecay")))


def test_imports_form_no_circle() -> None:
    """Modules can be read one after the other."""
    expect_none(import_circle(python_files("vecdecay")))


def test_kernels_are_leaves() -> None:
    """A kernel file imports nothing of ours but the decorator: an edit elsewhere escapes Numba's cache."""
    expect_none(foreign_imports_of_kernels(python_files("vecdecay")))


@pytest.mark.parametrize("path", ["vecdecay/__init__.py", "vecdecay/cli.py"])
def test_the_entrances_import_nothing_heavy(path: str) -> None:
    """The package and the command name their heavy imports inside functions; cyclopts is the command."""
    sources = [s for s in python_files("vecdecay") if s.path == path]
    assert len(sources) == 1
    heavy = HEAVY if path.endswith("cli.py") else HEAVY | {"cyclopts"}
    assert house.third_party(sources[0], heavy, at_start_only=True) == {}


def test_the_command_starts_light() -> None:
    """Importing the command, as ``--help`` does, loads none of the heavy packages, by whatever way."""
    code = f"import sys, vecdecay.cli; print(sorted({HEAVY!r} & set(sys.modules)))"
    result = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=False)
    assert (result.stdout, result.stderr) == ("[]\n", "")


def test_optional_packages_are_imported_where_they_are_used() -> None:
    """vecdecay works without its extras: what only they install is imported inside functions."""
    expect_none(
        s.at(line, f"{name} is imported at start")
        for s in python_files("vecdecay")
        for name, line in house.third_party(s, OPTIONAL, at_start_only=True).items()
    )


RARE = {"vecdecay.sessions.trace", "vecdecay.commands.overview", "vecdecay.commands.result_json", "vecdecay.run.where"}
RUNS = {"vecdecay/sweepfile/spec.py", "vecdecay/sweepfile/trace_file.py", "vecdecay/commands/results.py"}
RUNS |= {"vecdecay/commands/run.py", "vecdecay/run/sweep.py", "vecdecay/cli.py", "vecdecay/sessions/relearning.py"}


def test_a_run_starts_without_what_few_runs_need() -> None:
    """The reader of logs, the view of large grids, JSON and clusters are imported where they are asked for."""
    sources = [s for s in python_files("vecdecay") if s.path in RUNS]
    assert len(sources) == len(RUNS)
    found = [(s, item) for s in sources for item in house.imports(s) if item.name.rpartition(".")[0] in RARE]
    assert {item.name.rpartition(".")[0] for _, item in found} == RARE
    expect_none(s.at(item.line, f"{item.name} is imported at start") for s, item in found if item.at_start)


def declared(*extras: str) -> set[str]:
    """Return the distributions that pyproject.toml declares, with those of the named extras."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
    lists = [project["dependencies"], *(project["optional-dependencies"][extra] for extra in extras)]
    return {normal(re.split(r"[\s<>=!~;\[]", entry)[0]) for entries in lists for entry in entries}


def normal(distribution: str) -> str:
    """Return a distribution's name as the package index compares it."""
    return re.sub(r"[-_.]+", "-", distribution).lower()


def undeclared(sources: Iterable[Source], names: set[str], local: set[str]) -> list[str]:
    """Find imports that are neither Python's own nor ``local`` nor among the declared ``names``."""
    distributions = importlib.metadata.packages_distributions()
    found = []
    for source in sources:
        tops = {item.name.split(".")[0]: item.line for item in reversed(house.imports(source))}
        for top, line in tops.items():
            if top in sys.stdlib_module_names or top in local:
                continue
            if not names.intersection(map(normal, distributions.get(top, [top]))):
                found.append(source.at(line, f"{top} is not declared in pyproject.toml"))
    return found


def test_the_package_declares_what_it_imports() -> None:
    """Every outside package of vecdecay stands in the dependencies or in the extra made for it."""
    # pydantic_core and llvmlite are the compiled halves of pydantic and numba, each pinned by it to one version.
    known = {"vecdecay", "pydantic_core", "llvmlite"}
    expect_none(undeclared(python_files("vecdecay"), declared("sql", "report", "test"), known))


def test_the_tests_declare_what_they_import() -> None:
    """``pip install -e '.[test]'`` brings all that the tests import."""
    local = {"vecdecay"} | {s.module.split(".")[-1] for s in python_files("tests")}
    expect_none(undeclared(python_files("tests"), declared("test"), local))


def planted(**texts: str) -> list[Source]:
    """Return sources of a small package; a double underscore in a name stands for a folder."""
    return [Source(f"vecdecay/{name.replace('__', '/')}.py", text) for name, text in texts.items()]


def test_the_layer_rule_finds_its_planted_faults() -> None:
    """Upward imports are found wherever they stand; those for types and downward ones are free."""
    engine = planted(engines__registry="")
    for fault in (
        "import vecdecay.engines.registry\n",
        "from vecdecay.engines import registry\n",
        "def f():\n    from vecdecay.engines.registry import g\n",
        "from ..engines import registry\n",
        "if TYPE_CHECKING:\n    pass\nelse:\n    import vecdecay.engines.registry\n",
    ):
        assert len(upward_imports(engine + planted(policies__window=fault))) == 1, fault
    for kept in (
        "if TYPE_CHECKING:\n    from vecdecay.engines import registry\n",
        "from vecdecay.policies import base\n",
    ):
        assert upward_imports(engine + planted(policies__window=kept, policies__base="")) == [], kept
    with pytest.raises(AssertionError, match="belongs to no layer"):
        upward_imports(planted(errors="import vecdecay.attic", attic=""))


def test_the_circle_rule_finds_its_planted_fault() -> None:
    """Two files of one folder that import each other are found; a chain is not."""
    text = "from vecdecay.store import {}\n"
    assert import_circle(planted(store__a=text.format("b"), store__b=text.format("a")))
    assert import_circle(planted(store__a=text.format("b"), store__b="")) == []


def test_the_kernel_rule_finds_its_planted_fault() -> None:
    """A kernel file that imports a module of ours is found; the allowed imports and other files are not."""
    leaf = "import math\nimport numpy.typing as npt\nfrom vecdecay.compile import kernel\n"
    kernel = leaf + "{}\n@kernel\ndef f(): ...\n"
    assert len(foreign_imports_of_kernels(planted(a=kernel.format("from vecdecay import errors")))) == 1
    assert foreign_imports_of_kernels(planted(a=kernel.format(""), b="from vecdecay import errors\n")) == []


def test_the_dependency_rules_find_their_planted_faults() -> None:
    """An undeclared package is found anywhere; an optional one only where it loads at start."""
    (source,) = planted(a="def f():\n    import duckdb\n    import imaginary\n")
    assert undeclared([source], {"duckdb"}, set()) == ["vecdecay/a.py:3: imaginary is not declared in pyproject.toml"]
    assert house.third_party(source, OPTIONAL, at_start_only=True) == {}
    (source,) = planted(a="class C:\n    import duckdb\n")
    assert house.third_party(source, OPTIONAL, at_start_only=True) == {"duckdb": 2}
