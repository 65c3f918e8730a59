"""Bodies of a climber in the making: chains of segments, mirrored, hung on the trunk."""

from dataclasses import dataclass, field

import numpy as np

from skitter.creatures.articulated.draft import MIRROR, SAME, ZERO, mirror_turn
from skitter.creatures.climber.placing import PEDICEL, WELDED, BodyTree, Sequences
from skitter.rotation import matrix_from_turn
from skitter.species.climber import ClimberSpec
from skitter.species.climber_parts import AbdomenSpec, AppendageSpec, Side
from skitter.species.climber_pose import find_origin

APPENDAGE = -5  # segment of what is no leg


@dataclass(frozen=True)
class Chains:
    """Legs or appendages, each side for itself."""

    name: list[str]
    parent: list[str]  # the body that each hangs on
    segment: list[str]  # names
    first: np.ndarray  # [chain + 1] int64 its segments
    at: np.ndarray  # [chain, 3] cm, in the parent's frame
    turn: np.ndarray  # [chain, 3, 3]
    axis: np.ndarray  # [segment, 3] unit
    length: np.ndarray  # [segment] cm
    radius: np.ndarray  # [segment] cm
    rest: np.ndarray  # [segment] rad
    tip: np.ndarray  # [chain, 3] cm, where a foot is most at ease; of legs


@dataclass
class Bodies:
    """All bodies so far, row by row."""

    name: list[str] = field(default_factory=list)
    parent: list[int] = field(default_factory=list)
    at: list[np.ndarray] = field(default_factory=list)
    turn: list[np.ndarray] = field(default_factory=list)
    axis: list[np.ndarray] = field(default_factory=list)
    hinge: list[int] = field(default_factory=list)
    middle: list[np.ndarray] = field(default_factory=list)
    size: list[np.ndarray] = field(default_factory=list)
    mass: list[float] = field(default_factory=list)
    leg: list[int] = field(default_factory=list)
    segment: list[int] = field(default_factory=list)

    def add(
        self,
        name: str,
        parent: int,
        size: np.ndarray,
        mass: float,
        segment: int,
        *,
        leg: int = -1,
        at: np.ndarray = ZERO,
        turn: np.ndarray = SAME,
        axis: np.ndarray = ZERO,
        hinge: int = WELDED,
        middle: np.ndarray = ZERO,
    ) -> int:
        """The number of a new body."""
        self.name.append(name)
        self.parent.append(parent)
        self.size.append(size)
        self.mass.append(mass)
        self.segment.append(segment)
        self.leg.append(leg)
        self.at.append(at)
        self.turn.append(turn)
        self.axis.append(axis)
        self.hinge.append(hinge)
        self.middle.append(middle)
        return len(self.name) - 1

    def add_abdomen(self, abdomen: AbdomenSpec, segment: int) -> None:
        """It lies behind its joint, the pedicel."""
        size, at = np.array(abdomen.size), np.array(abdomen.at)
        middle = np.array([-size[0] / 2, 0.0, 0.0])
        self.add("abdomen", 0, size, abdomen.mass, segment, at=at, hinge=PEDICEL, middle=middle)

    def add_chain(
        self,
        chains: Chains,
        chain: int,
        parent: int,
        masses: np.ndarray | None,
        *,
        offset: int = 0,
    ) -> int:
        """A leg, which has masses, or an appendage; the number of its outermost body."""
        at, turn = chains.at[chain], chains.turn[chain]
        first, end = chains.first[chain], chains.first[chain + 1]
        for k in range(first, end):
            length, across = chains.length[k], 2 * chains.radius[k]
            parent = self.add(
                f"{chains.name[chain]}.{chains.segment[k]}",
                parent,
                np.array([length, across, across]),
                0.0 if masses is None else float(masses[k]),
                APPENDAGE if masses is None else k - first,
                leg=-1 if masses is None else chain,
                at=at,
                turn=turn,
                axis=chains.axis[k],
                hinge=k + offset,
                middle=np.array([length / 2, 0.0, 0.0]),
            )
            at, turn = np.array([length, 0.0, 0.0]), SAME
        return parent

    def pack(self) -> BodyTree:
        """As kernels read them."""
        return BodyTree(
            np.array(self.parent, np.int64),
            np.array(self.at, float),
            np.array(self.turn, float).reshape(-1, 9),
            np.array(self.axis, float),
            np.array(self.hinge, np.int64),
            np.array(self.middle, float),
        )

    def measure_trunk(self) -> float:
        """Length along x of all that is neither leg nor appendage, at rest, cm."""
        trunk = [k for k, hinge in enumerate(self.hinge) if hinge < 0]
        middle = np.array([self.at[k][0] + self.middle[k][0] for k in trunk])
        half = np.array([self.size[k][0] / 2 for k in trunk])
        return float((middle + half).max() - (middle - half).min())


def mirror_axis(axis: np.ndarray, left: bool) -> np.ndarray:
    """Of a hinge, unit."""
    axis = axis / np.linalg.norm(axis)
    return -MIRROR @ axis if left else axis


def mirror_place(place: np.ndarray, left: bool) -> np.ndarray:
    return MIRROR @ place if left else place


def list_legs(species: ClimberSpec) -> Chains:
    """Left, then right of each pair, front first."""
    rows = [(leg, side) for leg in species.legs for side in ("left", "right")]
    segments = [(one, side) for leg, side in rows for one in leg.segments]
    return Chains(
        name=[f"{side}_{leg.name}" for leg, side in rows],
        parent=["thorax"] * len(rows),
        segment=[one.name for one, _ in segments],
        first=count_up([len(leg.segments) for leg, _ in rows]),
        at=np.array([mirror_place(np.array(leg.at), side == "left") for leg, side in rows]),
        turn=np.array(
            [mirror_turn(matrix_from_turn(leg.turn_deg), side == "left") for leg, side in rows]
        ),
        axis=np.array(
            [mirror_axis(np.array(one.joint.axis), side == "left") for one, side in segments]
        ),
        length=np.array([one.length for one, _ in segments]),
        radius=np.array([one.radius for one, _ in segments]),
        rest=np.radians([one.joint.rest_deg for one, _ in segments]),
        tip=np.array([mirror_place(find_origin(leg), side == "left") for leg, side in rows]),
    )


def list_appendages(species: ClimberSpec) -> tuple[Chains, Sequences]:
    """Chains and key frames, in the order of the file."""
    rows = [(one, side) for one in species.appendages for side in one.sides]
    segments = [(one, side) for row, side in rows for one in row.segments]
    chains = Chains(
        name=[one.name if side == "middle" else f"{side}_{one.name}" for one, side in rows],
        parent=[one.parent for one, _ in rows],
        segment=[one.name for one, _ in segments],
        first=count_up([len(one.segments) for one, _ in rows]),
        at=stack([mirror_place(np.array(one.at), side == "left") for one, side in rows], 3),
        turn=stack(
            [mirror_turn(matrix_from_turn(one.turn_deg), side == "left") for one, side in rows], 9
        ).reshape(-1, 3, 3),
        axis=stack([mirror_axis(np.array(one.axis), side == "left") for one, side in segments], 3),
        length=np.array([one.length for one, _ in segments], float),
        radius=np.array([one.radius for one, _ in segments], float),
        rest=np.radians(np.array([one.rest_deg for one, _ in segments], float)),
        tip=np.zeros((len(rows), 3)),
    )
    return chains, list_sequences(rows, chains)


def list_sequences(rows: list[tuple[AppendageSpec, Side]], chains: Chains) -> Sequences:
    """Key frames of all appendages; those that never move have none."""
    played = [one.sequence for one, _ in rows]
    most = max((len(one.segments) for one, _ in rows), default=1)
    times, angles = [], []
    for sequence in played:
        for key in sequence.keys if sequence else ():
            times.append(key.time)
            angles.append(np.radians(key.angles_deg + [0.0] * (most - len(key.angles_deg))))
    shift = [
        one.phase_left if one is not None and side == "left" else 0.0
        for one, (_, side) in zip(played, rows, strict=True)
    ]
    return Sequences(
        first=chains.first,
        rest=chains.rest,
        period=np.array([1.0 if one is None else one.period for one in played], float),
        phase=np.array(shift, float),
        walking=np.array(
            [-1 if one is None or one.walking is None else int(one.walking) for one in played],
            np.int64,
        ),
        key_first=count_up([0 if one is None else len(one.keys) for one in played]),
        key_time=np.array(times, float),
        key_angle=stack(angles, most),
    )


def count_up(counts: list[int]) -> np.ndarray:
    """Where each of so many begins, and behind all where they end."""
    return np.concatenate([[0], np.cumsum(counts)]).astype(np.int64)


def stack(rows: list[np.ndarray], width: int) -> np.ndarray:
    """Rows as an array [row, width], also where there are none."""
    return np.array(rows, float).reshape(len(rows), width)
