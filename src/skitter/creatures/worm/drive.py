"""What drives a worm: forces that hold a vibration mode, or its muscles."""

from typing import Protocol

import numpy as np

from skitter.control.crawl import Crawl
from skitter.control.modal import find_level
from skitter.control.stations import PLACE
from skitter.creatures.worm.anatomy import MUSCLES
from skitter.creatures.worm.body import STATIONS, Body, find_stiffness
from skitter.elastic.mode_cache import load_derivative, load_modes
from skitter.elastic.modes import RIGID, Material
from skitter.elastic.stvk import compute_forces
from skitter.elastic.undulation import find_undulation
from skitter.species.worm import ModalDrive, WormSpec
from skitter.state import State

MODES = 24  # elastic ones looked at for the undulation


class Drive(Protocol):
    """What a worm asks of it, once a step."""

    activation: np.ndarray  # [muscle] 0..1

    @property
    def phase(self) -> float:
        """Cycles since the start."""

    def advance(
        self, x: np.ndarray, seconds: float, speed: float, turn: float
    ) -> np.ndarray | None:
        """Forces on the nodes [node, 3], dyn, of the next step, if any; sets `activation`."""

    def state(self) -> State: ...

    def restore(self, state: State) -> None: ...


class Muscular:
    """The 95 muscles, each with the activity of its place along the body and its side."""

    def __init__(self, species: WormSpec, body: Body):
        assert not isinstance(species.crawl, ModalDrive)
        self.body = body
        self.crawl = Crawl(species.crawl, body.length)
        self.activation = np.zeros(len(MUSCLES))

    @property
    def phase(self) -> float:
        return self.crawl.phase

    def advance(self, x: np.ndarray, seconds: float, speed: float, turn: float) -> None:
        bend = self.body.find_curvature(x, self.body.find_midline(x))
        felt = np.interp(PLACE, np.linspace(0, 1, STATIONS), bend)
        sides = self.crawl.advance(felt, seconds, speed, turn)
        self._share(sides)

    def _share(self, sides: np.ndarray) -> None:
        at = self.body.muscle_place
        each = np.stack([np.interp(at, PLACE, side) for side in sides.T])
        self.activation = np.take_along_axis(each, self.body.muscle_side[None], axis=0)[0]

    def state(self) -> State:
        return self.crawl.state()

    def restore(self, state: State) -> None:
        self.crawl.restore(state)
        self._share(self.crawl.activation)


class Modal:
    """Forces that hold the shape of a mode, turned with the body; a step makes them internal."""

    def __init__(self, species: WormSpec, body: Body):
        assert isinstance(species.crawl, ModalDrive)
        self.body, self.spec = body, species.crawl
        self.field = build_field(species, body)
        self.activation = np.zeros(len(MUSCLES))
        self.cycles = 0.0

    @property
    def phase(self) -> float:
        return self.cycles

    def advance(self, x: np.ndarray, seconds: float, speed: float, turn: float) -> np.ndarray:
        self.cycles += seconds * max(speed, 0.0) / self.spec.period
        level = self.spec.alpha * find_level(self.cycles) * (speed > 0)
        return np.asarray(level * self.field @ find_rotation(self.body, x).T)

    def state(self) -> State:
        return {"phase": np.array(self.cycles)}

    def restore(self, state: State) -> None:
        self.cycles = float(state["phase"])


def build_drive(species: WormSpec, body: Body) -> Drive:
    return (
        Modal(species, body) if isinstance(species.crawl, ModalDrive) else Muscular(species, body)
    )


def build_field(species: WormSpec, body: Body) -> np.ndarray:
    """Forces [node, 3], dyn, that hold the undulation at the amplitude of alpha 1: -f_m.

    The shape is that of Barbic and James, p u + p² D / 2: with the mode u alone a body that bends
    is also stretched, and its forces would be mostly those of the stretch. What the forces of the
    shape and of its mirror image have in common is left out, or the worm, which is driven by the
    forces and by their opposite, would bend more to one side and crawl in a circle.
    """
    assert isinstance(species.crawl, ModalDrive)
    mesh, drive = body.mesh, species.crawl
    density = np.full(len(mesh.tets), species.density)
    material = Material(*find_stiffness(mesh, species), density)
    modes = load_modes(mesh, material, MODES)
    index = find_undulation(mesh.nodes, modes) if drive.mode is None else RIGID + drive.mode - 1
    shape = modes.shapes[index]
    curve = load_derivative(mesh, material, shape)
    size = drive.amplitude * body.length / np.abs(shape).max()
    forces = []
    for p in (size, -size):
        bent = mesh.nodes + p * shape + p**2 * curve / 2
        forces.append(np.sum([compute_forces(one, bent) for one in body.elements], axis=0))
    return np.asarray(forces[1] - forces[0]) / 2


def find_rotation(body: Body, x: np.ndarray) -> np.ndarray:
    """The rotation [3, 3] that brings the body at rest nearest to x, by mass."""
    rest = body.mesh.nodes - body.mass @ body.mesh.nodes / body.mass.sum()
    here = x - body.mass @ x / body.mass.sum()
    u, _, v = np.linalg.svd(here.T @ (body.mass[:, None] * rest))
    flip = np.diag([1.0, 1.0, np.linalg.det(u @ v)])
    return np.asarray(u @ flip @ v)
