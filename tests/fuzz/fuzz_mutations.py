"""Changes to trees of plain values and to bytes, drawn from a generator that can be seeded.

Values are those that readers stumble over: wrong types, numbers at the edges, names that lead
elsewhere, things too large, too deep or of another place of the same tree.
"""

import copy
import json
import math
import random
from typing import Any

Tree = Any
NASTY: list[Any] = [
    None, True, False, 0, -1, 1, 2, 3, 1e-9, 1e-4, 1e5, 1e9, 1e38, 1e39, 1e308, math.inf, -math.inf,
    math.nan, 2**31, 2**63, 2**64, 10**30, 10**400, -0.0, 5e-324,
    "", "~", "1/3", "x" * 300, "\u202e evil", "\0", "a\nb", "ß", "名前", "🕷",
    "../../victim", "../victim", "/etc/passwd", "/dev/zero", "/proc/self/mem", "/", ".", "..",
    "zarr.json", "time", "c.0", "__x", "NaN", "#ffffff", "#xyzxyz", "plane", "mesh", "worm",
    "climber", "object", "float32", "complex64", "O", "<f8", "*a", "!!python/object:os.system",
    [], {}, [[]], [None], [0, 0, 0], [1e6, 1e6, 1e6], [math.nan] * 3, [1, 2], [1, 2, 3, 4],
    {"a": 1}, [{}], {"": {}}, [[[[[[[[[[]]]]]]]]]], ["x"] * 50, [0] * 1000, {"shape": "plane"},
    {"kind": "worm"}, [10**9, 3], [2**40, 2**40], [-1],
]  # fmt: skip
EDGES = [
    b"\xff\xff\xff\xff", b"\0\0\0\0", b"\xff\xff\xff\x7f", b"\0\0\x80\x7f", b"\0\0\xc0\x7f",
    b"\x7f\x7f\xff\xff", b"\xff", b"\0", b"[" * 300, b"nan", b"1e999", b"-1", b"\n", b"\\", b'"',
]  # fmt: skip


def list_places(tree: Tree) -> list[tuple[Any, Any]]:
    """Every part of a tree, as what holds it and its key or index."""
    places: list[tuple[Any, Any]] = []
    open_parts = [tree]
    while open_parts:
        part = open_parts.pop()
        keys = list(part) if isinstance(part, dict) else range(len(part))
        for key in keys:
            places.append((part, key))
            if isinstance(part[key], dict | list):
                open_parts.append(part[key])
    return places


def change_tree(rng: random.Random, tree: Tree, donors: list[Tree]) -> Tree:
    """A copy with one change or a few."""
    tree = copy.deepcopy(tree)
    for _ in range(rng.choice([1, 1, 1, 2, 2, 3, 5])):
        places = list_places(tree) if isinstance(tree, dict | list) else []
        if places:
            change_place(rng, *rng.choice(places), donors)
    return tree


def change_place(rng: random.Random, part: Any, key: Any, donors: list[Tree]) -> None:
    """Change, drop, rename, repeat or wrap one value, or take one from elsewhere."""
    old, what = part[key], rng.random()
    if what < 0.08:
        del part[key]
    elif what < 0.16 and isinstance(part, dict):
        renamed = [f"{key}s", str(key).upper(), "", "with", "name", "kind", "shape", str(key)[:-1]]
        part[rng.choice(renamed)] = part.pop(key)
    elif what < 0.3:
        where, name = rng.choice(list_places(rng.choice(donors)))
        taken = copy.deepcopy(where[name])
        is_key = isinstance(part, dict) and isinstance(name, str) and rng.random() < 0.6
        part[name if is_key else key] = taken
    elif what < 0.38 and isinstance(old, list):
        part[key] = old * rng.choice([2, 3, 50]) if len(old) < 50 else old[:-1]
    elif what < 0.44:
        part[key] = [old] if rng.random() < 0.5 else {"x": old}
    elif what < 0.65 and isinstance(old, int | float) and not isinstance(old, bool):
        part[key] = change_number(rng, old)
    elif what < 0.72 and isinstance(old, str):
        part[key] = rng.choice(
            [old + "x", old.upper(), old[::-1], old + "\n", old[: len(old) // 2]]
        )
    else:
        part[key] = copy.deepcopy(rng.choice(NASTY))


def change_number(rng: random.Random, old: float) -> Any:
    if not abs(old) < 1e300:
        return 0
    near = [old * 10 ** rng.uniform(-8, 8), -old, old + 1, int(old), old * 2, old / 2, float(old)]
    return rng.choice(near)


def change_bytes(rng: random.Random, data: bytes) -> bytes:
    """Flip, drop, insert, repeat and cut; numbers at their edges."""
    changed = bytearray(data)
    for _ in range(rng.choice([1, 1, 2, 4, 10])):
        if not changed:
            break
        at, what = rng.randrange(len(changed)), rng.random()
        if what < 0.3:
            changed[at] ^= 1 << rng.randrange(8)
        elif what < 0.45:
            changed[at] = rng.randrange(256)
        elif what < 0.6:
            del changed[at : at + rng.choice([1, 2, 8, 64, 512])]
        elif what < 0.7:
            changed[at:at] = rng.randbytes(rng.choice([1, 4, 16]))
        elif what < 0.78:
            del changed[at:]
        elif what < 0.88:
            start = rng.randrange(len(changed))
            changed[at:at] = changed[start : start + rng.choice([4, 32, 256])]
        else:
            edge = rng.choice(EDGES)
            changed[at : at + len(edge)] = edge
    return bytes(changed)


def write_json(tree: Tree) -> bytes:
    """As a careless program writes it: with NaN, and with text that is no Unicode."""
    return json.dumps(tree, default=str).encode("utf-8", "replace")
