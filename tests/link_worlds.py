"""Worlds of creatures of links that tests make up on the spot."""

from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np
import yaml

from skitter.world import World

PLANE = {"shape": "plane", "friction": 0.7}
EXACT = {"method": "runge_kutta", "tolerance": 1e-9}
G = 981.0  # cm/s²


def make_box(size=(1.0, 0.5, 0.8), *, contact=None, solver=None, **link) -> dict:
    """A species of one free box of the density of water."""
    fields = {"links": [{"name": "box", "size": list(size), **link}]}
    return make_species(**fields, contact=contact or {}, solver=solver or {})


def make_species(**fields) -> dict:
    return {"kind": "articulated", "title": "t", **fields}


def build_links(*creatures, terrain=(PLANE,), threads=1, **fields) -> World:
    """A world of (species, placement) pairs; a species is a tree of a file, or a name."""
    with TemporaryDirectory() as folder:
        placed = []
        for k, (species, placement) in enumerate(creatures):
            if not isinstance(species, str):
                path = Path(folder) / f"species_{k}.yaml"
                path.write_text(yaml.safe_dump(species))
                species = str(path)
            placed.append({"species": species, "name": f"c{k}", "start": "free", **placement})
        scene = {"title": "t", "terrain": list(terrain), "creatures": placed, **fields}
        return World.from_scene(scene, threads=threads)


def list_rows(world: World, frames: int, *names: str) -> list[np.ndarray]:
    """Some channels over the coming frames, each [frame, ...]."""
    rows = []
    for _ in range(frames):
        world.advance()
        values = world.read()
        rows.append([np.array(values[name]) for name in names])
    return [np.array(column) for column in zip(*rows, strict=True)]
