"""Small bodies that tests build without scene files."""

import numpy as np

from skitter.creatures.figure import Figure
from skitter.creatures.physics import Physics
from skitter.scene.spec import CreaturePlacement, PlaneTerrain
from skitter.species.spec import FigureSpec
from skitter.terrain import build_terrain

NO_TERRAIN = build_terrain([])


def plane(**surface):
    return build_terrain([PlaneTerrain(shape="plane", **surface)])


def figure(
    parts,
    *,
    dt=1 / 3000,
    gravity=0.0,
    real=np.float64,
    material=None,
    seed=0,
    at=(0, 0, 0),
    **options,
):
    """A figure; options go to the placement if it knows them, else to the species."""
    placement = {k: options.pop(k) for k in list(options) if k in CreaturePlacement.model_fields}
    species = FigureSpec.model_validate(
        {"kind": "figure", "title": "test", "parts": parts, "material": material or {}, **options}
    )
    place = CreaturePlacement(species="test", at=at, **placement)
    return Figure("test", species, place, Physics(dt, gravity, real), np.random.default_rng(seed))


def chain(count=6, *, cells=(2, 2, 2), **options):
    part = {
        "name": "s",
        "shape": "box",
        "size": [0.6, 0.5, 0.8],
        "repeat": count,
        "joint": {"length": 1.0, "cells": cells},
    }
    return figure([part], **options)


def jelly(size=(1.0, 1.0, 1.0), cells=(2, 2, 2), **options):
    return figure([{"name": "cube", "shape": "jelly", "size": size, "cells": cells}], **options)


def box(size=(1.0, 1.0, 1.0), **options):
    return figure([{"name": "box", "shape": "box", "size": size}], **options)


def capsule(radius=0.5, length=1.0, **options):
    return figure(
        [{"name": "rod", "shape": "capsule", "radius": radius, "length": length}], **options
    )
