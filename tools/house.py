"""The house in numbers: which room imports which, and how long files and functions are.

    python tools/house.py [FOLDER]    # of a checkout; this one if none is named

A room is a folder of `src/skitter`, or a file of its own. FLOORS is the order of the rooms, and
tests hold it: a room imports from lower floors only. Imports that only types need count too.
"""

import ast
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from statistics import median
from typing import NamedTuple

HOME = Path(__file__).resolve().parents[1]
PACKAGE = "skitter"
FLOORS: tuple[tuple[str, ...], ...] = (  # from the ground up
    ("errors", "endings", "warn"),
    ("compiled", "rotation", "spec", "channel", "disk"),
    ("state", "friction", "species", "progress", "console", "options", "clock"),
    ("scene",),
    ("terrain", "events", "cite"),
    ("water", "elastic", "things", "trails", "meeting"),
    ("rigid",),
    ("control",),
    ("creatures",),
    ("start", "gltf", "wcon", "look", "record"),
    ("world", "render", "measure"),
    ("export", "study", "learn"),
    ("recording", "view"),
    ("runner",),
    ("claims",),
    ("bench",),
    ("commands",),
    ("cli",),
)
DOORS = ("__init__", "__main__")  # of the package: they only lead to others


class Function(NamedTuple):
    """A function of the package and how long it is, its docstring left out."""

    place: str
    lines: int


class Import(NamedTuple):
    """One room imports from another."""

    room: str
    other: str
    place: str


def list_sources(home: Path = HOME) -> list[Path]:
    return sorted((home / "src" / PACKAGE).rglob("*.py"))


def name_room(path: Path, home: Path = HOME) -> str:
    """The room that a source file belongs to."""
    return path.relative_to(home / "src" / PACKAGE).parts[0].removesuffix(".py")


def name_place(path: Path, home: Path = HOME) -> str:
    return str(path.relative_to(home / "src" / PACKAGE))


def list_imports(home: Path = HOME) -> list[Import]:
    """All imports between rooms."""
    found = []
    for path in list_sources(home):
        room = name_room(path, home)
        for node in ast.walk(ast.parse(path.read_text())):
            for module in list_modules(node):
                package, _, rest = module.partition(".")
                other = rest.partition(".")[0]
                if package == PACKAGE and other and other != room and room not in DOORS:
                    found.append(Import(room, other, f"{name_place(path, home)}:{node.lineno}"))  # type: ignore[attr-defined]
    return found


def list_modules(node: ast.AST) -> list[str]:
    """The modules that a statement imports; `from skitter import x` means skitter.x."""
    if isinstance(node, ast.Import):
        return [name.name for name in node.names]
    if isinstance(node, ast.ImportFrom) and node.module:
        named = [f"{PACKAGE}.{name.name}" for name in node.names]
        return named if node.module == PACKAGE else [node.module]
    return []


def link_rooms(imports: list[Import]) -> dict[str, set[str]]:
    """Which rooms each room imports."""
    links: dict[str, set[str]] = {}
    for one in imports:
        links.setdefault(one.room, set()).add(one.other)
    return links


def list_functions(home: Path = HOME) -> Iterator[Function]:
    for path in list_sources(home):
        for node in ast.walk(ast.parse(path.read_text())):
            if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
                first = node.body[0]
                told = 0
                if isinstance(first, ast.Expr) and isinstance(first.value, ast.Constant):
                    told = first.end_lineno - first.lineno + 1  # type: ignore[operator]
                lines = node.end_lineno - node.lineno + 1 - told  # type: ignore[operator]
                yield Function(f"{name_place(path, home)}:{node.name}", lines)


def count_lines(path: Path) -> int:
    return len(path.read_text().splitlines())


def count_repeated(home: Path, least: int = 6) -> int:
    """Runs of so many lines of code that stand in more than one place, told by their first line."""
    seen: dict[tuple[str, ...], int] = {}
    for path in list_sources(home):
        lines = [re.sub(r"\s+", " ", line).strip() for line in path.read_text().splitlines()]
        kept = [
            line
            for line in lines
            if len(line) > 3 and not line.startswith(("#", "from ", "import ", '"""'))
        ]
        for k in range(len(kept) - least + 1):
            run = tuple(kept[k : k + least])
            seen[run] = seen.get(run, 0) + 1
    return sum(count > 1 for count in seen.values())


def report(home: Path) -> None:
    """Print the numbers of a checkout."""
    files = {name_place(path, home): count_lines(path) for path in list_sources(home)}
    functions = list(list_functions(home))
    longest = max(files, key=lambda name: files[name])
    longest_function = max(functions, key=lambda one: one.lines)
    tests = sorted((home / "tests").rglob("*.py"))
    revision = subprocess.run(
        ["git", "-C", home, "rev-parse", "--short", "HEAD"], capture_output=True, text=True
    ).stdout.strip()
    rows = {
        "revision": revision,
        "files": len(files),
        "lines": sum(files.values()),
        "median file": median(files.values()),
        "longest file": f"{files[longest]} ({longest})",
        "functions": len(functions),
        "median function": median(one.lines for one in functions),
        "longest function": f"{longest_function.lines} ({longest_function.place})",
        "repeated runs of six lines": count_repeated(home),
        "test files": len(tests),
        "lines of tests": sum(count_lines(path) for path in tests),
        "longest test file": max(count_lines(path) for path in tests),
    }
    for name, value in rows.items():
        print(f"{name:28} {value}")


if __name__ == "__main__":
    report(Path(sys.argv[1]).resolve() if len(sys.argv) > 1 else HOME)
