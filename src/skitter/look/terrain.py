"""What the terrain of a scene looks like: planes as endless floors, solids as bevelled meshes.

Heightfields and meshes are drawn as they are asked, with smooth normals.
"""

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from pydantic import TypeAdapter

from skitter.errors import UserError
from skitter.look.colour import GROUND_COLOUR, read_colour
from skitter.look.habitat import USUAL, Habitat
from skitter.look.mesh import Mesh, build_cylinder, build_rounded_box, build_sphere
from skitter.look.surface import build_field, build_surface, level_around
from skitter.rotation import matrix_from_turn
from skitter.scene.spec import AnyTerrain
from skitter.terrain import Terrain, build_terrain
from skitter.terrain.made import expand_pieces

Floats = NDArray[np.floating]
UP = np.array([0.0, 1.0, 0.0])
OPEN_SHAPES = ("plane", "heightfield")  # ground without an underside to walk on
BEVEL_SHARE = 0.03  # of a solid's shortest edge
GRAIN_ALONG, GRAIN_APART = 0.1, 37.0  # of a log: how much longer its grain is, and from where


@dataclass(frozen=True)
class Floor:
    """An endless plane."""

    point: Floats  # cm, on the plane
    normal: Floats  # unit
    colour: Floats  # linear light
    is_agar: bool = False

    def axes(self) -> tuple[Floats, Floats]:
        """Two unit directions in the plane that make a right-handed frame (u, normal, v)."""
        hint = np.array([1.0, 0.0, 0.0])
        if abs(self.normal @ hint) > 0.9:
            hint = UP
        v = np.cross(hint, self.normal)
        v /= np.linalg.norm(v)
        return np.cross(self.normal, v), v

    def foot(self, point: Floats) -> Floats:
        """The point of the plane that is nearest to a point."""
        return point - ((point - self.point) @ self.normal) * self.normal

    @classmethod
    def level(cls, height: float) -> "Floor":
        """A level floor at a height, in the usual colour."""
        return cls(height * UP, UP, read_colour(GROUND_COLOUR))


@dataclass(frozen=True)
class Solid:
    """A piece of terrain with an inside."""

    mesh: Mesh
    colour: Floats  # linear light
    grain: Floats  # [point, 3] cm, where in its grain a point lies; it moves and turns with it


def build_floors(terrain: list[dict[str, Any]], habitat: Habitat = USUAL) -> list[Floor]:
    """The planes of a scene, the flattest first: that one carries the studio's floor.

    The ground around a heightfield counts as one where it is level and nothing lies below.
    """
    floors = [floor for piece in expand_pieces(terrain) for floor in _floors_of(piece, habitat)]
    return sorted(floors, key=lambda floor: -float(floor.normal[1]))


def _floors_of(piece: dict[str, Any], habitat: Habitat) -> list[Floor]:
    at = np.array(piece.get("at") or (0.0, 0.0, 0.0), dtype=float)
    colour, is_agar = read_colour(piece.get("colour") or habitat.ground), habitat.is_agar
    if piece["shape"] == "heightfield":
        height = level_around(piece)
        return [] if height is None else [Floor(at + height * UP, UP, colour, is_agar)]
    if piece["shape"] != "plane":
        return []
    normal = _unit(np.array(piece.get("normal") or UP, dtype=float))
    return [Floor(at, normal, colour, is_agar)]


def build_solids(terrain: list[dict[str, Any]], habitat: Habitat = USUAL) -> list[Solid]:
    """All other pieces of a scene's terrain."""
    return [_place(piece, habitat) for piece in expand_pieces(terrain) if piece["shape"] != "plane"]


def open_ground(scene: dict[str, Any]) -> Terrain:
    """The terrain of a recorded scene, as feet feel it."""
    pieces = TypeAdapter(list[AnyTerrain]).validate_python(scene.get("terrain") or [])
    return build_terrain(pieces)


def has_ground(terrain: list[dict[str, Any]]) -> bool:
    """Whether there is a heightfield, which is the ground itself and the bed of water."""
    return any(piece["shape"] == "heightfield" for piece in expand_pieces(terrain))


def is_closed(terrain: list[dict[str, Any]]) -> bool:
    """Whether one can walk around all that there is, to its underside."""
    pieces = expand_pieces(terrain)
    return bool(pieces) and not any(piece["shape"] in OPEN_SHAPES for piece in pieces)


def _place(piece: dict[str, Any], habitat: Habitat) -> Solid:
    turn = matrix_from_turn(piece.get("turn_deg") or (0.0, 0.0, 0.0))
    mesh, at = _shape(piece), np.array(piece.get("at") or (0.0, 0.0, 0.0), dtype=float)
    colour = read_colour(piece.get("colour") or habitat.terrain)
    return Solid(mesh.moved(at, turn), colour, _grain(piece, mesh))


def _grain(piece: dict[str, Any], mesh: Mesh) -> Floats:
    """Where its points lie in a grain, which is long along a cylinder, as in wood."""
    if piece["shape"] != "cylinder":
        return mesh.points
    apart = GRAIN_APART * (float(piece["radius"]) + float(piece["length"]))  # no two logs alike
    return mesh.points * [1.0, GRAIN_ALONG, 1.0] + apart


def _shape(piece: dict[str, Any]) -> Mesh:
    match piece["shape"]:
        case "box":
            size = np.array(piece["size"], dtype=float)
            return build_rounded_box(size, BEVEL_SHARE * float(size.min()))
        case "sphere":
            return build_sphere(float(piece["radius"]))
        case "cylinder":
            radius, length = float(piece["radius"]), float(piece["length"])
            lying = build_cylinder(radius, length, BEVEL_SHARE * min(2 * radius, length))
            return lying.moved(np.zeros(3), matrix_from_turn((0.0, 0.0, 90.0)))
        case "heightfield":
            return build_field(piece)
        case "mesh":
            return build_surface(piece)
        case other:
            raise UserError(f"terrain shape '{other}' cannot be shown: see terrain/made.py")


def _unit(vector: Floats) -> Floats:
    return vector / np.linalg.norm(vector)
