"""From a species file to links, joints, boxes, legs and closures, as arrays.

Everything is in the creature's own frame: links without a parent hang on it, and whoever places the
creature moves it.
"""

from dataclasses import dataclass
from math import inf, radians

import numpy as np

from skitter.creatures.articulated.draft import Draft, Frame, Joint
from skitter.creatures.articulated.pose import pose_links, size_joint
from skitter.rigid.tree.model import Link
from skitter.species.articulated import ArticulatedSpec, LegSpec


@dataclass(frozen=True)
class Plan:
    """A body of links as built. Where a joint slides, angles are cm and torques dyn."""

    links: list[Link]  # each after its parent
    rest_q: np.ndarray  # [q_size] all joints at the rest of their springs

    # joints of one degree of freedom
    joint_name: list[str]  # as in left_front.swing, abdomen_pitch
    joint_link: np.ndarray  # [joint]
    joint_q: np.ndarray  # [joint] index into q
    joint_v: np.ndarray  # [joint] index into v
    spring: np.ndarray  # [joint, 5] 0 linear or 1 exponential, alpha, beta, damping, rest (rad)
    limit: np.ndarray  # [joint, 3] low, high, stiffness beyond; infinite where there is none

    # joints of three, which rest as they were built
    ball_name: list[str]
    ball_link: np.ndarray  # [ball]
    ball_q: np.ndarray  # [ball] index into q of its quaternion
    ball_v: np.ndarray  # [ball] index into v
    ball_spring: np.ndarray  # [ball, 5] as above

    # boxes
    body_name: list[str]  # as in thorax, left_front.coxa
    body_link: np.ndarray  # [body]; -1: held by the world
    body_middle: np.ndarray  # [body, 3] cm, in the link's frame
    body_turn: np.ndarray  # [body, 3, 3] the box's axes in the link's frame
    body_size: np.ndarray  # [body, 3] cm
    body_mass: np.ndarray  # [body] g
    body_leg: np.ndarray  # [body] or -1
    body_segment: np.ndarray  # [body] of the leg from 0; of the trunk -1, -2, ...

    # legs, pair by pair from the front, left then right
    leg_name: list[str]  # as in left_front
    leg_pair: np.ndarray  # [leg]
    leg_side: np.ndarray  # [leg] -1 left, 1 right
    leg_joint: np.ndarray  # [leg, most joints of a leg] index into joints, or -1
    foot_body: np.ndarray  # [leg] the outermost box
    foot_link: np.ndarray  # [leg]
    foot_at: np.ndarray  # [leg, 3] cm, its tip in the link's frame

    closure_name: list[str]
    closure_link: np.ndarray  # [closure]; -1: the world
    closure_at: np.ndarray  # [closure, 3] cm, in the link's frame
    closure_to: np.ndarray  # [closure]; -1: the world
    closure_to_at: np.ndarray  # [closure, 3] cm, in that link's frame; world: the creature's
    closure_spring: np.ndarray  # [closure, 3] stiffness dyn/cm, damping g/s, breaks at dyn

    total_mass: float  # g, of all that moves
    body_length: float  # cm, of the trunk at rest, along x


def build_plan(species: ArticulatedSpec) -> Plan:
    """The body of a species, without the limbs that it has lost."""
    draft, last_of = Draft(), dict[str, Frame]()
    for number, link in enumerate(species.links):
        draft.add_trunk(link, number, last_of)
    for pair, leg in enumerate(species.legs):
        for side in sorted(leg.sides):
            cut = count_segments(leg, side, species.remove)
            if cut:
                draft.add_leg(leg, pair, side, cut, last_of[leg.parent])
    q_at, v_at = index_joints(draft.links)
    rest_q = find_rest(draft, q_at)
    return Plan(
        links=draft.links,
        rest_q=rest_q,
        **list_joints("joint", draft.singles, q_at, v_at),
        **list_joints("ball", draft.balls, q_at, v_at),
        spring=straighten(stack([list_spring(one) for one in draft.singles], 5), species.linear),
        limit=stack([list_limit(one) for one in draft.singles], 3),
        ball_spring=straighten(stack([list_spring(one) for one in draft.balls], 5), species.linear),
        **list_bodies(draft),
        **list_legs(draft),
        **list_closures(draft, species),
        total_mass=sum(link.mass for link in draft.links),
        body_length=measure_trunk(draft, rest_q),
    )


def count_segments(leg: LegSpec, side: str, removed: list[str]) -> int:
    """How many segments of a leg are left: none beyond one that was removed."""
    name = f"{side}_{leg.name}"
    if name in removed:
        return 0
    lost = [f"{name}.{segment.name}" in removed for segment in leg.segments]
    return lost.index(True) if any(lost) else len(lost)


def index_joints(links: list[Link]) -> tuple[np.ndarray, np.ndarray]:
    """Where in q and in v the joint of each link begins, and behind all where they end."""
    sizes = np.array([(0, 0), *(size_joint(link.joint) for link in links)])
    q_at, v_at = np.cumsum(sizes, axis=0).T
    return q_at, v_at


def find_rest(draft: Draft, q_at: np.ndarray) -> np.ndarray:
    """All joints at the rest of their springs; free links where they were built."""
    q = np.zeros(q_at[-1])
    for index, link in enumerate(draft.links):
        if link.joint in ("ball", "free"):
            q[q_at[index + 1] - 4] = 1.0
    for joint in draft.singles:
        q[q_at[joint.link]] = list_spring(joint)[-1]
    return q


def list_joints(kind: str, joints: list[Joint], q_at: np.ndarray, v_at: np.ndarray) -> dict:
    link = np.array([joint.link for joint in joints], int)
    return {
        f"{kind}_name": [joint.name for joint in joints],
        f"{kind}_link": link,
        f"{kind}_q": q_at[link],
        f"{kind}_v": v_at[link],
    }


def list_spring(joint: Joint) -> list[float]:
    """A row of `Plan.spring`."""
    spring, slides = joint.spec.spring, joint.spec.type == "prismatic"
    rest = spring.rest if slides else radians(spring.rest_deg)
    return [float(spring.kind == "exponential"), spring.alpha, spring.beta, spring.damping, rest]


def straighten(springs: np.ndarray, linear: bool) -> np.ndarray:
    """Exponential springs as linear ones that are as stiff at rest, if so wished."""
    if not linear:
        return springs
    rows = springs.copy()
    rows[:, 1] = np.where(rows[:, 0] > 0, rows[:, 1] * rows[:, 2], rows[:, 1])
    rows[:, 0] = 0.0
    return rows


def list_limit(joint: Joint) -> list[float]:
    """A row of `Plan.limit`."""
    spec = joint.spec
    if spec.range is not None:
        return [*spec.range, spec.stop]
    if spec.range_deg is not None:
        return [*(radians(angle) for angle in spec.range_deg), spec.stop]
    return [-inf, inf, spec.stop]


def list_bodies(draft: Draft) -> dict:
    boxes = draft.boxes
    return {
        "body_name": [box.name for box in boxes],
        "body_link": np.array([box.frame.link for box in boxes]),
        "body_middle": np.array([box.frame.move(box.middle) for box in boxes]),
        "body_turn": np.array([box.frame.turn for box in boxes]),
        "body_size": np.array([box.size for box in boxes]),
        "body_mass": np.array([box.mass for box in boxes]),
        "body_leg": np.array([box.leg for box in boxes]),
        "body_segment": np.array([box.segment for box in boxes]),
    }


def list_legs(draft: Draft) -> dict:
    limbs = draft.limbs
    most = max((len(limb.joints) for limb in limbs), default=0)
    foot = np.array([limb.foot for limb in limbs], int)
    return {
        "leg_name": [limb.name for limb in limbs],
        "leg_pair": np.array([limb.pair for limb in limbs], int),
        "leg_side": np.array([limb.side for limb in limbs], int),
        "leg_joint": stack(
            [limb.joints + [-1] * (most - len(limb.joints)) for limb in limbs], most
        ).astype(int),
        "foot_body": foot,
        "foot_link": np.array([draft.boxes[one].frame.link for one in foot], int),
        "foot_at": stack([limb.tip for limb in limbs], 3),
    }


def list_closures(draft: Draft, species: ArticulatedSpec) -> dict:
    """Closures of which no end was on a limb that is lost."""
    frames, kept = draft.frames, []
    for one in species.closures:
        if one.link in frames and (one.to is None or one.to in frames):
            kept.append((one, frames[one.link], Frame() if one.to is None else frames[one.to]))
    springs = [
        [one.stiffness, one.damping, inf if one.breaks is None else one.breaks]
        for one, _, _ in kept
    ]
    return {
        "closure_name": [one.name for one, _, _ in kept],
        "closure_link": np.array([frame.link for _, frame, _ in kept], int),
        "closure_at": stack([frame.move(np.array(one.at)) for one, frame, _ in kept], 3),
        "closure_to": np.array([frame.link for _, _, frame in kept], int),
        "closure_to_at": stack([frame.move(np.array(one.to_at)) for one, _, frame in kept], 3),
        "closure_spring": stack(springs, 3),
    }


def measure_trunk(draft: Draft, rest_q: np.ndarray) -> float:
    """Length of the trunk at rest along x, cm: corner to corner of its boxes."""
    origin, axes = pose_links(draft.links, rest_q)
    ends = []
    for box in draft.boxes:
        if box.leg < 0:
            link, place, turn = box.frame.link, box.frame.move(box.middle), box.frame.turn
            if link >= 0:
                place, turn = origin[link] + axes[link] @ place, axes[link] @ turn
            half = np.abs(turn[0]) @ box.size / 2
            ends += [place[0] - half, place[0] + half]
    return float(max(ends) - min(ends))


def stack(rows: list, width: int) -> np.ndarray:
    """Rows as an array [row, width], also where there are none."""
    return np.array(rows, float).reshape(len(rows), width)


def find_parents(body_link: np.ndarray, parent: np.ndarray) -> np.ndarray:
    """The box that each hangs on [body]: the first on the nearest link below that carries one."""
    first = {int(link): body for body, link in reversed(list(enumerate(body_link)))}
    found = np.full(len(body_link), -1, np.int64)
    for body, link in enumerate(body_link):
        if first[int(link)] != body:
            found[body] = first[int(link)]
            continue
        at = parent[link] if link >= 0 else -1
        while at >= 0 and int(at) not in first:
            at = parent[at]
        found[body] = first.get(int(at), -1) if link >= 0 else -1
    return found
