"""All that a USD file holds, written batch by batch.

    /World                 Xform, an assembly
        <creature>         one for each, see usd/creature.py
        scenery            ground, terrain, obstacles, food, and the water (usd/water.py)
        camera, lights

Points of surfaces that change freely are most of a file: all exact soft surfaces together keep to a
size, and so does the water, by coarser meshes in a long clip.
"""

from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from skitter.export.clip import BATCH, Clip
from skitter.export.order import Order
from skitter.export.props import IN_PLACE_NOTE, Prop, build_props, cut_floor, measure_stage
from skitter.export.summary import CreatureSummary, tell_fit
from skitter.export.usd.creature import POINT_BYTES, UsdCreature, count_cached
from skitter.export.usd.scenery import define_camera, define_lights, define_props
from skitter.export.usd.stage import UsdFile
from skitter.export.usd.view import plan_view
from skitter.export.usd.water import MOST, WATER_BYTES, UsdWater, WaterShape, choose_most
from skitter.look.creature import SKIN_TRIANGLES, CreatureSurface, build_creature_surface
from skitter.look.terrain import Floor, build_floors, has_ground
from skitter.look.water import Water, open_water

Floats = NDArray[np.floating]
CACHE_LIMIT = 8e8  # bytes of all exact surfaces, so that a file stays below a gigabyte
TEXT_SHARE = 0.25  # of that in a file of text, which is that much larger
COARSER = 4  # times fewer triangles at each try
WATER_REACH = 8.0  # how much farther than dry land water and its bed go on


def write_scene(order: Order, path: Path) -> tuple[list[CreatureSummary], list[str]]:
    """A binary file at `path`; returns what is told of it."""
    recording, creatures, clip = order.recording, order.creatures, order.clip
    file, notes = UsdFile(path, clip, order.scale), list[str]()
    is_text = order.output.suffix.lower() == ".usda"
    limit = CACHE_LIMIT * (TEXT_SHARE if is_text else 1.0)
    cached: list[Any] = [None] * len(creatures)
    if order.soft == "cache":
        cached = choose_cached(recording, creatures, clip, limit, notes)
    actors = [
        UsdCreature(file, one, exact, order.level)
        for one, exact in zip(creatures, cached, strict=True)
    ]
    waters = add_surroundings(file, recording, limit, notes) if order.scenery else []
    define_camera(file, file.name("camera"), plan_view(recording, creatures, clip))
    define_lights(file, file.name("lights"))
    for frames in split_frames(clip):
        for actor in actors:
            actor.write_next(frames)
        for water in waters:
            water.write_next(frames)
        file.flush()
        if order.progress is not None:
            order.progress(frames.stop, len(clip.times))
    for one, actor in zip(creatures, actors, strict=True):
        notes += tell_fit(one, actor.rig, actor.parts, clip)
    return [CreatureSummary.of(actor.rig, actor.parts) for actor in actors], notes


def split_frames(clip: Clip) -> list[range]:
    """The frames that are written at a time; those of a loop all at once, as they are baked."""
    count = len(clip.times)
    size = count if clip.is_loop else BATCH
    return [range(first, min(first + size, count)) for first in range(0, count, size)]


def choose_cached(
    recording: Any, creatures: list[CreatureSurface], clip: Clip, limit: float, notes: list[str]
) -> list[CreatureSurface]:
    """Creatures whose soft surfaces are coarse enough for all frames of a clip."""
    most = limit / (len(clip.times) * POINT_BYTES)
    triangles = SKIN_TRIANGLES // len(creatures)
    cached, points = creatures, count_cached(creatures)
    full = points
    while points > most and triangles > 1:
        triangles //= COARSER
        coarse = [
            build_creature_surface(recording, one.motion, triangle_limit=triangles)
            for one in creatures
        ]
        fewer = count_cached(coarse)
        cached, points = (coarse, fewer) if fewer < points else (cached, points)
    if points < full:
        notes.append(
            f"exact soft surfaces have {points} points instead of {full}, so that {len(clip.times)}"
            " frames keep to the size of a file: a shorter clip has all"
        )
    return cached


def add_surroundings(
    file: UsdFile, recording: Any, limit: float, notes: list[str]
) -> list[UsdWater]:
    """Ground, things and water; the latter is returned, because it moves."""
    if file.clip.in_place:
        notes.append(IN_PLACE_NOTE)
        return []
    path = file.name("scenery")
    water = open_water(recording)
    props = build_props(recording, file.clip)
    if water is not None:
        terrain = list(recording.attributes["scene"].get("terrain") or [])
        props = lay_bed(props, terrain, water, *measure_stage(recording, file.clip))
    define_props(file, path, props)
    return [] if water is None else [add_water(file, path, recording, water, limit, notes)]


def lay_bed(
    props: list[Prop], terrain: list[dict[str, Any]], water: Water, middle: Floats, reach: float
) -> list[Prop]:
    """Things in and around water: floors reach as far as it does, and a pool without one gets one.

    A heightfield is the bed itself, however deep.
    """
    floors = build_floors(terrain)
    if not floors and not has_ground(terrain):
        floors = [Floor.level(water.level - water.depth)]
    beds = [
        Prop(f"ground_{k}", "ground", cut_floor(floor, middle, WATER_REACH * reach), floor.colour)
        for k, floor in enumerate(floors)
    ]
    return [*beds, *(prop for prop in props if prop.kind != "ground")]


def add_water(
    file: UsdFile, parent: str, recording: Any, water: Water, limit: float, notes: list[str]
) -> UsdWater:
    """The water, as fine as fits into a limit of bytes."""
    scene = recording.attributes["scene"]
    terrain = list(scene.get("terrain") or [])
    middle, reach = measure_stage(recording, file.clip)
    most, follows = MOST, bool(scene["water"].get("follow"))
    if water.has_waves:
        shape = recording["water_surface"].shape[1:]
        most = choose_most(shape, len(file.clip.times), limit, WATER_BYTES)
        if most < min(max(shape), MOST):
            notes.append(f"water has {most} points along its longer side instead of {max(shape)}")
    size: dict[str, Any] = {"middle": middle, "reach": WATER_REACH * reach}
    surface = WaterShape(water, terrain, most=most, follows=follows, **size)
    return UsdWater(file, parent, surface)
