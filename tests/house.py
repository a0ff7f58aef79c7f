"""The house rules as small functions over the syntax tree; ``test_house*.py`` apply them to the project.

Every rule takes a parsed source and returns the places that break it, as text that names file and line. No
place means that the rule is kept. So a test can plant a fault in a string and see that the rule finds it.
"""

import ast
import subprocess
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cache, cached_property
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
PACKAGE = "vecdecay"
FunctionNode = ast.FunctionDef | ast.AsyncFunctionDef


@dataclass(frozen=True)
class Source:
    """One Python file: its path relative to the project's root, with ``/``, and its text."""

    path: str
    text: str

    @cached_property
    def tree(self) -> ast.Module:
        """The syntax tree."""
        return ast.parse(self.text, self.path)

    @property
    def is_package(self) -> bool:
        """Whether this is the ``__init__.py`` of a package."""
        return self.path.endswith("__init__.py")

    @property
    def module(self) -> str:
        """The dotted name under which the file is imported."""
        return self.path.removesuffix(".py").replace("/", ".").removesuffix(".__init__")

    def at(self, line: int, problem: str) -> str:
        """Return one finding."""
        return f"{self.path}:{line}: {problem}"


@dataclass(frozen=True)
class Import:
    """One imported name, dotted from the top; ``at_start`` where it runs as the module itself is imported."""

    name: str
    line: int
    at_start: bool


@cache
def python_files(folder: str) -> tuple[Source, ...]:
    """Return the Python files below a folder of the project, in the order of their paths."""
    paths = sorted(Path(ROOT, folder).rglob("*.py"))
    return tuple(Source(p.relative_to(ROOT).as_posix(), p.read_text("utf-8")) for p in paths)


@cache
def project_files() -> tuple[str, ...]:
    """Return the files that git tracks or would show; without git, all that it would not ignore."""
    try:
        top = _git("rev-parse", "--show-toplevel").strip()
        if Path(top).resolve() == ROOT:
            names = _git("ls-files", "-z", "--cached", "--others", "--exclude-standard").split("\0")
            return tuple(sorted(name for name in set(names) if name and (ROOT / name).is_file()))
    except (OSError, subprocess.CalledProcessError):
        pass
    return tuple(sorted(_listing(ROOT)))


def expect_none(findings: Iterable[str]) -> None:
    """Fail with every finding on a line of its own."""
    lines = list(findings)
    assert not lines, "\n" + "\n".join(lines)


def _git(*arguments: str) -> str:
    return subprocess.run(["git", *arguments], cwd=ROOT, capture_output=True, text=True, check=True).stdout


def _listing(folder: Path) -> Iterator[str]:
    made = {"__pycache__", "build", "dist"}
    for path in folder.iterdir():
        hidden = path.name.startswith(".") and path.name not in {".ci", ".gitignore", ".gitkeep"}
        if hidden or path.name in made or path.suffix in {".egg-info", ".pyc"} or path == ROOT / "output":
            continue
        if path.is_dir():
            yield from _listing(path)
        else:
            yield path.relative_to(ROOT).as_posix()


def imports(source: Source) -> list[Import]:
    """Return what a file imports, without the blocks under ``if TYPE_CHECKING``."""
    return list(_imports(source, source.tree.body, at_start=True))


def _imports(source: Source, nodes: Iterable[ast.AST], at_start: bool) -> Iterator[Import]:
    for node in nodes:
        if isinstance(node, ast.Import):
            yield from (Import(alias.name, node.lineno, at_start) for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            origin = _origin(source, node)
            yield from (Import(f"{origin}.{alias.name}", node.lineno, at_start) for alias in node.names)
        elif isinstance(node, ast.If) and ast.unparse(node.test).endswith("TYPE_CHECKING"):
            yield from _imports(source, node.orelse, at_start)
        else:
            inside = at_start and not isinstance(node, FunctionNode | ast.Lambda)
            yield from _imports(source, ast.iter_child_nodes(node), inside)


def _origin(source: Source, node: ast.ImportFrom) -> str:
    if not node.level:
        return node.module or ""
    parents = source.module.split(".")
    kept = len(parents) - node.level + source.is_package
    return ".".join([*parents[:kept], *filter(None, [node.module])])


def modules_imported(source: Source, modules: Iterable[str]) -> dict[str, int]:
    """Return which of ``modules`` a file imports, and where first: the longest known start of each name."""
    known = set(modules)
    found: dict[str, int] = {}
    for item in imports(source):
        parts = item.name.split(".")
        beginnings = (".".join(parts[:length]) for length in range(len(parts), 0, -1))
        name = next((beginning for beginning in beginnings if beginning in known), None)
        if name is not None:
            found.setdefault(name, item.line)
    return found


def third_party(source: Source, outside: Iterable[str], *, at_start_only: bool = False) -> dict[str, int]:
    """Return the top-level packages of ``outside`` that a file imports, and in which line first."""
    wanted = set(outside)
    found: dict[str, int] = {}
    for item in imports(source):
        top = item.name.split(".")[0]
        if top in wanted and (item.at_start or not at_start_only):
            found.setdefault(top, item.line)
    return found


def has_kernel(source: Source) -> bool:
    """Tell whether a file defines a function decorated with ``kernel`` or ``kernel_uncached``."""
    functions = (node for node in ast.walk(source.tree) if isinstance(node, FunctionNode))
    names = (ast.unparse(decorator).split("(")[0] for f in functions for decorator in f.decorator_list)
    return any(name.split(".")[-1] in {"kernel", "kernel_uncached"} for name in names)


def long_functions(source: Source, most: int) -> list[str]:
    """Find functions of more than ``most`` lines, from ``def`` to the last line, docstring included.

    Of a kernel only the body counts: it is handed every array by name, and says what each of them holds.
    """
    functions = [node for node in ast.walk(source.tree) if isinstance(node, FunctionNode)]
    lengths = [(node, (node.end_lineno or node.lineno) - _first_counted_line(node, source) + 1) for node in functions]
    return [source.at(f.lineno, f"{f.name} has {lines} lines") for f, lines in lengths if lines > most]


def _first_counted_line(node: ast.FunctionDef | ast.AsyncFunctionDef, source: Source) -> int:
    if not has_kernel(source) or len(node.body) < 2:
        return node.lineno
    documented = isinstance(node.body[0], ast.Expr)
    return node.body[1 if documented else 0].lineno


def missing_docstrings(source: Source) -> list[str]:
    """Find a module, and public classes, functions and methods, that have no docstring."""
    found = [] if ast.get_docstring(source.tree) else [source.at(1, "the module has no docstring")]
    rooms: list[ast.Module | ast.ClassDef] = [source.tree]
    while rooms:
        for node in rooms.pop().body:
            if not isinstance(node, ast.ClassDef | FunctionNode) or node.name.startswith("_"):
                continue
            if not ast.get_docstring(node):
                found.append(source.at(node.lineno, f"{node.name} has no docstring"))
            if isinstance(node, ast.ClassDef):
                rooms.append(node)
    return found


def unsafe_compilation(source: Source) -> list[str]:
    """Find what lets a result depend on the machine: ``fastmath``, ``parallel`` and ``prange``."""
    found = []
    for node in ast.walk(source.tree):
        if isinstance(node, ast.keyword) and node.arg in {"fastmath", "parallel"}:
            found.append(source.at(node.value.lineno, f"the option {node.arg}"))
        elif (isinstance(node, ast.Attribute) and node.attr == "prange") or (
            isinstance(node, ast.Name) and node.id == "prange"
        ):
            found.append(source.at(node.lineno, "prange"))
        elif isinstance(node, ast.alias) and node.name == "prange":
            found.append(source.at(node.lineno, "prange is imported"))
    return found


def literal_exponents(source: Source) -> list[str]:
    """Find powers of a variable to a literal exponent: Numba computes those differently from CPython."""
    found = []
    for node in ast.walk(source.tree):
        if isinstance(node, ast.BinOp | ast.AugAssign) and isinstance(node.op, ast.Pow):
            base, exponent = (node.left, node.right) if isinstance(node, ast.BinOp) else (node.target, node.value)
        elif isinstance(node, ast.Call) and len(node.args) == 2 and _called(node) in {"pow", "math.pow"}:
            base, exponent = node.args
        else:
            continue
        # A constant to a constant is folded before Numba sees it.
        if _is_number(exponent) and not _is_number(base):
            found.append(source.at(node.lineno, f"literal exponent in {ast.unparse(node)}"))
    return found


def _called(node: ast.Call) -> str:
    return ast.unparse(node.func)


def _is_number(node: ast.AST) -> bool:
    if isinstance(node, ast.UnaryOp):
        return _is_number(node.operand)
    return isinstance(node, ast.Constant) and isinstance(node.value, int | float)


# NumPy's own loops for these may differ from Python's `math` in the last bit.
INEXACT = {"exp", "exp2", "expm1", "float_power", "log", "log10", "log1p", "log2", "power"}


def inexact_functions(source: Source) -> list[str]:
    """Find NumPy's exponentials, logarithms and powers, whose last bit differs from that of ``math``."""
    found = []
    for node in ast.walk(source.tree):
        if isinstance(node, ast.Attribute) and node.attr in INEXACT:
            if ast.unparse(node.value) in {"np", "numpy"}:
                found.append(source.at(node.lineno, ast.unparse(node)))
        elif isinstance(node, ast.ImportFrom) and node.module == "numpy":
            names = INEXACT.intersection(alias.name for alias in node.names)
            found += [source.at(node.lineno, f"numpy.{name} is imported") for name in sorted(names)]
    return found


# A verdict by one of these depends on how busy the machine is.
WALL_CLOCKS = {"time", "monotonic", "perf_counter", "monotonic_ns", "perf_counter_ns", "time_ns"}


def wall_clocks(source: Source) -> list[str]:
    """Find questions to a clock on the wall."""
    return [
        source.at(node.lineno, ast.unparse(node))
        for node in ast.walk(source.tree)
        if isinstance(node, ast.Attribute) and node.attr in WALL_CLOCKS and ast.unparse(node.value) == "time"
    ]


def names_used(source: Source) -> set[str]:
    """Return the names that a file imports, calls or otherwise looks at, and its short texts."""
    nodes = list(ast.walk(source.tree))
    names = {node.id for node in nodes if isinstance(node, ast.Name)}
    names |= {node.attr for node in nodes if isinstance(node, ast.Attribute)}
    names |= {alias.name for node in nodes if isinstance(node, ast.ImportFrom) for alias in node.names}
    return names | {node.value for node in nodes if isinstance(node, ast.Constant) and isinstance(node.value, str)}
