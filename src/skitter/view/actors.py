"""Creatures in the browser: a node for each part, moved by a few numbers per frame.

Creatures that look alike share their nodes, so that sixteen cost little more than one.
"""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from skitter.look.colour import to_screen
from skitter.look.creature import CreatureSurface
from skitter.look.motion import Pose, stack_poses
from skitter.look.parts import build_actor
from skitter.look.placing import Part, Places
from skitter.look.skin import FINISHES
from skitter.view.glb import write_glb
from skitter.view.organs import add_organ

Floats = NDArray[np.floating]
Bytes = NDArray[np.uint8]
ROUGHNESS = {"body": 0.38, "leg": 0.5, "antenna": 0.55, "sleeve": 0.75, "slice": 0.38}


class ActorNodes:
    """The nodes of some creatures that look alike. `scale` is units of the view per cm."""

    def __init__(
        self, scene: Any, creatures: list[CreatureSurface], poses: list[Pose], scale: float
    ) -> None:
        self._scene, self._scale = scene, scale
        creature = creatures[0]
        self.names = [one.motion.name for one in creatures]
        self._name = f"/world/creatures/{self.names[0]}"
        self._actor = build_actor(creature)
        self._roughness = FINISHES.get(creature.finish)
        places = self._actor.place(stack_poses(poses))
        pairs = enumerate(zip(self._actor.parts, places, strict=True))
        self._nodes = [self._add_part(number, *pair) for number, pair in pairs]
        self._painted: dict[int, Any] = {}  # legs in the colours of their states, by part
        self._organs = [
            add_organ(scene, self._name, organ, poses[0], scale) for organ in creature.organs
        ]
        self._skin = None
        if self._actor.skin is not None:
            self._skin = self._add_skin(creature, poses[0])

    def _add_part(self, number: int, part: Part, places: Places) -> Any:
        return self._scene.add_batched_glb(
            f"{self._name}/{part.kind}_{number}",
            write_glb(part.mesh, part.colours, roughness=self._roughness or ROUGHNESS[part.kind]),
            batched_wxyzs=places.orientation,
            batched_positions=self._scale * places.position,
            batched_scales=np.asarray(self._scale * places.scale, np.float32),
            lod="off",
        )

    def _add_skin(self, creature: CreatureSurface, pose: Pose) -> Any:
        assert self._actor.skin is not None
        mesh = self._actor.skin.at(pose)
        opacity = creature.soft_opacity
        return self._scene.add_mesh_simple(
            f"{self._name}/skin",
            self._scale * mesh.points,
            mesh.triangles,
            color=tuple(int(c) for c in to_screen(creature.soft_colour)),
            opacity=None if opacity >= 1 else max(opacity, 0.3),
            side="double" if opacity < 1 else "front",
            receive_shadow=not creature.organs,  # else what is inside would be in its own shade
        )

    def show(self, poses: list[Pose], leg_colours: Bytes | None = None) -> None:
        """Take some poses; legs in colours [creature, leg, 3] of instances, if any are given."""
        for number, places in enumerate(self._actor.place(stack_poses(poses))):
            part, node = self._actor.parts[number], self._nodes[number]
            is_painted = leg_colours is not None and part.kind == "leg"
            if is_painted or number in self._painted:
                self._show_painted(number, part, places, leg_colours if is_painted else None)
            if node.visible == is_painted:
                node.visible = not is_painted
            if not is_painted:
                self._move(node, places)
            if part.kind in ("sleeve", "slice"):  # the only parts that stretch
                node.batched_scales = np.asarray(self._scale * places.scale, np.float32)
        for organ in self._organs:
            organ.show(poses[0])
        if self._skin is not None and self._actor.skin is not None:
            points = self._scale * self._actor.skin.at(poses[0]).points
            self._skin.vertices = np.asarray(points, np.float32)

    def _move(self, node: Any, places: Places) -> None:
        node.batched_positions = np.asarray(self._scale * places.position, np.float32)
        node.batched_wxyzs = np.asarray(places.orientation, np.float32)

    def _show_painted(self, number: int, part: Part, places: Places, colours: Bytes | None) -> None:
        """A twin of a part with a colour for each instance; made when first asked for."""
        if number not in self._painted:
            self._painted[number] = self._scene.add_batched_meshes_simple(
                f"{self._name}/painted_{number}",
                part.mesh.points,
                part.mesh.triangles,
                np.asarray(places.orientation, np.float32),
                np.asarray(self._scale * places.position, np.float32),
                batched_scales=np.asarray(self._scale * places.scale, np.float32),
                batched_colors=np.zeros((len(places.position), 3), np.uint8),
                lod="off",
            )
        twin = self._painted[number]
        if twin.visible != (colours is not None):
            twin.visible = colours is not None
        if colours is not None:
            self._move(twin, places)
            twin.batched_colors = np.asarray(colours[:, part.owner].reshape(-1, 3), np.uint8)


def group_alike(creatures: list[CreatureSurface], recording: Any) -> list[list[CreatureSurface]]:
    """Creatures that look alike, together; those with a skin are each drawn on their own."""
    groups: dict[Any, list[CreatureSurface]] = {}
    for one in creatures:
        name = one.motion.name
        has_skin = one.soft is not None and not one.limbs
        sizes = [
            recording.static(f"{name}.{key}").tobytes()
            for key in ("body_size", "leg_radius", "soft_block", "antenna_radius")
            if recording.has_static(f"{name}.{key}")
        ]
        key = name if has_skin else (one.motion.kind, repr(one.motion.look), *sizes)
        groups.setdefault(key, []).append(one)
    return list(groups.values())
