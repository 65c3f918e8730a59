"""Where creatures are born: not deep inside the terrain, and not too far out for their numbers.

Contact moves what lies inside the terrain outwards, the faster the deeper: a part that begins far
inside is shot out. A little overlap is harmless, so half a part's smallest size is let through.
"""

from collections.abc import Iterator
from dataclasses import dataclass, replace

import numpy as np

from skitter.creatures.pack import probe_body
from skitter.creatures.plan import BOX, BodyPlan, RigidPart, SoftPart, build_plan
from skitter.creatures.stability import compute_cell_size, list_figures
from skitter.elastic.block import build_topology
from skitter.errors import UserError
from skitter.rotation import matrix_from_turn
from skitter.scene.load import Scene
from skitter.scene.spec import CreaturePlacement
from skitter.species.kinds import SpeciesSpec
from skitter.terrain import Terrain

DEPTH_SHARE = 0.5  # of a part's smallest size that may lie inside the terrain
ROUNDING_SHARE = 0.01  # of a part's smallest size that rounding of its positions may reach
TRIES = 20  # pushes out of the terrain before no better place is proposed


@dataclass(frozen=True)
class BornPart:
    """What of a part can touch the terrain as it is born: balls of which most are points."""

    name: str
    centre: np.ndarray  # [n, 3] cm, world
    radius: np.ndarray  # [n] cm
    size: float  # the smallest, cm


@dataclass(frozen=True)
class Burial:
    """A part that lies too deep in the terrain, and the way out."""

    part: BornPart
    shape: int  # of the terrain
    depth: float  # cm
    normal: np.ndarray  # [3]


def check_placement(scene: Scene, terrain: Terrain) -> None:
    """Refuse creatures that are born where they cannot be simulated."""
    for index in list_figures(scene):
        placement, species = scene.spec.creatures[index], scene.species[index]
        parts = list(place_parts(build_plan(species), placement))
        if scene.spec.terrain and not stands(species, placement):
            check_depth(scene, index, parts, terrain)
        check_distance(scene, index, parts)


def stands(species: SpeciesSpec, placement: CreaturePlacement) -> bool:
    """Whether a creature finds its own place on the terrain."""
    return species.can_stand and placement.start == "stand"


def place_parts(plan: BodyPlan, placement: CreaturePlacement) -> Iterator[BornPart]:
    """The parts of a plan in the world; what touches nothing is left out."""
    turn, at = matrix_from_turn(placement.turn_deg), np.array(placement.at)
    for rigid in plan.rigid:
        if not rigid.fixed:
            probes = probe_body(rigid, np.zeros(3))
            centre = at + probes[:, :3] @ turn.T
            yield BornPart(rigid.name, centre, probes[:, 3], measure_rigid(rigid))
    for soft in plan.soft:
        if len(nodes := list_free_nodes(soft)):
            size = float((compute_cell_size(soft) * soft.cells).min())
            yield BornPart(soft.name, at + nodes @ turn.T, np.zeros(len(nodes)), size)


def measure_rigid(part: RigidPart) -> float:
    """The smallest size of a rigid part, cm."""
    return float(part.size.min() if part.shape == BOX else 2 * part.size[0])


def list_free_nodes(part: SoftPart) -> np.ndarray:
    """The nodes of a soft block that no rigid part carries [n, 3]."""
    face = build_topology(part.cells).face_node_count
    first = 0 if part.start is None else face
    return part.nodes[first : len(part.nodes) - (0 if part.end is None else face)]


def check_depth(scene: Scene, index: int, parts: list[BornPart], terrain: Terrain) -> None:
    burial = find_burial(parts, terrain)
    if burial is None:
        return
    shape = scene.spec.terrain[burial.shape].shape
    raise UserError(
        f"creatures[{index}].at puts part '{burial.part.name}' of '{scene.creature_names[index]}'"
        f" {burial.depth:.3g} cm deep into terrain[{burial.shape}], a {shape}; valid: at most"
        f" {DEPTH_SHARE * burial.part.size:.3g} cm, half its smallest size"
        + propose_place(scene.spec.creatures[index], parts, terrain)
    )


def find_burial(parts: list[BornPart], terrain: Terrain) -> Burial | None:
    """The part that lies deepest of those that lie too deep."""
    worst: Burial | None = None
    for part in parts:
        distance, normal, which = terrain.sample(part.centre)
        depths = part.radius - distance
        deepest = int(np.argmax(depths))
        depth, allowed = float(depths[deepest]), DEPTH_SHARE * part.size * (1 + 1e-6)
        if depth > max(allowed, worst.depth if worst else 0.0):
            worst = Burial(part, int(which[deepest]), depth, normal[deepest])
    return worst


def propose_place(placement: CreaturePlacement, parts: list[BornPart], terrain: Terrain) -> str:
    """A place near by where the creature lies free, in words, or nothing."""
    away = np.zeros(3)
    for _ in range(TRIES):
        moved = [replace(part, centre=part.centre + away) for part in parts]
        burial = find_burial(moved, terrain)
        if burial is None:
            at = np.array(placement.at) + away
            return f", as with at: [{', '.join(f'{x:.4g}' for x in at)}]"
        away = away + 1.01 * burial.depth * burial.normal
    return ""


def check_distance(scene: Scene, index: int, parts: list[BornPart]) -> None:
    """Far from the origin the numbers are coarser than the parts."""
    precision = np.dtype(scene.spec.precision)
    for part in parts:
        limit = ROUNDING_SHARE * part.size / float(np.finfo(precision).eps)
        if (farthest := float(np.abs(part.centre).max())) > limit:
            wider = " or precision: float64" if precision == np.float32 else ""
            raise UserError(
                f"creatures[{index}].at puts part '{part.name}' of '{scene.creature_names[index]}'"
                f" {farthest:.3g} cm from the origin, where numbers of {precision} are too coarse"
                f" for it; valid: within {limit:.2g} cm{wider}"
            )
