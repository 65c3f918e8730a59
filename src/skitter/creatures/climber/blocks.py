"""Movable objects: things that climbers knock aside, push and climb (Cenydd 2012 section 8.4).

An object is one rigid body. It moves with the climbers of its scene, in the same model of the
engine (`company.py`); what it looks like to those that walk on it is `blocks_to_arrays`.
"""

from collections.abc import Mapping, Sequence
from dataclasses import replace

import numpy as np

from skitter.channel import Channel, Static
from skitter.creatures.climber import touch
from skitter.creatures.climber.company import Member, advance_company
from skitter.creatures.climber.shapes import (
    BALL,
    BOX_SHAPE,
    ROLLER,
    SURFACE_TURN,
    BlockShape,
    BlockState,
)
from skitter.creatures.climber.shapes import blocks_to_arrays as blocks_to_arrays
from skitter.creatures.creature import BAR_ROW, Around, Touched
from skitter.creatures.physics import Physics
from skitter.creatures.placing import find_rise
from skitter.creatures.rows import Row, describe_rows
from skitter.meeting.shapes import Shapes
from skitter.rotation import matrices_to_quaternions, matrix_from_turn
from skitter.scene.spec import CreaturePlacement
from skitter.species.object import ObjectSpec
from skitter.state import State
from skitter.terrain import Terrain
from skitter.things import Things

SHAPES = {"box": BOX_SHAPE, "sphere": BALL, "cylinder": ROLLER}
MOST_BALLS = 5  # along an edge
ROWS = (
    Row("body_position", ("body", "xyz"), "float32", "cm", "its middle"),
    Row("body_orientation", ("body", "wxyz"), "float32", "1", "from its own axes to the world"),
    Row("velocity", ("xyz",), "float64", "cm/s", "of its middle"),
    Row("spin", ("xyz",), "float64", "rad/s", "in the world's axes"),
    Row("depth", ("body",), "float64", "cm", "how deep its deepest corner is in the ground"),
)


class Block(Member):
    """A box, a ball or a cylinder."""

    kind = "object"
    species: ObjectSpec

    def __init__(
        self,
        name: str,
        species: ObjectSpec,
        placement: CreaturePlacement,
        physics: Physics,
        rng: np.random.Generator,
    ):
        super().__init__()
        self.name, self.species, self.placement, self.physics = name, species, placement, physics
        self.shape = build_shape(species)
        self.block = BlockState(
            np.array(placement.at, float),
            matrix_from_turn(placement.turn_deg),
            np.array(placement.velocity, float),
            np.radians(placement.spin_deg),
        )
        noise = rng.standard_normal(3) * placement.velocity_noise
        self.block.velocity[:] += noise
        self.warm = np.zeros(6)
        self.surface_turn = SURFACE_TURN[self.shape.shape]  # of its surface, in its own axes
        self.terrain: Terrain | None = None
        self.things: Things | None = None
        self.corners = list_corners(self.shape)
        self.balls = fill_balls(self.shape)
        self.shapes = touch.build_block_shape(self.shape)
        self.expected = np.zeros(6)  # velocity and spin that the last meeting solved for
        self.was_touched = np.zeros(1, np.int64)  # whether there was one in the last part
        # of a meeting: how long its part lasts, s; how it answers to impulses [6, 6], and how the
        # points at which it is touched move with it [3 n, 6]
        self.part_seconds, self.mobility, self.lever = 0.0, np.zeros((6, 6)), np.zeros((0, 6))

    # -- what it shows -------------------------------------------------------------------------

    @property
    def position(self) -> np.ndarray:
        return self.block.place.copy()

    @property
    def top_speed(self) -> float:
        block = self.block
        return float(np.linalg.norm(block.velocity) + np.linalg.norm(block.spin) * self.shape.reach)

    def list_balls(self) -> np.ndarray:
        """Balls that fill it."""
        return np.column_stack([self.place(self.balls[:, :3]), self.balls[:, 3]])

    def list_bars(self) -> np.ndarray:
        """One bar along its longest edge."""
        size, block = np.array(self.shape.size), self.block
        order = np.argsort(size)
        half = size / 2
        along = block.turn[:, order[2]] * (half[order[2]] - half[order[1]])
        swing = np.cross(block.spin, along)
        bar = np.zeros((1, BAR_ROW))
        bar[0, :3], bar[0, 3:6] = block.place - along, block.place + along
        bar[0, 6:8] = half[order[1]], half[order[0]]
        bar[0, 8:11], bar[0, 11:14] = block.velocity - swing, block.velocity + swing
        return bar

    def find_depth(self) -> float:
        """How deep its deepest corner is in the ground, cm."""
        points, depth = self.place(self.corners), 0.0
        if self.terrain is not None and self.things is not None:
            for surface in (self.terrain, self.things.barrier):
                if len(surface.arrays.kind):
                    depth = max(depth, -float(surface.sample(points)[0].min()))
        return depth

    def place(self, points: np.ndarray) -> np.ndarray:
        """Points of its own [n, 3] in the world."""
        return np.asarray(self.block.place + points @ self.block.turn.T)

    # -- meeting others ------------------------------------------------------------------------

    def show_shapes(self) -> Shapes:
        touch.place_block(self.block, self.shapes.row[0])
        return self.shapes

    def find_motors(self, part: np.ndarray, seconds: float) -> tuple[np.ndarray, np.ndarray]:
        self.part_seconds = seconds
        return super().find_motors(part, seconds)

    def answer(self, touched: Touched) -> None:
        touch.answer_block(self, touched, self.part_seconds)

    def take_impulses(self, touched: Touched, seconds: float) -> None:
        self.expected += self.mobility @ self.lever.T @ touched.impulse.ravel()
        self.was_touched[0] = 2  # at the end of this part it is one part ago
        if self.seat is not None:
            self.seat.take_block(touched.point, touched.impulse / seconds)

    # -- a frame -------------------------------------------------------------------------------

    def begin(self, around: Around) -> None:
        self.terrain, self.things = around.terrain, around.things
        if self.placement.start == "stand" and len(around.terrain.arrays.kind):
            self.block.place[1] += find_rise(around.terrain, self.place(self.corners))

    def advance_frame(self, around: Around) -> None:
        advance_company([self], [around])

    @classmethod
    def advance_together(cls, members: Sequence[Member], arounds: Sequence[Around]) -> None:
        advance_company(members, arounds)

    # -- what is recorded ----------------------------------------------------------------------

    def values(self) -> dict[str, np.ndarray]:
        block = self.block
        return {
            "body_position": block.place[None].astype(np.float32),
            "body_orientation": matrices_to_quaternions(block.turn[None]).astype(np.float32),
            "velocity": block.velocity.copy(),
            "spin": block.spin.copy(),
            "depth": np.array([self.find_depth()]),
        }

    def list_channels(self) -> list[Channel]:
        return describe_rows(self.name, np.float64, ROWS, self.values())

    def list_statics(self) -> list[Static]:
        name, shape = self.name, self.shape
        body = (f"{name}.body",)
        form, size = np.array([shape.shape]), np.array([shape.size], float)
        mass, length = np.array([shape.mass]), np.array(max(shape.size), float)
        return [
            Static(f"{name}.body_shape", body, np.zeros(1, np.int64), "1", "0: in a box"),
            Static(f"{name}.body_form", body, form, "1", "0 box, 1 ball, 2 cylinder along x"),
            Static(f"{name}.body_size", (*body, "xyz"), size, "cm", "edges of the box around it"),
            Static(f"{name}.body_joint", (*body, "xyz"), np.zeros((1, 3)), "cm", "its middle"),
            Static(f"{name}.body_mass", body, mass, "g", ""),
            Static(f"{name}.total_mass", (), np.array(shape.mass), "g", ""),
            Static(f"{name}.body_length", (), length, "cm", "its longest edge"),
        ]

    def read(self) -> dict[str, np.ndarray]:
        return {f"{self.name}.{label}": value for label, value in self.values().items()}

    def list_own(self) -> dict[str, np.ndarray]:
        memory = {"expected": self.expected, "was_touched": self.was_touched}
        return {**self.block._asdict(), "warm": self.warm, **memory}

    def state(self) -> State:
        return {key: value.copy() for key, value in self.list_own().items()}

    def restore(self, state: Mapping[str, np.ndarray]) -> None:
        self.forget_engine()
        for key, value in self.list_own().items():
            value[:] = state[key]

    # -- what a person does to it --------------------------------------------------------------

    def push(self, at: np.ndarray, velocity: np.ndarray) -> None:
        """The impulse that would give all of it this velocity, where it is nearest."""
        block, half = self.block, np.array(self.shape.size) / 2
        velocity = np.asarray(velocity, float)
        arm = np.clip(block.turn.T @ (np.asarray(at, float) - block.place), -half, half)
        kick = np.cross(arm, self.shape.mass * (block.turn.T @ velocity)) / self.shape.inertia
        block.velocity[:] += velocity
        block.spin[:] += block.turn @ kick

    def set_gravity(self, gravity: float) -> None:
        self.physics = replace(self.physics, gravity=gravity)
        self.forget_engine()


def build_shape(species: ObjectSpec) -> BlockShape:
    return BlockShape(SHAPES[species.shape], species.box, species.weight, species.friction)


def list_corners(shape: BlockShape) -> np.ndarray:
    """Points of its surface that come to lie deepest [n, 3], cm."""
    half = np.array(shape.size) / 2
    if shape.shape == BOX_SHAPE:
        return np.array([[i, j, k] for i in (-1, 1) for j in (-1, 1) for k in (-1, 1)]) * half
    around = np.linspace(0, 2 * np.pi, 16, endpoint=False)
    ring = np.column_stack([np.zeros(16), np.cos(around), np.sin(around)])
    if shape.shape == ROLLER:
        return np.concatenate([(ring + np.array([end, 0, 0])) * half for end in (-1, 1)])
    slant = [np.sqrt(1 - up * up) * ring + np.array([up, 0, 0]) for up in (-0.7, 0.0, 0.7)]
    return np.asarray(np.concatenate([*slant, [[-1, 0, 0], [1, 0, 0]]]) * half)


def fill_balls(shape: BlockShape) -> np.ndarray:
    """Balls that fill a shape [n, 4], cm, side by side in rows along its edges."""
    size = np.array(shape.size)
    radius = size.min() / 2
    count = np.clip(np.round(size / size.min()), 1, MOST_BALLS).astype(int)
    ends = size / 2 - radius
    rows = [
        np.linspace(-e, e, n) if n > 1 else np.zeros(1) for e, n in zip(ends, count, strict=True)
    ]
    grid = np.stack(np.meshgrid(*rows, indexing="ij"), axis=-1).reshape(-1, 3)
    return np.column_stack([grid, np.full(len(grid), radius)])
