"""Trees of links against Pinocchio and MuJoCo, and against closed forms."""

from functools import cache

import numpy as np
import pinocchio as pin
import pytest

from linkages import make_link, random_case, random_inertia, random_links, random_turn, random_unit
from skitter.bench.peers import Case, Mujoco, Pinocchio
from skitter.rigid.tree.model import Link, build_tree
from skitter.rotation import quaternion_to_matrix

BLOCKS, BLOCK = 20, 50  # 1,000 trees
CLOSE = 1e-9  # of the largest acceleration
GRAVITY = 981.0


def accelerate(case: Case) -> np.ndarray:
    return build_tree(case.links).accelerate(
        case.q, case.v, case.torque, gravity=case.gravity, force=case.force
    )


def differ(found: np.ndarray, true: np.ndarray) -> float:
    assert found.shape == true.shape
    return abs(found - true).max() / abs(true).max()


@cache
def make_case(seed: int, *, with_all: bool = True) -> Case:
    rng = np.random.default_rng(seed)
    return random_case(rng, random_links(rng, int(rng.integers(1, 61)), with_all=with_all))


@pytest.mark.parametrize("block", range(BLOCKS))
def test_accelerations_are_those_of_pinocchio_and_mujoco(block):
    """1 to 60 degrees of freedom; every other tree is one that MuJoCo has the joints for."""
    for seed in range(block * BLOCK, (block + 1) * BLOCK):
        both = seed % 2 == 0
        case = make_case(seed, with_all=not both)
        found = accelerate(case)
        assert differ(found, Pinocchio(case.links, case.gravity).accelerate(case)) < CLOSE, seed
        if both:
            assert differ(found, Mujoco(case.links, case.gravity).accelerate(case)) < CLOSE, seed


def test_the_random_trees_have_everything():
    """Sizes from one to sixty, every joint at the root and elsewhere, branches, massless links."""
    cases = [make_case(seed, with_all=seed % 2 == 1) for seed in range(BLOCKS * BLOCK)]
    assert {len(case.v) for case in cases} == set(range(1, 61))
    joints = {(link.joint, link.parent < 0) for case in cases for link in case.links}
    kinds = ("revolute", "prismatic", "screw", "ball")
    assert joints == {(kind, root) for kind in kinds for root in (True, False)} | {("free", True)}
    assert any(len({link.parent for link in case.links}) < len(case.links) / 2 for case in cases)
    assert sum(link.mass == 0 for case in cases for link in case.links) > 100
    assert 300 < sum(case.force.any() for case in cases) < 700


@pytest.mark.parametrize("seed", range(40))
def test_places_energies_and_momenta_are_those_of_pinocchio(seed):
    case = make_case(seed)
    tree, true = build_tree(case.links), Pinocchio(case.links, case.gravity)
    q, v, model, data = true.give_places(case.q), true.swap(case.v), true.model, true.data
    momentum = pin.computeCentroidalMomentum(model, data, q, v)
    centre = pin.centerOfMass(model, data, q)
    origin, axes = tree.place_links(case.q)
    assert origin == pytest.approx(np.array([one.translation for one in data.oMi[1:]]), abs=1e-10)
    assert axes == pytest.approx(np.array([one.rotation for one in data.oMi[1:]]), abs=1e-12)
    kinetic = pin.computeKineticEnergy(model, data, q, v)
    assert tree.kinetic_energy(case.q, case.v) == pytest.approx(kinetic, rel=1e-12)
    potential = pin.computePotentialEnergy(model, data, q)
    assert tree.potential_energy(case.q, case.gravity) == pytest.approx(potential, rel=1e-10)
    linear, angular = tree.momentum(case.q, case.v)
    about = momentum.angular + np.cross(centre, momentum.linear)
    assert differ(linear, momentum.linear) < 1e-11
    assert differ(angular, about) < 1e-11


@pytest.mark.parametrize("seed", range(20))
def test_moving_along_v_moves_links_as_fast_as_pinocchio_says(seed):
    """The slope of the places of all links, by central differences."""
    case, h = make_case(seed), 1e-6
    tree, true = build_tree(case.links), Pinocchio(case.links, case.gravity)
    pin.forwardKinematics(true.model, true.data, true.give_places(case.q), true.swap(case.v))
    after, before = (tree.place_links(tree.integrate(case.q, case.v, s)) for s in (h, -h))
    for link in range(len(case.links)):
        motion = pin.getVelocity(true.model, true.data, link + 1, pin.LOCAL_WORLD_ALIGNED)
        axes = true.data.oMi[link + 1].rotation
        scale = 1 + np.linalg.norm(motion.vector)
        velocity = (after[0][link] - before[0][link]) / (2 * h)
        assert velocity == pytest.approx(motion.linear, abs=1e-6 * scale)
        turning = (after[1][link] - before[1][link]) / (2 * h)
        assert turning == pytest.approx(np.cross(motion.angular, axes.T).T, abs=1e-6 * scale)


@pytest.mark.parametrize("seconds", [0.003, 0.3])
def test_a_ball_turns_by_the_exponential(seconds):
    rng = np.random.default_rng(1)
    tree = build_tree([make_link(-1, "ball", mass=1, inertia=np.eye(3))])
    q, v = random_unit(rng, 4), 10 * rng.normal(size=3)
    true = quaternion_to_matrix(q) @ pin.exp3(v * seconds)
    assert quaternion_to_matrix(tree.integrate(q, v, seconds)) == pytest.approx(true, abs=1e-12)


# --- screws


def make_nut(rng: np.random.Generator) -> tuple[Link, np.ndarray]:
    """A body somewhere on a screw that points anywhere, and the screw's direction."""
    link = make_link(
        -1, "screw", place=rng.normal(size=3), turn=random_turn(rng), axis=random_unit(rng),
        pitch=rng.normal(), mass=2.0, centre=rng.normal(size=3), inertia=random_inertia(rng, 2.0),
    )  # fmt: skip
    return link, link.turn @ link.axis


def test_a_nut_on_an_upright_screw():
    """(I + m h²) q'' = torque - m g h: it cannot fall without turning."""
    mass, inertia, pitch, torque = 3.0, 0.7, 0.4, 500.0
    nut = make_link(
        -1, "screw", axis=[0, 1, 0], pitch=pitch, mass=mass, inertia=np.diag([1, inertia, 1])
    )
    found = build_tree([nut]).accelerate([0.3], [20.0], [torque])
    true = (torque - mass * GRAVITY * pitch) / (inertia + mass * pitch**2)
    assert found == pytest.approx([true], rel=1e-12)


@pytest.mark.parametrize("seed", range(20))
def test_a_lopsided_nut_on_any_screw(seed):
    """With T = J q'²/2, J = I + m d² + m h² constant, and V = -m g.(h q a + R(q) d), where d goes
    from the axis a to the centre of mass: J q'' = torque + m g.(h a + a x R d), whatever q'."""
    rng = np.random.default_rng(seed)
    link, axis = make_nut(rng)
    q, v, torque, gravity = *rng.normal(size=3), GRAVITY * random_unit(rng)
    along = link.axis * (link.axis @ link.centre)
    d = link.centre - along
    inertia = link.axis @ link.inertia @ link.axis + link.mass * (d @ d + link.pitch**2)
    arm = np.cross(axis, pin.exp3(q * axis) @ link.turn @ d)
    true = (torque + link.mass * gravity @ (link.pitch * axis + arm)) / inertia
    found = build_tree([link]).accelerate([q], [30 * v], [torque], gravity=gravity)
    assert found == pytest.approx([true], rel=1e-10)


def test_two_screws_of_one_axis_and_opposite_pitch():
    """A nut on a nut: turned by q1 and q1 + q2, moved by h (q1 - q2). From Lagrange, by hand."""
    (m1, i1), (m2, i2), h = (1.0, 0.5), (2.0, 0.3), 0.6
    links = [
        make_link(-1, "screw", axis=[0, 1, 0], pitch=h, mass=m1, inertia=i1 * np.eye(3)),
        make_link(0, "screw", axis=[0, 1, 0], pitch=-h, mass=m2, inertia=i2 * np.eye(3)),
    ]
    torque = np.array([100.0, -70.0])
    mass = np.array(
        [
            [i1 + i2 + (m1 + m2) * h * h, i2 - m2 * h * h],
            [i2 - m2 * h * h, i2 + m2 * h * h],
        ]
    )
    weight = GRAVITY * h * np.array([m1 + m2, -m2])
    found = build_tree(links).accelerate([0.4, -0.9], [5.0, 7.0], torque)
    assert found == pytest.approx(np.linalg.solve(mass, torque - weight), rel=1e-12)


# --- joints of several degrees of freedom: rows of massless links, the last with the mass


def put_joints(rng: np.random.Generator, joints: list[tuple[str, list[float]]]) -> Case:
    """A body on a row of joints at one place, a heavy arm before it and one behind it."""
    arm = random_links(rng, 1, with_all=False)[0]
    body = dict(mass=1.3, centre=rng.normal(size=3), inertia=random_inertia(rng, 1.3))
    place = dict(place=rng.normal(size=3), turn=random_turn(rng))
    links = [arm]
    for number, (joint, axis) in enumerate(joints):
        more = (place if number == 0 else {}) | (body if number == len(joints) - 1 else {})
        links.append(make_link(len(links) - 1, joint, axis=axis, **more))
    last = random_links(rng, 1, with_all=False)[0]
    links.append(Link(**(vars(last) | {"parent": len(links) - 1})))
    case = random_case(rng, links)
    massless = [link.mass == 0 for link in links]
    case.force[massless] = 0
    return case


def build_with(case: Case, joint: pin.JointModel) -> pin.Model:
    """The same in Pinocchio, with one joint in place of the row."""
    model, (first, *_, body, last) = pin.Model(), case.links
    model.gravity.linear = case.gravity
    for link, parent, kind in (
        (first, 0, Pinocchio([first], case.gravity).model.joints[1]),
        (body, 1, joint),
        (last, 2, Pinocchio([Link(**(vars(last) | {"parent": -1}))], case.gravity).model.joints[1]),
    ):
        at = case.links[1] if link is body else link
        number = model.addJoint(parent, kind, pin.SE3(at.turn, at.place), f"{parent}")
        inertia = pin.Inertia(link.mass, link.centre, link.inertia)
        model.appendBodyToJoint(number, inertia, pin.SE3.Identity())
    return model


def ask(model: pin.Model, case: Case, q: np.ndarray, v: np.ndarray, tau: np.ndarray) -> np.ndarray:
    forces = pin.StdVec_Force()
    forces.append(pin.Force.Zero())
    for row in case.force[[0, -2, -1]]:
        forces.append(pin.Force(row[3:], row[:3]))
    return pin.aba(model, model.createData(), q, v, tau, forces)


X, Y, Z = np.eye(3)


def compose(*joints: pin.JointModel) -> pin.JointModelComposite:
    whole = pin.JointModelComposite()
    for joint in joints:
        whole.addJoint(joint)
    return whole


@pytest.mark.parametrize("seed", range(10))
@pytest.mark.parametrize(
    ("row", "joint"),
    [
        ([("revolute", X), ("revolute", Z)], pin.JointModelUniversal(X, Z)),
        ([("revolute", Y), ("prismatic", Y)], compose(pin.JointModelRY(), pin.JointModelPY())),
        (
            [("revolute", Z), ("revolute", Y), ("revolute", X)],
            pin.JointModelSphericalZYX(),
        ),
        (
            [("prismatic", X), ("prismatic", Y), ("revolute", Z)],
            compose(pin.JointModelPX(), pin.JointModelPY(), pin.JointModelRZ()),
        ),
        ([("prismatic", X), ("prismatic", Y), ("prismatic", Z)], pin.JointModelTranslation()),
    ],
    ids=["universal", "cylindrical", "gimbal", "planar", "translation"],
)
def test_rows_of_massless_links_are_joints_of_many_degrees(row, joint, seed):
    case = put_joints(np.random.default_rng(seed), row)
    found = accelerate(case)
    assert differ(found, ask(build_with(case, joint), case, case.q, case.v, case.torque)) < CLOSE
    assert differ(found, Mujoco(case.links, case.gravity).accelerate(case)) < CLOSE


@pytest.mark.parametrize("seed", range(10))
def test_a_planar_joint_by_its_own_axes(seed):
    """Pinocchio has its velocity in the axes of what moves, we in those of the plane."""
    row = [("prismatic", X), ("prismatic", Y), ("revolute", Z)]
    case = put_joints(np.random.default_rng(seed), row)
    x, y, angle = case.q[1:4]
    c, s, spin = np.cos(angle), np.sin(angle), case.v[3]
    turn = np.eye(5)
    turn[1:3, 1:3] = [[c, -s], [s, c]]
    q, v = np.array([case.q[0], x, y, c, s, case.q[4]]), turn.T @ case.v
    model = build_with(case, pin.JointModelPlanar())
    own = ask(model, case, q, v, turn.T @ case.torque)
    own[1:3] += spin * np.array([-v[2], v[1]])
    assert differ(accelerate(case), turn @ own) < CLOSE
