"""Medit's mesh files (.mesh, text): keywords, each followed by how many rows and the rows.

Only vertices and tetrahedra are taken; the last number of a tetrahedron is its region. Of what else
such files hold, edges, triangles, corners and so on are passed over, other volumes are refused.
"""

import re
from collections.abc import Iterable

import numpy as np

from skitter.elastic.raw_mesh import BadMesh, RawMesh, count_rows, parse_rows

KEYWORD = re.compile(r"(?!nan\b|inf)[A-Za-z]", re.IGNORECASE)
LARGEST = 2**53  # whole numbers up to here are exact
OTHER_VOLUMES = ("Hexahedra", "Prisms", "Pyramids", "TetrahedraP2")


def parse_medit(text: str) -> RawMesh:
    """The tetrahedra of a text in Medit's format."""
    sections = split_sections(text)
    if "MeshVersionFormatted" not in sections:
        raise BadMesh("does not begin with MeshVersionFormatted, as Medit's text files do")
    if sections.get("Dimension", ["3"])[:1] != ["3"]:
        raise BadMesh("Dimension must be 3")
    for name in OTHER_VOLUMES:
        if sections.get(name, ["0"])[:1] != ["0"]:
            raise BadMesh(f"holds {name}; only tetrahedra of four nodes are read")
    points = read_section(sections, "Vertices", 4)[:, :3]
    rows = read_section(sections, "Tetrahedra", 5)
    if np.any(np.abs(rows) > LARGEST) or np.any(rows != np.round(rows)):
        raise BadMesh("Tetrahedra must hold whole numbers: four vertices and a region each")
    tets = rows.astype(np.int64)
    if tets[:, :4].min() < 1 or tets[:, :4].max() > len(points):
        raise BadMesh(
            f"Tetrahedra name vertices that are not there; they run from 1 to {len(points)}"
        )
    return RawMesh(points, tets[:, :4] - 1, [str(label) for label in tets[:, 4]])


def split_sections(text: str) -> dict[str, list[str]]:
    """The words that follow each keyword, by keyword; comments begin with #."""
    sections: dict[str, list[str]] = {}
    words: list[str] = []
    for line in text.splitlines():
        for word in line.partition("#")[0].split():
            if KEYWORD.match(word):
                words = sections.setdefault(word, [])
            else:
                words.append(word)
    return sections


def read_section(sections: dict[str, list[str]], name: str, width: int) -> np.ndarray:
    """The rows of a section [row, width]."""
    if name not in sections:
        raise BadMesh(f"has no {name}")
    words = sections[name]
    count = count_rows(words[0] if words else "", name)
    if len(words) - 1 != count * width:
        raise BadMesh(
            f"{name} says {count} rows of {width} numbers, but {len(words) - 1} numbers follow"
        )
    return parse_rows(words[1:], name).reshape(count, width)


def format_medit(
    points: np.ndarray, tets: np.ndarray, region: np.ndarray, names: Iterable[str]
) -> str:
    """A mesh as a text in Medit's format; regions count from 1, comments tell their names."""
    lines = ["MeshVersionFormatted 2", "Dimension 3"]
    lines += [f"# region {number}: {name}" for number, name in enumerate(names, 1)]
    lines += ["Vertices", str(len(points))]
    lines += [f"{x!r} {y!r} {z!r} 0" for x, y, z in points.tolist()]
    lines += ["Tetrahedra", str(len(tets))]
    rows = np.column_stack([tets + 1, region + 1]).tolist()
    lines += [" ".join(map(str, row)) for row in rows]
    return "\n".join([*lines, "End", ""])
