"""Everything that is seen, as nodes of the browser's scene; a frame moves what has moved."""

from collections.abc import Mapping
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from skitter.look.camera import VIEW_ANGLE, Camera, find_centre
from skitter.look.colour import read_bytes
from skitter.look.creature import build_creatures
from skitter.look.gait import STATE_COLOURS, read_states, records_legs
from skitter.look.motion import Motion, Pose
from skitter.look.orbit import back_of
from skitter.look.scenery import open_food
from skitter.look.shots import outline_at
from skitter.look.slots import read_obstacles
from skitter.look.terrain import Floor, Solid
from skitter.look.water import open_water
from skitter.terrain import Terrain
from skitter.view.actors import ActorNodes, group_alike
from skitter.view.camera import ASPECT, frame_view
from skitter.view.ground import add_light, add_sky, add_terrain, build_place
from skitter.view.overlays import OverlayNodes, Seen, find_surface
from skitter.view.sight import LABEL as SIGHT
from skitter.view.sight import SightNodes, find_eyes, look_out
from skitter.view.things import Drag, ThingNodes, read_food, to_instance
from skitter.view.water import WALL, Pace, WaterNodes

Floats = NDArray[np.floating]
SKIN_TRIANGLES = 9_000  # of all creatures; what moves point by point is sent whole every frame
SMALL = 0.5  # cm: scenes of larger creatures have tools of one size
VIEW_DISTANCE = 6.0  # units between the eye and a creature; shadows reach 20 units in the browser


class FrameView(Mapping[str, NDArray[Any]]):
    """One frame of some frames, read where it is asked for."""

    def __init__(self, frames: Any, index: int) -> None:
        self._frames, self._index = frames, index

    def __getitem__(self, name: str) -> NDArray[Any]:
        return np.asarray(self._frames[name][self._index])

    def __contains__(self, name: object) -> bool:
        return name in self._frames

    def __iter__(self) -> Any:
        return (channel.name for channel in self._frames.channels)

    def __len__(self) -> int:
        return len(self._frames.channels)


class Stage:
    """A scene and its creatures in the browser."""

    angle = VIEW_ANGLE
    shows_water = True

    def __init__(
        self,
        scene: Any,
        frames: Any,
        terrain: Terrain,
        *,
        moment: float,
        shadows: bool = True,
        drag: Drag | None = None,
        pace: Pace = WALL,
    ) -> None:
        """`pace` is for what is not sent with every frame."""
        self._scene, self.terrain, self._shadows, self._pace = scene, terrain, shadows, pace
        self.scene_name = frames.scene.get("name")
        surfaces = build_creatures(frames, triangle_limit=SKIN_TRIANGLES)
        self._outline, self._wish = outline_at(surfaces, moment), frames.scene
        self.view: Camera = self.view_for(ASPECT)
        self.scale = VIEW_DISTANCE / self.view.distance
        self._legged = [name for one in surfaces if records_legs(frames, name := one.motion.name)]
        self._surfaces = {one.motion.name: one for one in surfaces}
        self.names = list(self._surfaces)
        self._motions: dict[str, Motion] = {}
        self._frames: Any = None
        self._open(frames)
        index = self._nearest(moment)
        floors, solids = build_place(frames.scene)
        food = open_food(frames)
        self._carriers = [] if food is None else [one for one, _ in food.carriers]
        # all that can fail has been done: now what was shown before may go
        scene.reset()
        self._add_place(floors, solids)
        self._actors = [
            ActorNodes(scene, group, [one.motion.pose(moment) for one in group], self.scale)
            for group in group_alike(surfaces, frames)
        ]
        self._things = ThingNodes(
            scene,
            read_food(frames, index),
            read_obstacles(frames, index),
            self.scale,
            drag,
            len(self._carriers),
        )
        self._overlays = OverlayNodes(scene, self.scale)
        self._sight, self._eyes = SightNodes(scene, self.scale), find_eyes(frames.scene)
        self._water = self._add_water(frames, moment)

    def _add_place(self, floors: list[Floor], solids: list[Solid]) -> None:
        self._scene.set_up_direction("+y")
        self._world = self._scene.add_frame("/world", show_axes=False)
        self._scene.world_axes.visible = False
        self._sun = add_light(self._scene, shadows=self._shadows)
        add_sky(self._scene)
        self._floors = add_terrain(self._scene, floors, solids, self.scale)

    def _add_water(self, frames: Any, moment: float) -> WaterNodes | None:
        """After all that may be seen through it: the browser draws it in this order."""
        water = open_water(frames)
        if water is None:
            return None
        middle = find_centre(self._outline)
        return WaterNodes(
            self._scene, water, self.terrain, moment, middle, self.scale, pace=self._pace
        )

    @property
    def has_water(self) -> bool:
        return self._water is not None

    def is_late(self, moment: float) -> bool:
        """Whether the water shows another moment than it could by now."""
        return self._water is not None and self._water.is_late(moment)

    def _show_water(self, frames: Any, moment: float, poses: dict[str, Pose]) -> None:
        water = open_water(frames)
        if self._water is None or water is None:
            return
        middle = np.mean([self.centre(pose) for pose in poses.values()], axis=0)
        self._water.show(water, moment, middle, visible=self.shows_water)

    def _open(self, frames: Any) -> None:
        if frames is not self._frames:
            self._frames = frames
            entries = {one["name"]: one for one in frames.creatures}
            self._motions = {name: Motion(frames, entries[name]) for name in self.names}

    def _nearest(self, moment: float) -> int:
        """The frame nearest to a moment: for what is there or not, and cannot be in between."""
        frame, share = next(iter(self._motions.values())).frame_at(moment)
        return frame + round(share)

    def poses(self, frames: Any, moment: float) -> dict[str, Pose]:
        """Where all creatures are at a moment."""
        self._open(frames)
        return {name: motion.pose(moment) for name, motion in self._motions.items()}

    def show(
        self, frames: Any, moment: float, *, overlays: set[str], paint_legs: bool
    ) -> dict[str, Pose]:
        """Show a moment; returns where the creatures are then."""
        poses = self.poses(frames, moment)
        index = self._nearest(moment)
        frame, food = FrameView(frames, index), read_food(frames, index)
        for actor in self._actors:
            colours = None
            if paint_legs and actor.names[0] in self._legged:
                states = np.stack([read_states(frame, name) for name in actor.names])
                colours = PALETTE[np.minimum(states, len(PALETTE) - 1)]
            actor.show([poses[name] for name in actor.names], colours)
        self._things.show(food, read_obstacles(frames, index))
        if self._carriers:
            held = [one.hold(poses[one.motion.name], frame[one.channel]) for one in self._carriers]
            self._things.carry(np.stack(held))
        seen = [
            Seen(name, frame, self.terrain, food, partial(find_surface, one, poses[name]))
            for name, one in self._surfaces.items()
            if overlays
        ]
        self._overlays.show(seen, overlays)
        self._show_sight(frame, wanted=SIGHT in overlays)
        self._show_water(frames, moment, poses)
        return poses

    def _show_sight(self, frame: FrameView, *, wanted: bool) -> None:
        eyes = self._eyes.items() if wanted else []
        looking = [look_out(name, one, frame) for name, one in eyes if name in self.names]
        self._sight.show([one for one in looking if one is not None])

    def view_for(self, aspect: float) -> Camera:
        """The first view, for a picture of some width / height."""
        return frame_view(self._outline, self._wish, aspect)

    @property
    def unit(self) -> float:
        """What tools count sizes in, cm: one, and a power of ten below where all is small."""
        size = float(np.ptp(self._outline, axis=0).max())
        return 1.0 if size >= SMALL else float(10.0 ** np.round(np.log10(size / (10 * SMALL))))

    def cast_shadows(self, shadows: bool) -> None:
        self._sun.cast_shadow = shadows

    def shift(self, middle: Floats) -> None:
        """Move the whole place so that a point of it (cm) lies where the view looks."""
        self._world.position = tuple(self.scale * (self.view.target - middle))
        self.lay_floors(middle)

    def lay_floors(self, middle: Floats) -> None:
        """Floors have no end: they go along under a point (cm)."""
        for floor in self._floors:
            floor.follow(middle)

    def centre(self, pose: Pose) -> Floats:
        """The middle of a creature, cm."""
        return find_centre(np.concatenate([pose.body_position, pose.node_position]))

    def back(self, pose: Pose) -> Floats:
        """Where its back points [3], unit."""
        return back_of(pose)


PALETTE = to_instance([read_bytes(colour) for colour in STATE_COLOURS])
