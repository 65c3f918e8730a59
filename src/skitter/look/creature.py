"""What one creature looks like, from a recording: its surfaces and its colours."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from skitter.look.articulated import GLOSSY, build_links
from skitter.look.climber import build_climber, choose_finish
from skitter.look.colour import RIGID_COLOUR, SOFT_COLOUR, SOFT_OPACITY, read_colour
from skitter.look.face import build_face
from skitter.look.mesh import Mesh, join_meshes
from skitter.look.motion import Motion, Pose, open_motions
from skitter.look.myriapod import Limb, build_limbs, build_shell_pieces
from skitter.look.object import build_object
from skitter.look.organs import Organ
from skitter.look.read import read_look
from skitter.look.rigid import CAPSULE, RigidSurface, build_plain_pieces, half_size
from skitter.look.soft import SoftSurface, find_tuck
from skitter.look.swimmer import SwimmerSkin, build_skin, wears_skin
from skitter.look.worm import build_worm
from skitter.species.look import SwimmerLook

Floats = NDArray[np.floating]
Indices = NDArray[np.integer]
THING = "object"  # the kind of what is no animal
SKIN_TRIANGLES = 24_000  # of all skins in a film; a picture can afford more


@dataclass(frozen=True)
class CreatureSurface:
    """The surfaces of a creature; a kind that it does not have is None."""

    motion: Motion
    rigid: RigidSurface | None
    soft: SoftSurface | None
    limbs: list[Limb]
    soft_colour: Floats  # [3] linear light
    soft_opacity: float
    skin: SwimmerSkin | None = None  # over all of a swimmer; then `rigid` is its face
    organs: tuple[Organ, ...] = ()  # inside a body whose skin is clear
    finish: str = "plain"  # of what is stiff; one that is glossy mirrors more, a dull one less

    @property
    def is_solid(self) -> bool:
        """Whether anything of it is opaque."""
        return bool(self._solids)

    @property
    def solid_colours(self) -> Floats:
        """Of all that is opaque [point, 3], linear light."""
        return np.concatenate([one.colours for one in self._solids])

    @property
    def is_recoloured(self) -> bool:
        """Whether colours of it change."""
        return any(one.is_recoloured for one in self.organs)

    def solid_colours_at(self, pose: Pose) -> Floats:
        """Of all that is opaque [point, 3] at a moment, linear light."""
        outer = [one.colours for one in self._solids if not isinstance(one, Organ)]
        return np.concatenate([*outer, *(one.colours_at(pose) for one in self.organs)])

    def solid_at(self, pose: Pose) -> Mesh:
        """All that is opaque, where the pose has it."""
        return join_meshes([one.at(pose) for one in self._solids])

    def outline(self, pose: Pose) -> Floats:
        """Points [point, 3] whose convex hull holds the creature."""
        return np.concatenate([pose.node_position, *(one.outline(pose) for one in self._solids)])

    @property
    def _solids(self) -> list[RigidSurface | Limb | SwimmerSkin | Organ]:
        outer = (self.rigid, self.skin, *self.limbs)
        return [*(one for one in outer if one is not None), *self.organs]


def build_creatures(
    recording: Any, *, triangle_limit: int = SKIN_TRIANGLES
) -> list[CreatureSurface]:
    """All creatures of a recording; their skins together keep to a number of triangles.

    Movable objects share as many again, so that a pile of blocks does not cost a spider its hair.
    """
    motions = open_motions(recording)
    things = sum(one.kind == THING for one in motions)
    limits = {
        is_thing: triangle_limit // max(count, 1)
        for is_thing, count in ((True, things), (False, len(motions) - things))
    }
    return [
        build_creature_surface(recording, one, triangle_limit=limits[one.kind == THING])
        for one in motions
    ]


def build_creature_surface(
    recording: Any, motion: Motion, *, triangle_limit: int = SKIN_TRIANGLES
) -> CreatureSurface:
    """Reads shapes and colours once; a frame then only moves points."""
    return BUILDERS.get(motion.kind, build_figure)(recording, motion, triangle_limit=triangle_limit)


def build_worm_surface(
    recording: Any, motion: Motion, *, triangle_limit: int = SKIN_TRIANGLES
) -> CreatureSurface:
    """A worm: a clear skin over organs."""
    worm = build_worm(motion, triangle_limit=triangle_limit)
    return CreatureSurface(
        motion, None, worm.skin, [], worm.colour, worm.opacity, organs=tuple(worm.organs)
    )


def build_linked(
    recording: Any, motion: Motion, *, triangle_limit: int = SKIN_TRIANGLES
) -> CreatureSurface:
    """A body of rigid links."""
    rigid = build_links(motion, triangle_limit=triangle_limit)
    finish = "glossy" if motion.look.get("style") in GLOSSY else "plain"
    return CreatureSurface(
        motion, rigid, None, [], read_colour(SOFT_COLOUR), SOFT_OPACITY, finish=finish
    )


def build_climbing(
    recording: Any, motion: Motion, *, triangle_limit: int = SKIN_TRIANGLES
) -> CreatureSurface:
    """A climber: its bodies and its hair."""
    rigid = build_climber(motion, triangle_limit=triangle_limit)
    finish = choose_finish(motion)
    return CreatureSurface(
        motion, rigid, None, [], read_colour(SOFT_COLOUR), SOFT_OPACITY, finish=finish
    )


def build_thing(
    recording: Any, motion: Motion, *, triangle_limit: int = SKIN_TRIANGLES
) -> CreatureSurface:
    """A movable object."""
    rigid = build_object(motion, triangle_limit=triangle_limit)
    return CreatureSurface(
        motion, rigid, None, [], read_colour(SOFT_COLOUR), SOFT_OPACITY, finish="dull"
    )


def build_figure(
    recording: Any, motion: Motion, *, triangle_limit: int = SKIN_TRIANGLES
) -> CreatureSurface:
    """Rigid parts and soft blocks, and what some kinds wear over them."""
    look, name = motion.look, motion.name
    rigid = soft = skin = None
    shape, size = np.zeros(0, dtype=int), np.zeros((0, 3))
    if motion.has_bodies:
        shape = np.asarray(recording.static(f"{name}.body_shape"))
        size = np.asarray(recording.static(f"{name}.body_size"), dtype=float)
    if wears_skin(motion):
        skin = build_skin(recording, motion, size, triangle_limit=triangle_limit)
        rigid = RigidSurface(build_face(skin, read_look(SwimmerLook, look).eye), size / 2)
    elif motion.has_bodies:
        rigid = build_rigid(motion, shape, size, triangle_limit=triangle_limit)
    if motion.has_nodes and skin is None:
        soft = build_soft(recording, motion, shape, size, triangle_limit=triangle_limit)
    return CreatureSurface(
        motion,
        rigid,
        soft,
        build_limbs(recording, motion, triangle_limit=triangle_limit),
        read_colour(look.get("soft") or SOFT_COLOUR),
        float(look.get("soft_opacity", SOFT_OPACITY)),
        skin,
    )


def wears_shells(motion: Motion, shape: Indices) -> bool:
    """Whether its boxes are drawn as head, plates and tail."""
    return motion.kind == "myriapod" and CAPSULE not in shape


def build_rigid(
    motion: Motion, shape: Indices, size: Floats, *, triangle_limit: int
) -> RigidSurface:
    """The stiff parts: shells for a myriapod, plain solids for anything else."""
    half = np.stack([half_size(int(s), e) for s, e in zip(shape, size, strict=True)])
    if wears_shells(motion, shape):
        return RigidSurface(
            build_shell_pieces(size, motion.look, triangle_limit=triangle_limit), half
        )
    colour = read_colour(motion.look.get("rigid") or RIGID_COLOUR)
    return RigidSurface(build_plain_pieces(shape, size, colour), half)


def build_soft(
    recording: Any, motion: Motion, shape: Indices, size: Floats, *, triangle_limit: int
) -> SoftSurface:
    """The skin of the soft blocks; between shells they are round, elsewhere blocks."""
    rest, shells = motion.rest, wears_shells(motion, shape)
    block = np.asarray(recording.static(f"{motion.name}.soft_block"))
    return SoftSurface(
        rest.node_position,
        np.asarray(recording.static(f"{motion.name}.soft_triangles"), dtype=np.int64),
        block,
        find_tuck(rest, block, shape, size, in_shells=shells),
        triangle_limit=triangle_limit,
        blocky=not shells,
    )


BUILDERS: dict[str, Callable[..., CreatureSurface]] = {  # kinds that are no figures of parts
    "articulated": build_linked,
    "climber": build_climbing,
    "object": build_thing,
    "worm": build_worm_surface,
}
