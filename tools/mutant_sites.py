"""Finds where in a source file a small mistake could be made, and what would stand there then.

All mistakes keep the types of what they change, so that kernels with them compile. Left alone are
words, types, the sizes of arrays and the numbers in subscripts.
"""

import ast
import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

PACKAGE = Path(__file__).parents[1] / "src" / "skitter"
ROOMS = ("elastic", "rigid", "control", "terrain", "water", "record")
SIZING = {"range", "zeros", "ones", "empty", "full", "reshape", "arange", "eye", "tile", "pad"}
SMALLEST, LARGEST = 1e-9, 1e9  # numbers beyond only keep a division or a comparison defined
# Where a change changes nothing that anyone could see: file and the beginning of the line.
# Signs of permutations are 1 or -1; a rotation is found long before the limit; where a search or a
# thread's patience begins costs time only; the rest is words.
NOTHING_CHANGES: dict[str, tuple[str, ...]] = {
    "elastic/block.py": ("is_positive =",),
    "elastic/energy.py": ("while count <",),
    "terrain/mesh_query.py": ("node = left if",),
    "water/together.py": ("looks", "if looks", "offer_core"),
    "record/recording.py": ("names =",),
}
FLIPPED = {ast.Add: ast.Sub, ast.Sub: ast.Add, ast.Mult: ast.Add, ast.Div: ast.Mult}
# first at the boundary, then all
COMPARED: dict[type, tuple[type, ...]] = {
    ast.Lt: (ast.LtE, ast.GtE), ast.LtE: (ast.Lt, ast.Gt), ast.Gt: (ast.GtE, ast.LtE),
    ast.GtE: (ast.Gt, ast.Lt), ast.Eq: (ast.NotEq,), ast.NotEq: (ast.Eq,),
}  # fmt: skip
RENAMED = {"min": "max", "max": "min", "sin": "cos", "cos": "sin"}
RENAMED |= {"minimum": "maximum", "maximum": "minimum"}
# Names in capitals are numbers of rows or items, except for those that are given with a point.
QUANTITIES = {
    name
    for room in ROOMS
    for path in (PACKAGE / room).rglob("*.py")
    for name in re.findall(r"^([A-Z_]+) = [\d.]+(?:\.|e-)\d+ ", path.read_text(), re.MULTILINE)
}


@dataclass(frozen=True)
class Change:
    """A mistake that could be made: `text` stands in the file from `start` to `stop`, in bytes."""

    file: str  # below src/skitter
    function: str
    line: int
    statement: int  # where the statement begins; one change each
    kind: str
    start: int
    stop: int
    text: str  # with ME where the number of the mutant goes
    what: str


def change_expression(node: ast.AST) -> Iterator[tuple[str, ast.expr]]:
    """The kinds of mistakes in an expression, and what would stand there."""
    match node:
        case ast.BinOp(op=op) if type(op) in FLIPPED and not mentions_sizes(node):
            yield "arithmetic", ast.BinOp(node.left, FLIPPED[type(op)](), node.right)
        case ast.Compare(ops=[op]) if type(op) in COMPARED:
            # two quantities are never the same, a count may be
            is_counted = isinstance(getattr(node.comparators[0], "value", None), int)
            for other in COMPARED[type(op)][0 if is_counted else -1 :]:
                yield "comparison", ast.Compare(node.left, [other()], node.comparators)
        case ast.BoolOp(op=op):
            other = ast.Or() if isinstance(op, ast.And) else ast.And()
            yield "logic", ast.BoolOp(other, node.values)
        case ast.UnaryOp(op=ast.Not()):
            yield "logic", node.operand
        case ast.Call(func=ast.Name(id=name)) if name in RENAMED and len(node.args) > 1:
            yield "function", ast.Call(ast.Name(RENAMED[name]), node.args, node.keywords)
        case ast.Call(func=ast.Attribute(attr=name) as function) if name in RENAMED and node.args:
            renamed = ast.Attribute(function.value, RENAMED[name])
            yield "function", ast.Call(renamed, node.args, node.keywords)
        case ast.Constant(value=float(value)) if value == 0 or SMALLEST < value < LARGEST:
            yield "number", ast.Constant(1.5 * value or 0.1)
        case ast.Constant(value=int(value)) if not isinstance(value, bool):
            yield "number", ast.Constant(value + 1)


def mentions_sizes(node: ast.AST) -> bool:
    """Whether an expression is about places in arrays or words, not about quantities."""
    match node:
        case ast.Name(id=name):
            return name.isupper() and name not in QUANTITIES
        case ast.Constant(value=value):
            return isinstance(value, str)
        case ast.Subscript():
            return mentions_sizes(node.value)
        case ast.List() | ast.JoinedStr() | ast.ListComp():
            return True
        case ast.Call():
            return any(map(mentions_sizes, node.args))
    return any(map(mentions_sizes, ast.iter_child_nodes(node)))


def walk(node: ast.AST) -> Iterator[ast.AST]:
    """A node and what is in it that may be changed."""
    yield node
    for child in list_children(node):
        yield from walk(child)


def list_children(node: ast.AST) -> Iterator[ast.AST]:
    match node:
        case ast.JoinedStr() | ast.Lambda():
            return
        case ast.Subscript():
            yield node.value
        case ast.Call(func=ast.Name(id=name) | ast.Attribute(attr=name)) if name in SIZING:
            return
        case ast.Call():
            yield from (node.func, *node.args)
            yield from (k.value for k in node.keywords if not isinstance(k.value, ast.Constant))
        case ast.BinOp() if isinstance(node.op, ast.Pow) or mentions_sizes(node):
            return
        case _:
            yield from ast.iter_child_nodes(node)


class Reader:
    """Finds the changes of a file."""

    def __init__(self, path: Path):
        self.file = str(path.relative_to(PACKAGE))
        self.source = path.read_bytes()
        lines = self.source.splitlines(keepends=True)
        self.offset = [sum(map(len, lines[:k])) for k in range(len(lines) + 1)]
        self.lines = [line.decode().strip() for line in lines]

    def find_changes(self) -> Iterator[Change]:
        """Those in functions and methods, not in functions inside of functions."""
        module = ast.parse(self.source).body
        classes = [node for node in module if isinstance(node, ast.ClassDef)]
        for node in module + [method for one in classes for method in one.body]:
            if isinstance(node, ast.FunctionDef) and node.name != "__repr__":
                self.function = f"{node.name}:{node.lineno}"
                can_end = not any(
                    isinstance(part, ast.Yield | ast.YieldFrom)
                    or (isinstance(part, ast.Return) and part.value)
                    for part in ast.walk(node)
                )
                yield from self.find_in_body(node.body, can_end)

    def find_in_body(self, body: list[ast.stmt], can_end: bool) -> Iterator[Change]:
        for place, statement in enumerate(body):
            if isinstance(statement, ast.FunctionDef | ast.Raise | ast.Assert):
                continue
            ignored = NOTHING_CHANGES.get(self.file, ())
            if not ignored or not self.lines[statement.lineno - 1].startswith(ignored):
                self.statement = statement
                yield from self.find_in_statement(can_end and place > 0)
            for part in ("body", "orelse", "finalbody"):
                yield from self.find_in_body(getattr(statement, part, []), False)

    def find_in_statement(self, can_end: bool) -> Iterator[Change]:
        """Changes of a statement as a whole, then of its expressions."""
        statement = self.statement
        match statement:
            case ast.AugAssign(op=ast.Add() | ast.Sub(), value=value) if not mentions_sizes(value):
                yield self.change("sign", value, "(-(OLD) if is_mutant(ME) else OLD)", "sign of")
        match statement:
            case (
                ast.AugAssign()
                | ast.Assign(targets=[ast.Subscript() | ast.Attribute()])
                | ast.Expr(value=ast.Call())
            ):
                yield self.change("left out", statement, "if not is_mutant(ME): OLD", "without")
            case ast.Return(value=ast.BinOp() as value) if not mentions_sizes(value):
                yield self.change("returned", value, "(-(OLD) if is_mutant(ME) else (OLD))", "-")
            case ast.Return(value=ast.Compare() | ast.BoolOp() as value):
                if not mentions_sizes(value):
                    text = "(not (OLD) if is_mutant(ME) else (OLD))"
                    yield self.change("returned", value, text, "not")
        if can_end:
            indent = " " * statement.col_offset
            early = f"if is_mutant(ME):\n{indent}    return\n{indent}"
            yield self.change("end", statement, early, "return before")
        for node in (inner for part in list_parts(statement) for inner in walk(part)):
            for kind, wrong in change_expression(node):
                new = ast.unparse(wrong)
                yield self.change(kind, node, f"({new} if is_mutant(ME) else OLD)", f"{new} for")

    def change(self, kind: str, node: ast.AST, text: str, what: str) -> Change:
        """A change of a node: `text` stands instead, with OLD for what it was, or before it."""
        start, stop = self.find_place(node)
        old, line = self.source[start:stop].decode(), self.source[:start].count(b"\n")
        stop = stop if "OLD" in text else start
        shown = self.lines[line] if node is self.statement else " ".join(old.split())
        statement = self.find_place(self.statement)[0]
        return Change(self.file, self.function, line + 1, statement, kind, start, stop,
                      text.replace("OLD", old), f"{what}: {shown}")  # fmt: skip

    def find_place(self, node: ast.AST) -> tuple[int, int]:
        assert isinstance(node, ast.expr | ast.stmt)
        assert node.end_lineno is not None and node.end_col_offset is not None
        start = self.offset[node.lineno - 1] + node.col_offset
        return start, self.offset[node.end_lineno - 1] + node.end_col_offset


def list_parts(statement: ast.stmt) -> list[ast.expr]:
    """The expressions of a statement; not what is assigned to, nor a type."""
    match statement:
        case ast.AugAssign() | ast.Assign() | ast.AnnAssign() | ast.Return() | ast.Expr():
            return [statement.value] if statement.value else []
    return [node for node in ast.iter_child_nodes(statement) if isinstance(node, ast.expr)]
