"""Random trees of links, and states for them: what the judges of the dynamics are given."""

import numpy as np

from skitter.bench.peers import SIZES, Case, matrix
from skitter.rigid.tree.model import Link


def count_freedom(joint: str) -> int:
    return SIZES.get(joint, (1, 1))[1]


def make_link(parent: int, joint: str, **more) -> Link:
    """A link; what is not said is nothing, or the identity."""
    plain = dict(
        place=np.zeros(3), turn=np.eye(3), axis=np.array([0.0, 0.0, 1.0]), pitch=0.0,
        mass=0.0, centre=np.zeros(3), inertia=np.zeros((3, 3)),
    )  # fmt: skip
    given = {k: np.asarray(x, float) if np.ndim(x) else float(x) for k, x in more.items()}
    return Link(parent=parent, joint=joint, **(plain | given))  # type: ignore[arg-type]


def random_unit(rng: np.random.Generator, size: int = 3) -> np.ndarray:
    x = rng.normal(size=size)
    return x / np.linalg.norm(x)


def random_turn(rng: np.random.Generator) -> np.ndarray:
    return matrix(random_unit(rng, 4))


def random_inertia(rng: np.random.Generator, mass: float) -> np.ndarray:
    """Of a cloud of points, so that a body exists that has it; up to ten times longer than wide."""
    turn, spread = random_turn(rng), mass * 100 ** rng.uniform(-1, 0, 3)
    return spread.sum() * np.eye(3) - turn * spread @ turn.T


def random_link(rng: np.random.Generator, parent: int, joint: str, massless: bool = False) -> Link:
    mass = 0.0 if massless else 10 ** rng.uniform(-1, 1)
    return make_link(
        parent, joint, place=rng.normal(size=3), turn=random_turn(rng), axis=random_unit(rng),
        pitch=rng.normal() if joint == "screw" else 0.0, mass=mass,
        centre=np.zeros(3) if massless else 0.5 * rng.normal(size=3),
        inertia=np.zeros((3, 3)) if massless else random_inertia(rng, mass),
    )  # fmt: skip


def choose_joint(rng: np.random.Generator, freedom: int, *, root: bool, screws: bool) -> str:
    """A joint that fits what is left of the freedom; free links are mostly the first."""
    chances = {"revolute": 0.5, "prismatic": 0.2, "ball": 0.15, "free": 0.4 if root else 0.03}
    chances |= {"screw": 0.3} if screws else {}
    fitting = [joint for joint in chances if count_freedom(joint) <= freedom]
    chance = np.array([chances[joint] for joint in fitting])
    return fitting[rng.choice(len(fitting), p=chance / chance.sum())]


def random_links(rng: np.random.Generator, freedom: int, *, with_all: bool) -> list[Link]:
    """A forest, from a bush to a chain, of so many degrees of freedom. `with_all` adds what MuJoCo
    lacks: screws, and massless links that carry one with mass."""
    links: list[Link] = []
    straight = rng.uniform()
    while freedom > 0:
        parent = len(links) - 1 if rng.uniform() < straight else int(rng.integers(-1, len(links)))
        joint = choose_joint(rng, freedom, root=not links, screws=with_all)
        freedom -= count_freedom(joint)
        if joint == "free":
            parent = -1
        elif parent >= 0 and not links[parent].mass:
            parent = links[parent].parent  # one body must not have more freedom than space has
        single = joint != "ball" and joint != "free"
        massless = with_all and single and freedom > 0 and rng.uniform() < 0.15
        links.append(random_link(rng, parent, joint, massless))
        if massless:
            links.append(random_link(rng, len(links) - 1, "revolute"))
            freedom -= 1
    return links


def random_place(rng: np.random.Generator, joint: str) -> np.ndarray:
    """The coordinates of one joint."""
    if joint == "ball":
        return random_unit(rng, 4)
    if joint == "free":
        return np.concatenate([rng.normal(size=3), random_unit(rng, 4)])
    return rng.uniform(-3, 3, 1)


def random_case(rng: np.random.Generator, links: list[Link]) -> Case:
    """Some turns a second, torques and forces as large as gravity's."""
    freedom = sum(count_freedom(link.joint) for link in links)
    return Case(
        links=links,
        q=np.concatenate([random_place(rng, link.joint) for link in links]),
        v=10 * rng.normal(size=freedom),
        torque=1000 * rng.normal(size=freedom),
        force=1000 * rng.normal(size=(len(links), 6)) * (rng.uniform() < 0.5),
        gravity=981 * random_unit(rng),
    )
