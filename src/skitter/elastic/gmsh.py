"""Gmsh's mesh files (.msh, versions 2.2 and 4.1, text).

Only nodes and tetrahedra of four nodes are taken. A tetrahedron is of the physical group that it is
in, by name where the group has one, else by number; without groups, of its elementary volume. A
volume in several groups counts for the first. Points, lines and surfaces are passed over.
"""

from collections.abc import Iterable, Iterator

import numpy as np

from skitter.elastic.raw_mesh import BadMesh, RawMesh, count_rows, parse_rows, parse_whole

TET = 4  # Gmsh's number of the tetrahedron of four nodes
FLAT = {1, 2, 3, 8, 9, 10, 15, 16, 20, 21, 22, 23, 24, 25, 26, 27, 28}  # points, lines, surfaces
VOLUME = 3  # dimension


def parse_gmsh(text: str) -> RawMesh:
    """The tetrahedra of a text in Gmsh's format."""
    sections = split_sections(text)
    words = next(iter(sections.get("MeshFormat", [])), [])
    if len(words) != 3:
        raise BadMesh("does not begin with $MeshFormat, as Gmsh's files do")
    if words[1] != "0":
        raise BadMesh("is a binary file; save it as text (Mesh.Binary = 0)")
    names = parse_names(sections.get("PhysicalNames", []))
    if words[0] in ("2", "2.1", "2.2"):
        points, cells = parse_version_2(sections)
    elif words[0] == "4.1":
        points, cells = parse_version_4(sections)
    else:
        raise BadMesh(f"is of version {words[0][:20]}; 2.2 and 4.1 are read")
    if not cells:
        raise BadMesh("holds no tetrahedra")
    place = {number: row for row, number in enumerate(points)}
    if len(place) != len(points):
        raise BadMesh("$Nodes must hold every node once")
    missing = {node for _, nodes in cells for node in nodes if node not in place}
    if missing:
        raise BadMesh(f"$Elements name node {min(missing)}, which is not in $Nodes")
    tets = np.array([[place[node] for node in nodes] for _, nodes in cells])
    labels = [names.get(group, str(group)) for group, _ in cells]
    return RawMesh(np.array(list(points.values())), tets, labels)


def split_sections(text: str) -> dict[str, list[list[str]]]:
    """The lines of each section as words, by the section's name; empty lines are left out."""
    sections: dict[str, list[list[str]]] = {}
    lines: list[list[str]] = []
    within = ""
    for line in text.splitlines():
        words = line.split()
        if not words:
            continue
        if words[0].startswith("$End"):
            if words[0] != f"$End{within}":
                raise BadMesh(f"{words[0][:40]} ends what was not begun")
            within = ""
        elif words[0].startswith("$"):
            if within:
                raise BadMesh(f"${within[:40]} has no end")
            within = words[0][1:]
            lines = sections.setdefault(within, [])
        elif within == "PhysicalNames":  # a name may hold spaces
            lines.append(line.split(maxsplit=2))
        elif within:
            lines.append(words)
    if within:
        raise BadMesh(f"${within[:40]} has no end")
    return sections


def parse_names(lines: list[list[str]]) -> dict[int, str]:
    """Names of the physical groups of volumes, by number."""
    names = {}
    for words in lines[1:]:
        if len(words) != 3:
            raise BadMesh("$PhysicalNames must hold a dimension, a number and a name each")
        dimension, number = parse_whole(words[:2], "$PhysicalNames")
        if dimension == VOLUME:
            names[number] = words[2].strip().strip('"')
    return names


def take(lines: Iterator[list[str]], least: int, where: str) -> list[str]:
    """The next line, of so many words or more."""
    words = next(lines, [])
    if len(words) < least:
        raise BadMesh(f"{where} ends early, or a line of it is too short")
    return words


Points = dict[int, np.ndarray]
Cells = list[tuple[int, list[int]]]  # group and nodes of each tetrahedron


def begin(sections: dict[str, list[list[str]]], name: str) -> Iterator[list[str]]:
    if name not in sections:
        raise BadMesh(f"has no ${name}")
    return iter(sections[name])


def refuse_others(kind: int) -> None:
    """Volumes that are no tetrahedra of four nodes would leave holes."""
    if kind != TET and kind not in FLAT:
        raise BadMesh(
            f"holds volumes of Gmsh's type {kind}; only tetrahedra of four nodes (type {TET}) are "
            "read (Mesh.ElementOrder = 1)"
        )


def parse_version_2(sections: dict[str, list[list[str]]]) -> tuple[Points, Cells]:
    lines = begin(sections, "Nodes")
    points: Points = {}
    count = count_rows(take(lines, 1, "$Nodes")[0], "$Nodes")
    for _ in range(count):
        words = take(lines, 4, "$Nodes")
        points[parse_whole(words[:1], "$Nodes")[0]] = parse_rows(words[1:4], "$Nodes")
    if len(points) < count:
        raise BadMesh("$Nodes must hold every node once")
    lines, where = begin(sections, "Elements"), "$Elements"
    cells: Cells = []
    for _ in range(count_rows(take(lines, 1, where)[0], where)):
        _, kind, tags, *rest = parse_whole(take(lines, 3, where), where)
        refuse_others(kind)
        if kind == TET:
            if tags < 0 or len(rest) != tags + 4:
                raise BadMesh(f"{where}: a tetrahedron must have its tags and four nodes")
            group = next((tag for tag in rest[: min(tags, 2)] if tag), 0)
            cells.append((group, rest[tags:]))
    return points, cells


def parse_version_4(sections: dict[str, list[list[str]]]) -> tuple[Points, Cells]:
    groups = parse_entities(sections.get("Entities", []))
    lines = begin(sections, "Nodes")
    points: Points = {}
    blocks, total, *_ = parse_whole(take(lines, 4, "$Nodes"), "$Nodes")
    for _ in range(blocks):
        *_, count = parse_whole(take(lines, 4, "$Nodes")[:4], "$Nodes")
        numbers = [parse_whole(take(lines, 1, "$Nodes"), "$Nodes")[0] for _ in range(count)]
        for number in numbers:
            points[number] = parse_rows(take(lines, 3, "$Nodes")[:3], "$Nodes")
    if len(points) != total:
        raise BadMesh(f"$Nodes says {total} nodes, but holds {len(points)}")
    lines, where = begin(sections, "Elements"), "$Elements"
    cells: Cells = []
    for _ in range(parse_whole(take(lines, 4, where), where)[0]):
        _, entity, kind, count = parse_whole(take(lines, 4, where)[:4], where)
        refuse_others(kind)
        rows = [take(lines, 2, where) for _ in range(count)]
        if kind == TET:
            nodes = [parse_whole(row[1:], where) for row in rows]
            if any(len(row) != 4 for row in nodes):
                raise BadMesh(f"{where}: a tetrahedron must have a number and four nodes")
            cells += [(groups.get(entity, entity), row) for row in nodes]
    return points, cells


def parse_entities(lines: list[list[str]]) -> dict[int, int]:
    """First physical group of each volume that has one."""
    if not lines:
        return {}
    rows, where = iter(lines), "$Entities"
    *before, volumes = parse_whole(take(rows, 4, where)[:4], where)
    for _ in range(sum(before)):
        take(rows, 1, where)
    groups = {}
    for _ in range(volumes):
        words = take(rows, 8, where)  # number, a box of six, how many groups
        number, count = parse_whole([words[0], words[7]], where)
        if count > 0:
            group = parse_whole(words[8:9], where)
            groups[number] = abs(group[0]) if group else number
    return groups


def format_gmsh(
    points: np.ndarray, tets: np.ndarray, region: np.ndarray, names: Iterable[str]
) -> str:
    """A mesh as a text of version 2.2, which most programs read; regions are physical groups."""
    named = list(names)
    lines = ["$MeshFormat", "2.2 0 8", "$EndMeshFormat", "$PhysicalNames", str(len(named))]
    lines += [f'{VOLUME} {number} "{name}"' for number, name in enumerate(named, 1)]
    lines += ["$EndPhysicalNames", "$Nodes", str(len(points))]
    lines += [f"{i} {x!r} {y!r} {z!r}" for i, (x, y, z) in enumerate(points.tolist(), 1)]
    lines += ["$EndNodes", "$Elements", str(len(tets))]
    rows = zip((region + 1).tolist(), (tets + 1).tolist(), strict=True)
    lines += [
        f"{i} {TET} 2 {group} {group} {a} {b} {c} {d}"
        for i, (group, (a, b, c, d)) in enumerate(rows, 1)
    ]
    return "\n".join([*lines, "$EndElements", ""])
