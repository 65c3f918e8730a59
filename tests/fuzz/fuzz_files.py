"""Files of other programs, changed: meshes, heights, tracks of worms, rigs and tables."""

import io
import json
import random
import struct
import warnings
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import trimesh
from fuzz_mutations import change_bytes, change_tree, write_json

from skitter.elastic.mesh_files import load_mesh
from skitter.errors import UserError
from skitter.export.own.calibrate import calibrate_species
from skitter.export.own.map import read_map
from skitter.measure.eigenworms import load_eigenworms
from skitter.measure.files import measure_source
from skitter.scene.load import load_scene
from skitter.terrain.heights import load_heights
from skitter.terrain.mesh_load import load_clean, load_surface
from skitter.wcon.read import read_wcon

Attempt = Callable[[], object]
TRACK = {
    "units": {"t": "s", "x": "mm", "y": "mm", "cx": "um", "cy": "mm"},
    "metadata": {"id": "x", "lab": {"name": "l"}},
    "data": [
        {
            "id": "w1",
            "t": [0, 0.1, 0.2, 0.3],
            "x": [[0, 0.1, 0.2, 0.3 + 0.1 * k] for k in range(4)],
            "y": [[0, 0.1, 0, 0.1]] * 4,
            "cx": [1, 2, 3, 4],
            "cy": [1, 2, 3, 4],
            "head": ["L"] * 4,
            "ventral": ["CW"] * 4,
        },
        {"id": 2, "t": 0.5, "x": [1, 2, 3], "y": [1, 2, 3]},
    ],
    "files": {"current": "a", "prev": None, "next": None},
    "@x": {"a": 1},
}
MAP = {
    "joints": {
        "seg_00": "Head",
        "seg_{n:02}": "Spine_{n}",
        "seg_{n:02}_leg_{side}_femur": "Leg_{n-1:03}_{side}_a",
    },
    "sides": {"L": "Left", "R": "Right"},
    "unit": 0.01,
    "forward": "-z",
    "up": "+y",
}
MEDIT = b"""MeshVersionFormatted 2
Dimension 3
Vertices 5
0 0 0 0
1 0 0 0
0 1 0 0
0 0 1 0
1 1 1 0
Tetrahedra 2
1 2 3 4 1
2 3 4 5 2
End
"""
GMSH = b"""$MeshFormat
2.2 0 8
$EndMeshFormat
$PhysicalNames
1
3 1 "body"
$EndPhysicalNames
$Nodes
5
1 0 0 0
2 1 0 0
3 0 1 0
4 0 0 1
5 1 1 1
$EndNodes
$Elements
2
1 4 2 1 1 1 2 3 4
2 4 2 1 1 2 3 4 5
$EndElements
"""
STRIPS = (
    b"ply\nformat binary_little_endian 1.0\nelement vertex 4\nproperty float x\nproperty float y\n"
    b"property float z\nelement tristrips 1\nproperty list int int vertex_indices\nend_header\n"
    + struct.pack("<12f", 0, 0, 0, 1, 0, 0, 0, 1, 0, 1, 1, 0)
    + struct.pack("<5i", 4, 0, 1, 2, 3)
)


# meshes


def export_meshes() -> list[tuple[str, bytes]]:
    """Endings and contents of sound files."""
    sheet = trimesh.Trimesh([[0, 0, 0], [1, 0, 0], [0, 0, 1], [1, 0, 1]], [[0, 1, 2], [1, 3, 2]])
    solids = [trimesh.creation.icosphere(1), trimesh.creation.box(), sheet]
    found: list[tuple[str, bytes]] = [("ply", STRIPS)]
    found += [(kind, encode(solids[1].export(file_type=kind))) for kind in ("off", "glb")]
    for mesh in solids:
        for kind in ("obj", "stl", "ply"):
            found.append((kind, encode(mesh.export(file_type=kind))))
        found.append(("stl", encode(mesh.export(file_type="stl_ascii"))))
        found.append(("ply", encode(mesh.export(file_type="ply", encoding="ascii"))))
    return found


def encode(data: Any) -> bytes:
    return data if isinstance(data, bytes) else str(data).encode()


def make_mesh(rng: random.Random, bases: list[tuple[str, bytes]], folder: Path) -> Attempt:
    if rng.random() < 0.65:
        kind, data = rng.choice(bases)
        data = change_words(rng, data) if rng.random() < 0.3 else change_bytes(rng, data)
    else:
        kind, data = "obj", write_soup(rng)
    path = folder / f"mesh.{kind}"
    path.write_bytes(data)
    item: dict[str, Any] = {"shape": "mesh", "file": str(path), "at": [0, 0, 0]}
    if rng.random() < 0.6:
        item["size"] = rng.choice([1e-4, 1, 20, 1e5])
    if rng.random() < 0.3:
        item["solid"] = False

    def attempt() -> None:
        load_clean.cache_clear()
        load_surface(load_terrain(item), np.array([0.0, 1.0, 0.0]))

    return attempt


def change_words(rng: random.Random, data: bytes) -> bytes:
    """Another word where a number stands, in a text."""
    words = data.split(b" ")
    nasty = [
        b"nan",
        b"1e400",
        b"-1",
        b"99999999999999999999",
        b"0",
        b"",
        b"x",
        b"1/2/3",
        b"1 2 3\n",
    ]
    for _ in range(rng.choice([1, 2, 3])):
        words[rng.randrange(len(words))] = rng.choice(nasty)
    return b" ".join(words)


def write_soup(rng: random.Random) -> bytes:
    """Triangles at random: flat, doubled, far away, without corners."""
    numbers = np.random.default_rng(rng.randrange(2**32))
    count, faces = rng.choice([1, 2, 3, 4, 8, 30]), rng.choice([0, 1, 2, 4, 12, 60, 300])
    points = numbers.normal(size=(count, 3)) * 10 ** rng.uniform(-6, 6)
    what = rng.random()
    if what < 0.2:
        points[numbers.integers(count)] = rng.choice([np.nan, np.inf, 1e308, 1e38, 1e-320])
    elif what < 0.3:
        points[:] = points[0]
    elif what < 0.4:
        points[:, 1] = 0
    elif what < 0.45:
        points *= 1e290
    low, high = (1, count + 1) if rng.random() < 0.8 else (-count - 3, count + 5)
    corners = numbers.integers(low, high, size=(faces, rng.choice([3, 3, 3, 2, 4, 7])))
    lines = [f"v {x!r} {y!r} {z!r}" for x, y, z in points.tolist()]
    lines += ["f " + " ".join(map(str, row)) for row in corners.tolist()]
    return "\n".join(lines).encode()


def load_terrain(item: dict[str, Any]) -> Any:
    """The only item of a scene's terrain, as the scene's file has it."""
    scene = {"title": "t", "terrain": [item], "creatures": [{"species": "chain"}]}
    return load_scene(scene).spec.terrain[0]


# heights


def export_heights() -> list[tuple[str, bytes]]:
    from PIL import Image

    numbers = np.random.default_rng(0).random((9, 7))
    found: list[tuple[str, bytes]] = []
    for kind in ("f8", "f4", "i8", "u1", "?", "c16", "S3", "f2", ">f8"):
        file = io.BytesIO()
        with warnings.catch_warnings(action="ignore"):
            np.save(file, numbers.astype(kind))
        found.append(("npy", file.getvalue()))
    file = io.BytesIO()
    np.savez(file, a=numbers)
    found += [("npy", file.getvalue()), ("npz", file.getvalue())]
    text = "\n".join(",".join(map(str, row)) for row in numbers.tolist())
    found += [("csv", text.encode()), ("txt", b"1 2\n3 4\n"), ("csv", b"1;2\r\n3;4\r\n")]
    for form, modes in (("PNG", ("L", "RGB", "I;16", "P", "1", "RGBA")), ("TIFF", ("F", "I", "L"))):
        for mode in modes:
            picture = Image.fromarray((numbers * 255).astype("u1"))
            deep = Image.fromarray((numbers * 65535).astype("u2"))
            file = io.BytesIO()
            (deep if mode == "I;16" else picture.convert(mode)).save(file, form)
            found.append((form.lower(), file.getvalue()))
    return found


def make_heights(rng: random.Random, bases: list[tuple[str, bytes]], folder: Path) -> Attempt:
    kind, data = rng.choice(bases)
    if kind in ("csv", "txt") and rng.random() < 0.3:
        data = change_words(rng, data.replace(b",", b" "))
    elif kind == "png" and rng.random() < 0.2:  # another size in its head
        sizes = [0, 1, 9, 13000, 2**31 - 1, 2**32 - 1]
        head = b"IHDR" + struct.pack(">II", rng.choice(sizes), rng.choice(sizes)) + data[24:29]
        data = data[:12] + head + struct.pack(">I", checksum(head)) + data[33:]
    else:
        data = change_bytes(rng, data)
    path = folder / f"heights.{kind}"
    path.write_bytes(data)
    item: dict[str, Any] = {"shape": "heightfield", "file": str(path)}
    item["size"] = [rng.choice([1e-4, 10, 1e5]), 10]
    if rng.random() < 0.6:
        item["height"] = rng.choice([[0, 1], [-1e4, 1e4], [0, 0]])

    def attempt() -> None:
        load_heights.cache_clear()
        found = load_terrain(item)
        load_heights(found.file, found.sha256, found.height)

    return attempt


def checksum(data: bytes) -> int:
    import zlib

    return zlib.crc32(data)


# tracks of worms, tables, tetrahedra


def make_track(rng: random.Random, bases: Any, folder: Path) -> Attempt:
    what, text = rng.random(), write_json(change_tree(rng, TRACK, [TRACK]))
    path = folder / "track.wcon"
    if what < 0.25:
        text = change_bytes(rng, text)
    elif what < 0.5:
        path, file = folder / "track.zip", io.BytesIO()
        with zipfile.ZipFile(file, "w", rng.choice([0, 8])) as archive:
            names = ["a.wcon", "../../evil.wcon", "/etc/x.json", "é.wcon", "b/"]
            archive.writestr(rng.choice(names), text)
        text = change_bytes(rng, file.getvalue()) if rng.random() < 0.8 else file.getvalue()
    path.write_bytes(text)
    return (lambda: read_wcon(path)) if rng.random() < 0.5 else (lambda: measure_source(path))


def make_table(rng: random.Random, bases: Any, folder: Path) -> Attempt:
    rows = "\n".join(",".join(f"{0.1 * k + j:.3f}" for k in range(48)) for j in range(5)).encode()
    path = folder / "eigenworms.csv"
    path.write_bytes(change_bytes(rng, rows) if rng.random() < 0.6 else change_words(rng, rows))
    return lambda: load_eigenworms(path)


def make_tetrahedra(rng: random.Random, bases: Any, folder: Path) -> Attempt:
    kind, data = rng.choice([("mesh", MEDIT), ("msh", GMSH)])
    path = folder / f"body.{kind}"
    path.write_bytes(change_bytes(rng, data) if rng.random() < 0.5 else change_words(rng, data))
    length = rng.choice([None, 0.1])
    return lambda: load_mesh(path, length=length)


# rigs


def write_rigs(folder: Path) -> list[Path]:
    """Rigs of nine pairs of legs, as glTF and as USD."""
    from own_rigs import load
    from rig_files import build_bones, write_rig, write_usd_rig

    bones = build_bones(load("pauropod"))
    write_rig(folder / "rig.glb", bones)
    write_usd_rig(folder / "rig.usda", bones)
    write_usd_rig(folder / "rig.usdc", bones)
    data = (folder / "rig.glb").read_bytes()
    length = struct.unpack("<I", data[12:16])[0]
    document = json.loads(data[20 : 20 + length])
    document["buffers"][0]["uri"] = "rig.bin"
    (folder / "rig.bin").write_bytes(data[28 + length :])
    (folder / "rig.gltf").write_text(json.dumps(document))
    return [folder / f"rig.{kind}" for kind in ("glb", "gltf", "usda", "usdc")]


def make_rig(rng: random.Random, bases: list[Path], folder: Path) -> Attempt:
    base = rng.choices(bases, (5, 3, 2, 2))[0]
    data = base.read_bytes()
    if base.suffix == ".gltf":
        (folder / "rig.bin").write_bytes((base.parent / "rig.bin").read_bytes())
        data = write_json(change_tree(rng, json.loads(data), [json.loads(data)]))
    elif base.suffix == ".glb" and rng.random() < 0.6:
        data = change_document(rng, data)
    else:
        data = change_bytes(rng, data)
    path, output = folder / base.name, folder / "species.yaml"
    path.write_bytes(data)

    def attempt() -> None:
        try:
            calibrate_species(path, output, like="pauropod")
        except UserError:
            assert not output.exists(), "a species was written of a rig that was refused"
            raise

    return attempt


def change_document(rng: random.Random, data: bytes) -> bytes:
    """A GLB with another document before the same bytes."""
    length = struct.unpack("<I", data[12:16])[0]
    document, rest = json.loads(data[20 : 20 + length]), data[20 + length :]
    part = rng.choice(["nodes", "accessors", "bufferViews", "skins", "meshes", "scenes"])
    document[part] = change_tree(rng, document[part], [document])
    text = write_json(document)
    text += b" " * (-len(text) % 4)
    head = struct.pack("<4sIIII", b"glTF", 2, 20 + len(text) + len(rest), len(text), 0x4E4F534A)
    return head + text + rest


def make_map(rng: random.Random, bases: Any, folder: Path) -> Attempt:
    path = folder / "map.yaml"
    text = json.dumps(change_tree(rng, MAP, [MAP]), default=str)
    path.write_bytes(change_bytes(rng, text.encode()) if rng.random() < 0.3 else text.encode())
    return lambda: read_map(path)
