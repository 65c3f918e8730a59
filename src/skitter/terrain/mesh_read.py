"""Triangles of OBJ, STL and PLY files, of which nothing is believed.

Only places and faces are taken; colours, textures and normals are passed over. Faces of more than
three corners become fans. What is counted is looked at before it is read, and a word where a
number belongs is a mistake of the file, told in one line.
"""

import re
from array import array
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from typing import Any, NoReturn

import numpy as np
from numpy.typing import NDArray

from skitter.disk import BadFile, parse_numbers

Floats = NDArray[np.floating]
Ints = NDArray[np.int64]
Triangles = tuple[Floats, Ints]  # points [n, 3] in the file's unit, corners of each triangle [m, 3]

TRIANGLE_LIMIT = 1_000_000
POINT_LIMIT = 3 * TRIANGLE_LIMIT
OBJ_LINE = re.compile(rb"^[ \t]*+([vf])(?:[ \t]++([^\n#]*+)|(?=[\r\n]|\Z))", re.MULTILINE)
OBJ_WORDS = {
    b"v": "must be a v and three numbers",
    b"f": "must be an f and corners, which are whole numbers but 0",
}
STL_HEAD, STL_ROW = 84, 50  # bytes before the triangles, and of each
STL_BLOCK = 1 << 20  # bytes of text
STL_WORDS = re.compile(rb"^\s*(?:end)?solid[^\n]*|[a-z]*facet|normal|outer|[a-z]*loop|vertex", re.M)
PLY_TYPES = {
    **dict.fromkeys(("char", "int8"), "i1"), **dict.fromkeys(("uchar", "uint8"), "u1"),
    **dict.fromkeys(("short", "int16"), "i2"), **dict.fromkeys(("ushort", "uint16"), "u2"),
    **dict.fromkeys(("int", "int32"), "i4"), **dict.fromkeys(("uint", "uint32"), "u4"),
    **dict.fromkeys(("float", "float32"), "f4"), **dict.fromkeys(("double", "float64"), "f8"),
}  # fmt: skip
PLY_ORDERS = {"binary_little_endian": "<", "binary_big_endian": ">"}
PLY_TEXT = 100_000_000  # bytes; as numbers it may take four times as much
PLY_HEAD = 1 << 16  # bytes, at most


def refuse(problem: str) -> NoReturn:
    raise BadFile(f"{problem}; valid: an intact mesh file")


def check_count(count: int, limit: int = TRIANGLE_LIMIT, what: str = "triangles") -> None:
    """Before memory is asked for."""
    if count > limit:
        raise BadFile(f"has {count:,} {what}; valid: at most {limit:,}")


def add_fans(rows: Any, faces: "array[int]") -> None:
    """The triangles of faces of equally many corners [face, corner], from the first of each."""
    corners = len(rows[0])
    if corners < 3:
        refuse(f"has a face of {corners} corners")
    check_count(len(faces) // 3 + len(rows) * (corners - 2))
    if len(rows) == 1:
        for k in range(1, corners - 1):
            faces.extend((rows[0][0], rows[0][k], rows[0][k + 1]))
        return
    table = np.asarray(rows, np.int64)
    fans = [table[:, [0, k, k + 1]] for k in range(1, corners - 1)]
    faces.frombytes(np.stack(fans, axis=1).tobytes())


# OBJ


def read_obj(data: bytes) -> Triangles:
    """Wavefront's lines: v with a place, f with corners counted from 1, or back from -1."""
    points, faces = array("d"), array("q")
    data = data if b"\n" in data else data.replace(b"\r", b"\n")
    data = data.replace(b"\\\r\n", b" ").replace(b"\\\n", b" ")
    for line in OBJ_LINE.finditer(data):
        kind, words = line[1], (line[2] or b"").split()
        try:
            if kind == b"v":
                x, y, z, *_ = map(float, words)
                points.extend((x, y, z))
                check_count(len(points) // 3, POINT_LIMIT, "points")
            else:
                corners = [int(word.partition(b"/")[0]) for word in words]
                count = len(points) // 3
                if 0 in corners:
                    raise ValueError
                add_fans([[one - 1 if one > 0 else count + one for one in corners]], faces)
        except (ValueError, OverflowError) as error:
            number = data.count(b"\n", 0, line.start()) + 1
            problem = str(error) if isinstance(error, BadFile) else OBJ_WORDS[kind]
            raise BadFile(f"has a mistake in line {number:,}: it {problem}") from None
    return np.array(points).reshape(-1, 3), np.array(faces, np.int64).reshape(-1, 3)


# STL


def read_stl(data: bytes) -> Triangles:
    """Triangles as rows of numbers, or as text that begins with `solid`."""
    count = int.from_bytes(data[80:84], "little") if len(data) >= STL_HEAD else 0
    is_whole = len(data) == STL_HEAD + count * STL_ROW and count > 0
    if not is_whole and data[:512].lstrip()[:5].lower() == b"solid":
        return number_corners(read_stl_text(data))
    if len(data) < STL_HEAD + count * STL_ROW or len(data) < STL_HEAD:
        refuse("is cut short")
    check_count(count)
    row = np.dtype([("normal", "<f4", 3), ("corner", "<f4", (3, 3)), ("rest", "<u2")])
    return number_corners(np.frombuffer(data, row, count, STL_HEAD)["corner"].astype(float))


def read_stl_text(data: bytes) -> Floats:
    """Corners of each triangle [triangle, 3, 3]; some lines at a time, as words take memory."""
    parts, start, count = [np.zeros(0)], 0, 0
    while start < len(data):
        end = data.find(b"\n", start + STL_BLOCK, start + 2 * STL_BLOCK)
        end = min(start + 2 * STL_BLOCK, len(data)) if end < 0 else end + 1
        parts.append(parse_numbers(STL_WORDS.sub(b" ", data[start:end].lower())))
        start, count = end, count + len(parts[-1])
        check_count(count // 12)
    numbers = np.concatenate(parts)
    if len(numbers) % 12:
        refuse("has a triangle that is not a normal and three corners of three numbers each")
    return numbers.reshape(-1, 4, 3)[:, 1:]


def number_corners(corners: Floats) -> Triangles:
    """Three points of its own for each triangle."""
    return corners.reshape(-1, 3), np.arange(3 * len(corners)).reshape(-1, 3)


# PLY


@dataclass
class Element:
    """Rows of a PLY file: their properties, of which a list has the type of its count as well."""

    name: str
    count: int
    properties: list[tuple[str, str, str | None]] = field(default_factory=list)

    @property
    def has_lists(self) -> bool:
        return any(count for _, _, count in self.properties)


def read_ply(data: bytes) -> Triangles:
    """Stanford's format, as text or binary; faces, or strips of triangles."""
    end = data.find(b"end_header", 0, PLY_HEAD)
    start = data.find(b"\n", end) + 1
    if not data.startswith(b"ply") or end < 0 or start == 0:
        refuse("has no head of a PLY file")
    form, elements = read_ply_head(data[:end].decode("ascii", "replace"))
    if form not in PLY_ORDERS and form != "ascii":
        refuse(f"is of the form {form[:40]!r}, which is not known")
    if form == "ascii":
        check_count(len(data), PLY_TEXT, "bytes of text, more than a binary file would have")
    body: Body = Words(data[start:]) if form == "ascii" else Bytes(data, start, form)
    points: Floats = np.zeros((0, 3))
    faces = array("q")
    for element in elements:
        if element.name == "vertex":
            points = read_places(element, body)
        elif element.name == "face":
            read_lists(element, body, lambda rows: add_fans(rows, faces))
        elif element.name == "tristrips":
            read_lists(element, body, lambda rows: add_strips(rows, faces))
        else:
            read_lists(element, body, lambda rows: None)
    return points, np.array(faces, np.int64).reshape(-1, 3)


def read_ply_head(text: str) -> tuple[str, list[Element]]:
    """The form of what follows, and what there is."""
    form, elements = "", list[Element]()
    for line in text.splitlines()[1:]:
        match line.split():
            case ["format", name, *_]:
                form = name
            case ["element", name, count] if count.isascii() and count.isdigit():
                check_count(int(count[:20]), POINT_LIMIT, f"rows of {name[:40]}")
                elements.append(Element(name, int(count)))
            case ["property", "list", kind, of, name] if elements:
                elements[-1].properties.append((name, take_type(of), take_type(kind)))
            case ["property", of, name] if elements:
                elements[-1].properties.append((name, take_type(of), None))
            case ["comment" | "obj_info", *_] | []:
                pass
            case _:
                refuse(f"has {line[:40]!r} in its head")
    return form, elements


def take_type(name: str) -> str:
    if name not in PLY_TYPES:
        refuse(f"has numbers of the type {name[:20]!r}")
    return PLY_TYPES[name]


class Words:
    """The body of a PLY file that is text, which holds nothing but numbers."""

    def __init__(self, text: bytes) -> None:
        self.numbers, self.at = parse_numbers(text), 0

    def take(self, count: int, kind: str) -> list[Any]:
        """So many numbers."""
        found: list[Any] = self._read(count).tolist()
        return found

    def take_rows(self, count: int, kinds: list[str]) -> Floats:
        """Rows of single numbers [row, number]."""
        return self._read(count * len(kinds)).reshape(count, len(kinds))

    def _read(self, count: int) -> Floats:
        if count < 0 or self.at + count > len(self.numbers):
            refuse("is cut short")
        self.at += count
        return self.numbers[self.at - count : self.at]


class Bytes:
    """The body of a PLY file that is binary."""

    def __init__(self, data: bytes, start: int, form: str) -> None:
        self.data, self.at, self.order = data, start, PLY_ORDERS[form]

    def take(self, count: int, kind: str) -> list[Any]:
        """So many numbers."""
        found: list[Any] = self._read(np.dtype(self.order + kind), count).tolist()
        return found

    def take_rows(self, count: int, kinds: list[str]) -> Floats:
        """Rows of single numbers [row, number]."""
        row = np.dtype([(f"p{k}", self.order + kind) for k, kind in enumerate(kinds)])
        rows = self._read(row, count)
        return np.stack([rows[name].astype(float) for name in row.names or ()], axis=1)

    def take_even(self, element: Element, wanted: str) -> Ints | None:
        """The wanted list of all rows [row, number], if each has as many as the first."""
        start, fields = self.at, list[Any]()
        for name, kind, count in element.properties:
            length = 1 if count is None else take_whole(self.take(1, count)[0])
            self.take(length, kind)
            fields += [] if count is None else [(f"{name} count", self.order + count)]
            fields.append((name, self.order + kind, (length,)))
        self.at = start
        row = np.dtype(fields)
        if start + element.count * row.itemsize > len(self.data):
            return None
        rows = self._read(row, element.count)
        if all((rows[key] == rows[key][0]).all() for key in row.names or () if " " in key):
            return rows[wanted].astype(np.int64)
        self.at = start
        return None

    def _read(self, kind: np.dtype[Any], count: int) -> NDArray[Any]:
        if count < 0 or self.at + count * kind.itemsize > len(self.data):
            refuse("is cut short")
        found = np.frombuffer(self.data, kind, count, self.at)
        self.at += count * kind.itemsize
        return found


Body = Words | Bytes


def read_places(element: Element, body: Body) -> Floats:
    """x, y and z of each point [point, 3]."""
    names = [name for name, _, _ in element.properties]
    if element.has_lists or not {"x", "y", "z"} <= {*names}:
        refuse("has points without x, y and z")
    rows = body.take_rows(element.count, [kind for _, kind, _ in element.properties])
    return rows[:, [names.index(axis) for axis in "xyz"]]


def read_lists(element: Element, body: Body, use: Callable[[Any], None]) -> None:
    """Give the lists of corners away, some rows at a time; other properties are passed over."""
    lists = [name for name, _, count in element.properties if count]
    named = [name for name in lists if name in ("vertex_indices", "vertex_index")]
    wanted = next(iter(named or lists), None)
    if not element.has_lists:
        if element.properties:
            body.take_rows(element.count, [kind for _, kind, _ in element.properties])
        return
    if element.count and isinstance(body, Bytes):
        even = body.take_even(element, str(wanted))
        if even is not None:
            use(even)
            return
    for _ in range(element.count):
        for name, kind, count in element.properties:
            found = body.take(1 if count is None else take_whole(body.take(1, count)[0]), kind)
            if name == wanted:
                use([[take_whole(one) for one in found]])


def take_whole(value: Any) -> int:
    if not abs(value) < 2**53 or value != int(value):  # nor nan, nor infinity
        refuse("has a face with a corner that is no whole number")
    return int(value)


def add_strips(rows: Iterable[Iterable[int]], faces: "array[int]") -> None:
    """The triangles of strips, in which each corner makes one with the two before it; -1 ends a
    strip. Every second one winds the other way."""
    for row in rows:
        strip: list[int] = []
        for corner in row:
            if corner < 0:
                strip = []
                continue
            strip.append(int(corner))
            if len(strip) >= 3:
                a, b, c = strip[-3:]
                faces.extend((a, b, c) if len(strip) % 2 else (b, a, c))
        check_count(len(faces) // 3)
