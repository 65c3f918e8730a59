"""Every myriapod of the library can stand, keeps step, and is stable at the usual time step."""

from dataclasses import dataclass
from math import atan2, ceil, cos, hypot, pi, radians, sin

import pytest

from skitter.control.build import FOLLOWER_SPEED
from skitter.creatures.plan import build_plan
from skitter.creatures.stability import check_time_step
from skitter.scene.load import Scene, load_scene
from skitter.species.myriapod import MyriapodSpec
from skitter.start.step_limit import STABLE, check_step_limit, measure_growth

STEP = 1 / 3000  # s
GRAVITY = 981.0  # cm/s²
# At 3/4 of the longest stable step the growth, quadratic in the step, is at most 9/16 of what is
# stable; a little more is let through, as damping adds a linear part.
GROWTH_LIMIT = 0.6 * STABLE


@dataclass(frozen=True)
class Expected:
    """What a species promises, from its sources or by its design."""

    segments: int
    length: tuple[float, float]  # cm
    speed: tuple[float, float]  # body lengths/s
    duty: tuple[float, float]
    lag: tuple[float, float]  # of a cycle, between neighbours
    wave: str = "backward"


EXPECTED = {
    "giant_centipede": Expected(19, (20, 25), (0.2, 0.5), (0.6, 0.7), (0.09, 0.12)),
    "millipede": Expected(58, (25, 38.5), (0.03, 0.1), (0.7, 0.8), (0.045, 0.075), "forward"),
    "robot": Expected(12, (25, 40), (0.1, 0.4), (0.6, 0.7), (0.15, 0.18)),
    "centipede18": Expected(18, (20, 30), (0.15, 0.4), (0.6, 0.7), (0.09, 0.12)),
    "house_centipede": Expected(15, (2.5, 3.5), (4, 11), (0.5, 0.56), (0.12, 0.16)),
    "pauropod": Expected(9, (2.5, 10), (0.3, 1), (0.6, 0.7), (0.12, 0.16)),
}
NAMES = pytest.mark.parametrize("name", EXPECTED)


def place(name: str, **changes) -> Scene:
    return load_scene({"title": "t", "creatures": [{"species": name, "with": changes}]})


def load(name: str, **changes) -> MyriapodSpec:
    species = place(name, **changes).species[0]
    assert isinstance(species, MyriapodSpec)
    return species


def measure_length(species: MyriapodSpec) -> float:
    """Tip of the head to tip of the tail, cm, added up by hand."""
    rigid = species.segments * species.segment.size[0] + species.head.size[0] + species.tail.size[0]
    return rigid + (species.segments + 1) * species.joint.length


def measure_period(species: MyriapodSpec) -> tuple[float, float]:
    """Times that a foot stands and swings, s, of the pair that leads the wave."""
    scale = species.leg.scale[0 if species.leg.wave == "backward" else 1]
    return species.leg.stride(scale) / species.walk.speed, species.leg.swing


@NAMES
def test_the_body_has_its_size(name):
    species, expected = load(name), EXPECTED[name]
    assert species.segments == expected.segments
    assert species.leg.wave == expected.wave
    assert len(species.source) > 60
    length = measure_length(species)
    plan = build_plan(species)
    assert plan.rigid[0].centre[0] - plan.rigid[-1].centre[0] == pytest.approx(
        length - (species.head.size[0] + species.tail.size[0]) / 2
    )
    assert expected.length[0] <= length <= expected.length[1]
    assert expected.speed[0] <= species.walk.speed / length <= expected.speed[1]


@NAMES
def test_most_feet_stand(name):
    stance, swing = measure_period(load(name))
    duty = stance / (stance + swing)
    assert EXPECTED[name].duty[0] <= duty <= EXPECTED[name].duty[1]
    assert 0.5 <= duty <= 0.8


@NAMES
def test_neighbours_follow_each_other(name):
    """A leg leaves the ADJUST pose when its neighbour lands; the rest of its swing is the lag."""
    species = load(name)
    leg, (stance, swing) = species.leg, measure_period(species)
    assert leg.back_deg < leg.adjust_deg < leg.front_deg
    share = (leg.front_deg - leg.adjust_deg) / (leg.front_deg - leg.back_deg)
    left = swing * share / FOLLOWER_SPEED
    assert EXPECTED[name].lag[0] <= left / (stance + swing) <= EXPECTED[name].lag[1]


@NAMES
def test_no_more_than_four_segments_in_a_row_swing(name):
    leg = load(name).leg
    assert FOLLOWER_SPEED * (leg.front_deg - leg.back_deg) / (leg.front_deg - leg.adjust_deg) <= 4.2


@NAMES
def test_a_foot_reaches_the_ground_with_the_knee_up(name):
    species = load(name)
    for number in range(species.segments):
        scale, leg = species.leg_scale_of(number), species.leg
        side = leg.foot * leg.length * scale * cos(radians(leg.front_deg))  # the foot's line
        down = species.root_height(number)
        for theta in (leg.back_deg, 0.0, leg.front_deg):
            check_reach(species, scale, side / cos(radians(theta)), down)


def check_reach(species: MyriapodSpec, scale: float, out: float, down: float) -> None:
    """The pose, link by link, ends at the foot: the links are added up here once more."""
    solved = species.leg.shape(scale).bend_to(out, -down)
    assert solved is not None
    alpha, beta = solved
    assert 0 < alpha < pi / 2  # the knee is above the root
    assert 0 < beta < radians(130)
    slopes = alpha, alpha - beta, alpha - beta - radians(species.leg.ankle_deg)
    links = [scale * link for link in species.leg.links]
    x = sum(link * cos(slope) for link, slope in zip(links, slopes, strict=True))
    y = sum(link * sin(slope) for link, slope in zip(links, slopes, strict=True))
    assert (x, y) == pytest.approx((out, -down))
    assert -pi / 2 - 0.5 < atan2(y, x) < 0
    assert hypot(x, y) < 0.97 * sum(links)


@NAMES
def test_the_belly_is_off_the_ground_and_the_foot_beside_the_body(name):
    species = load(name)
    assert species.walk.height > 0.55 * species.segment.size[1]
    assert 0.55 <= species.leg.foot <= 0.75


@NAMES
def test_turning_and_smelling_suit_the_length(name):
    species = load(name)
    length, walk = measure_length(species), species.walk
    assert 0.24 <= walk.speed / radians(walk.turn_deg) / length <= 0.35
    assert 1.8 <= walk.food_threshold**-0.5 / length <= 2.2  # a food of strength 1
    assert 10 <= species.antenna.links <= 17


@NAMES
def test_soft_blocks_keep_a_quarter_of_the_longest_step_in_hand(name):
    scene = place(name)
    check_time_step(scene)
    check_step_limit(scene)
    species = load(name)
    soft = build_plan(species).soft
    for block in (soft[0], soft[1], soft[len(soft) // 2], soft[-2], soft[-1]):
        assert measure_growth(block, species.material, STEP) < GROWTH_LIMIT


@NAMES
def test_a_swinging_run_of_segments_hardly_sags(name):
    """A beam held at both ends: bending q L^4 / 384 EI and shear q L^2 / 8 kGA. Only the soft part
    of its length gives way."""
    species = load(name)
    leg, material, joint = species.leg, species.material, species.joint
    share = (leg.front_deg - leg.adjust_deg) / (leg.front_deg - leg.back_deg)
    run = ceil(FOLLOWER_SPEED / share - 0.3)
    pitch = species.segment.size[0] + joint.length
    length, height = run * pitch + joint.length, 0.9 * species.segment.size[1]
    weight = GRAVITY * species.segment.density / 0.9**2  # a block is 0.9 as high and wide
    young = material.young * pitch / joint.length
    shear = young / (2 * (1 + material.poisson))
    sag = weight * length**4 / (384 * young * height**2 / 12) + weight * length**2 / (
        8 * 5 / 6 * shear
    )
    assert sag < 0.1 * leg.length


@pytest.mark.parametrize("segments", [3, 4, 57, 200])
def test_any_number_of_segments(segments):
    scene = place("centipede18", segments=segments)
    species = scene.species[0]
    plan = build_plan(species)
    assert len(plan.rigid) == segments + 2
    assert len(plan.soft) == segments + 1
    assert {block.cells for block in plan.soft} == {(2, 2, 2)}
    assert {len(block.nodes) for block in plan.soft} == {27}
    assert sorted((block.start, block.end) for block in plan.soft) == [
        (number, number + 1) for number in range(segments + 1)
    ]
    check_time_step(scene)
    check_step_limit(scene)
