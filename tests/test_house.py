"""The house rules on shape: sizes, docstrings, names, arithmetic that must stay exact, what lies where."""

import importlib
import re
import tempfile
from pathlib import Path

import house
import pytest
from house import ROOT, Source, expect_none, python_files

MOST_LINES_OF_A_FILE = 400
MOST_LINES_OF_A_FUNCTION = 60
# A kernel's inner loop stays in one piece: cut in two, with every array handed over, the table kernel took 156 ns a
# session instead of 41.
MOST_LINES_OF_A_KERNEL = 85
TOP_LEVEL = {"vecdecay", "sweeps", "tests", "output", "pyproject.toml", "README.md", "LICENSE"}
EXACT_FOLDERS = ("vecdecay/engines/", "vecdecay/policies/", "vecdecay/sessions/")


def package() -> tuple[Source, ...]:
    """Return the package's own files; an empty answer would let every rule pass."""
    files = python_files("vecdecay")
    assert files
    return files


def test_files_are_at_most_400_lines() -> None:
    """A file that passes 400 lines wants to be two."""
    lengths = {s.path: s.text.count("\n") for s in package() + python_files("tests")}
    expect_none(f"{path}: {lines} lines" for path, lines in lengths.items() if lines > MOST_LINES_OF_A_FILE)


def is_kernel(source: Source) -> bool:
    """Tell whether a file holds kernels, or templates of kernels."""
    return house.has_kernel(source) or source.path.startswith("vecdecay/engines/kernels/")


def test_functions_are_at_most_60_lines() -> None:
    """A function that passes 60 lines wants to be two."""
    limits = [(s, MOST_LINES_OF_A_KERNEL if is_kernel(s) else MOST_LINES_OF_A_FUNCTION) for s in package()]
    expect_none(finding for s, most in limits for finding in house.long_functions(s, most))


def test_everything_public_has_a_docstring() -> None:
    """Every module, public class, function and method says what it is."""
    expect_none(finding for s in package() for finding in house.missing_docstrings(s))


def test_every_policy_stands_in_the_list() -> None:
    """A policy in policies/ that ``POLICIES`` does not name could be neither swept nor listed."""
    listed = set(importlib.import_module("vecdecay.policies").POLICIES)
    kinds = {"base", "stateful", "own"}  # what policies are made from
    files = [
        s
        for s in package()
        if s.path.startswith("vecdecay/policies/") and not s.is_package and s.module.split(".")[-1] not in kinds
    ]
    found = {
        one
        for source in files
        for one in vars(importlib.import_module(source.module)).values()
        if isinstance(one, type) and one.__module__ == source.module and "formula" in vars(one) and "name" in vars(one)
    }
    assert len(found) >= len(listed) >= 3
    expect_none(f"{one.__module__}.{one.__name__} is not in POLICIES" for one in found - listed)


def test_results_cannot_depend_on_vector_units_or_thread_counts() -> None:
    """Nowhere ``fastmath``, ``parallel`` or ``prange``."""
    expect_none(finding for s in package() for finding in house.unsafe_compilation(s))


def test_formulas_have_no_literal_exponents() -> None:
    """In kernels and policies an exponent is a run-time value, which Numba and CPython treat alike."""
    files = [s for s in package() if house.has_kernel(s) or s.path.startswith("vecdecay/policies/")]
    expect_none(finding for s in files for finding in house.literal_exponents(s))


def test_formulas_use_scalar_math() -> None:
    """No NumPy exponential, logarithm or power where a session is made, decided or played."""
    files = [s for s in package() if s.path.startswith(EXACT_FOLDERS)]
    assert files
    expect_none(finding for s in files for finding in house.inexact_functions(s))


def test_no_verdict_is_by_the_wall_clock() -> None:
    """A busy machine makes no test fail: processor time and numbers of calls are measured, see effort.py."""
    expect_none(finding for s in python_files("tests") for finding in house.wall_clocks(s))


def test_every_public_name_is_exercised() -> None:
    """Whatever a person can import or type, some test uses."""
    used = set().union(*map(house.names_used, python_files("tests")))
    public = {
        f"{module}.{name}": name
        for module in ("vecdecay", "vecdecay.policies", "vecdecay.sessions", "vecdecay.testing")
        for name in importlib.import_module(module).__all__
    }
    commands = list(importlib.import_module("vecdecay.cli").app)
    public |= {f"the command {name}": name for name in commands if not name.startswith("-")}
    assert len(public) > 70
    expect_none(f"{shown} is in no test" for shown, name in public.items() if name not in used)


def test_the_top_level_holds_what_the_design_names() -> None:
    """The seven names of the design and dot-files: nothing else, and none of the seven missing."""
    names = {path.split("/")[0] for path in house.project_files()}
    visible = {name for name in names if not name.startswith(".")}
    expect_none(f"{name} is one too many" for name in sorted(visible - TOP_LEVEL))
    expect_none(f"{name} is missing" for name in sorted(TOP_LEVEL) if not (ROOT / name).exists())


def test_no_file_names_a_folder_of_one_machine() -> None:
    """Neither this checkout's parent nor anybody's home folder stands in a file."""
    found = []
    for path in house.project_files():
        text = (ROOT / path).read_bytes().decode("utf-8", "replace")
        found += [f"{path}: {match}" for match in sorted(set(machine_paths().findall(text)))]
    expect_none(found)


def machine_paths() -> re.Pattern[str]:
    """Return what a path of one machine looks like; root and temporary folder belong to no machine."""
    shared = {Path("/"), Path("/tmp"), Path(tempfile.gettempdir())}
    own = [f"{folder}/" for folder in (ROOT.parent, Path.home()) if folder not in shared]
    return re.compile("|".join([*map(re.escape, own), r"/(?:root|home/\w+|Users/\w+)/"]))


def test_every_public_name_resolves() -> None:
    """``__all__`` of the package names things that are there, each once."""
    vecdecay = importlib.import_module("vecdecay")
    names = vecdecay.__all__
    assert names
    assert len(set(names)) == len(names)
    expect_none(f"vecdecay has no {name}" for name in names if not hasattr(vecdecay, name))


PLANTED = [
    (lambda s: house.long_functions(s, 2), "def f():\n    a = 1\n    return a\n", "def f():\n    return 1\n"),
    (house.missing_docstrings, "x = 1\n", '"""It is x."""\nx = 1\n'),
    (house.missing_docstrings, '"""M."""\ndef f(): pass\n', '"""M."""\ndef _f(): pass\n'),
    (
        house.missing_docstrings,
        '"""M."""\nclass C:\n    "C."\n    def f(self): pass\n',
        '"""M."""\nclass _C: pass\n',
    ),
    (house.unsafe_compilation, "@njit(fastmath=True)\ndef f(): pass\n", "@njit(nogil=True)\ndef f(): pass\n"),
    (house.unsafe_compilation, "njit(parallel=True)(f)\n", "'parallel=True'\n"),
    (house.unsafe_compilation, "for i in numba.prange(n): pass\n", "for i in range(n): pass\n"),
    (house.unsafe_compilation, "from numba import prange\n", "from numba import njit\n"),
    (house.literal_exponents, "y = x ** 2\n", "y = x ** n\n"),
    (house.literal_exponents, "y = x ** -0.5\n", "y = 2 ** 32 - 1\n"),
    (house.literal_exponents, "x **= 3\n", "x *= 3\n"),
    (house.literal_exponents, "y = math.pow(x, 2)\n", "y = math.pow(x, n)\n"),
    (house.inexact_functions, "y = np.exp(x)\n", "y = math.exp(x)\n"),
    (house.inexact_functions, "from numpy import log, sqrt\n", "from numpy import sqrt\n"),
    (house.wall_clocks, "assert time.monotonic() < until\n", "assert time.process_time() < until\n"),
]


@pytest.mark.parametrize(("rule", "fault", "kept"), PLANTED)
def test_a_rule_finds_its_planted_fault(rule, fault, kept) -> None:
    """Each rule above finds a fault planted for it, and leaves the sound twin alone."""
    assert len(rule(Source("vecdecay/engines/planted.py", fault))) == 1
    assert rule(Source("vecdecay/engines/planted.py", kept)) == []


def test_the_machine_path_rule_finds_its_planted_fault() -> None:
    """A home folder is found, a web address and a relative path are not."""
    slash = "/"  # a whole path written here would be found in this very file
    assert machine_paths().search(f"see {slash}home{slash}somebody{slash}notes")
    assert machine_paths().search(f"see {Path.home()}{slash}notes") or Path.home() == Path("/")
    assert not machine_paths().search("https://example.org/a output/headline/cells.parquet /usr/bin/env")
