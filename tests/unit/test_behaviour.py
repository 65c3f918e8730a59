"""What hunters, prey and foragers decide, on cases worked by hand; and mistakes in their keys."""

import numpy as np
import pytest

from skitter.control import defending, foraging, hunting
from skitter.control.behaviour import (
    BEHAVIOURS,
    BITE,
    CHASE,
    COIL,
    COILED,
    EAT,
    FETCH,
    FLEE,
    FOLLOW,
    FREE,
    HOME,
    PROBE,
    SEARCH,
    UNCOIL,
    Shown,
)
from skitter.control.foraging import Forager
from skitter.errors import UserError
from skitter.measure import behaviour as measures
from skitter.scene.load import load_scene
from skitter.scene.trails import NestSpec, TrailsSpec
from skitter.species.behaviour import DefendSpec, ForageSpec, HuntSpec
from skitter.trails import Trails

FRAME = 1 / 60
SPEC = HuntSpec(prey=["snail"], range=20.0, bite_time=0.5, probe_time=2.0, stamina=6.0)
HEADING, UP = np.array([1.0, 0, 0]), np.array([0, 1.0, 0])


def show(name, at, *, breed="snail", **more) -> Shown:
    return Shown(name, breed, np.array([[*at, 0.5]], float), **more)


def hunt(memory, shown, now, mouth=(0.0, 0.0, 0.0)):
    return hunting.hunt(SPEC, memory, np.array(mouth), 0.3, 9.0, shown, now, FRAME)


def test_it_runs_after_the_nearest_prey_that_lives():
    memory = np.zeros(hunting.HUNT_ITEMS)
    shown = [
        show("far", (15, 0, 0)),
        show("dead", (2, 0, 0), is_alive=False),
        show("stone", (3, 0, 0), breed="stone"),
        show("near", (0, 0, 8)),
    ]
    aim = hunt(memory, shown, 0.0)
    assert aim.goal.tolist() == [0, 0, 8] and aim.speed == 9
    assert memory[hunting.MODE] == CHASE and memory[hunting.CHASES] == 1
    # it stays with it, though another comes nearer
    aim = hunt(memory, [*shown, show("new", (1, 0, 0))], 0.1)
    assert aim.goal.tolist() == [0, 0, 8] and memory[hunting.CHASES] == 1


def test_it_smells_no_farther_than_its_range():
    memory = np.zeros(hunting.HUNT_ITEMS)
    assert hunt(memory, [show("far", (20.6, 0, 0))], 0.0) is None  # its skin is 20.1 cm away
    assert hunt(memory, [show("far", (20.4, 0, 0))], 0.0) is not None


def test_jaws_must_hold_on():
    memory, soft = np.zeros(hunting.HUNT_ITEMS), [show("soft", (0.7, 0, 0))]
    for frame in range(30):
        assert not hunting.has_bitten(SPEC, memory)
        assert hunt(memory, soft, frame * FRAME).speed == 0
    hunt(memory, soft, 30 * FRAME)
    assert memory[hunting.MODE] == BITE and hunting.has_bitten(SPEC, memory)
    hunting.start_meal(memory, 0.5)
    assert memory[hunting.MODE] == EAT and memory[hunting.CATCHES] == 1
    assert hunt(memory, soft, 8.0).speed == 0  # a meal lasts 8 s
    assert hunt(memory, soft, 8.6) is None and memory[hunting.MODE] == FREE  # and it is sated


def test_of_what_is_hard_it_lets_go_and_looks_for_another():
    memory = np.zeros(hunting.HUNT_ITEMS)
    hard = show("hard", (0.7, 0, 0), is_hard=True)
    assert hunt(memory, [hard], 0.0) is not None and memory[hunting.MODE] == PROBE
    assert hunt(memory, [hard], 1.9) is not None
    assert not hunting.has_bitten(SPEC, memory)
    assert hunt(memory, [hard], 2.0) is None
    assert memory[hunting.ESCAPES] == 1
    assert hunt(memory, [hard], 2.1) is None  # left alone
    other = show("other", (5, 0, 0))
    assert hunt(memory, [hard, other], 2.2).goal.tolist() == [5, 0, 0]
    later = 2.0 + SPEC.forget_time + 0.1
    assert hunt(np.array([*memory]), [hard], later) is not None  # and forgotten


def test_a_chase_ends_when_it_takes_too_long_or_the_smell_is_gone():
    memory = np.zeros(hunting.HUNT_ITEMS)
    assert hunt(memory, [show("fast", (9, 0, 0))], 0.0) is not None
    assert hunt(memory, [show("fast", (9, 0, 0))], 6.1) is None
    assert memory[hunting.ESCAPES] == 1
    assert hunt(memory, [show("other", (9, 0, 0))], 7.0) is not None
    assert hunt(memory, [show("other", (30, 0, 0))], 7.1) is None
    assert memory[hunting.ESCAPES] == 2 and memory[hunting.CHASES] == 2


def alarm(spec, gaps, step=0.1):
    """Modes of one that has danger at some distances, one after the other."""
    memory, rng = np.zeros(defending.DEFEND_ITEMS), np.random.default_rng(1)
    memory[defending.REACT_AT] = -1.0
    modes = []
    for number, gap in enumerate(gaps):
        defending.defend(spec, memory, gap, number * step, rng)
        modes.append(int(memory[defending.MODE]))
    return modes


def test_prey_coils_after_its_reaction_and_uncoils_when_danger_has_gone():
    spec = DefendSpec(coil_range=5, reaction=(0.3, 0.3), wind_time=0.5, calm_time=1.0)
    modes = alarm(spec, [9.0] * 3 + [4.0] * 12 + [9.0] * 40)
    assert modes[:6] == [FREE] * 6  # it has noticed at 0.3 s and reacts at 0.6 s
    assert modes[6:11] == [COIL] * 5
    assert modes[11:24] == [COILED] * 13  # danger was near until 1.4 s
    assert modes[24:34] == [UNCOIL] * 10  # 0.5 s to stretch, 0.5 s to stand up
    assert set(modes[34:]) == {FREE}


def test_a_touch_makes_the_reaction_the_shortest_one():
    slow = DefendSpec(coil_range=5, reaction=(0.2, 50.0))
    assert COIL not in alarm(slow, [4.0] * 20)
    assert COIL in alarm(slow, [0.0] * 5)


def test_prey_that_flees_coils_only_when_danger_is_nearer():
    spec = DefendSpec(flee_range=10, coil_range=3, reaction=(0, 0))
    assert alarm(spec, [11.0, 9.0, 5.0, 2.0, 2.0]) == [FREE, FLEE, FLEE, COIL, COIL]


def test_helpless_prey_does_nothing():
    spec = DefendSpec(flee_range=0, coil_range=0)
    assert set(alarm(spec, [5.0, 0.0, -0.5] * 10)) == {FREE}


def test_danger_is_who_hunts_ones_own_species():
    balls = np.array([[0, 0, 0, 1.0]])
    shown = [
        show("a", (4, 0, 0), prey=("worm",)),
        show("b", (9, 0, 0), prey=("snail",)),
        show("c", (6, 0, 0), prey=("snail",), is_alive=False),
    ]
    gap, where = defending.find_danger("snail", balls, shown)
    assert gap == pytest.approx(7.5) and where.tolist() == [9, 0, 0]


class Pantry:
    """Food, as things have it."""

    def __init__(self, *places):
        self.food = np.array([[*place, 0.1, 1.0] for place in places], float).reshape(-1, 5)
        self.left = np.ones(len(self.food), np.uint8)


def stand(at=(10.0, 0.0, 0.0), ahead=HEADING) -> Forager:
    place = np.array(at)
    aside = np.cross(UP, ahead)
    tips = np.array([place + ahead + 0.5 * aside, place + ahead - 0.5 * aside])
    return Forager(place, np.array(ahead), UP, tips, 5.0)


def forage(memory, one, *, trails=None, food=(), **more):
    spec = ForageSpec(**more)
    return foraging.forage(spec, memory, one, NestSpec(radius=2.0), Pantry(*food), trails)


def test_food_that_it_smells_comes_first_and_is_carried_home():
    memory = np.zeros(foraging.FORAGE_ITEMS)
    assert forage(memory, stand()) is None and memory[foraging.MODE] == SEARCH
    food = [(12.0, 0, 0), (30.0, 0, 0)]
    assert forage(memory, stand(), food=food).tolist() == [12, 0, 0]
    assert memory[foraging.MODE] == FETCH
    memory[foraging.CARRIES] = 1
    assert forage(memory, stand(), food=food).tolist() == [0, 0, 0]
    assert memory[foraging.MODE] == HOME
    forage(memory, stand((1.0, 0, 0)))
    assert memory[foraging.BROUGHT] == 1 and not memory[foraging.CARRIES]


def test_on_a_trail_it_turns_to_the_stronger_side():
    trails = Trails(TrailsSpec(cell=0.25))
    for x in np.arange(5, 15, 0.1):
        trails.lay(np.array([x, 0, -0.5]), 1.0)  # on its left
    memory = np.zeros(foraging.FORAGE_ITEMS)
    goal = forage(memory, stand(), trails=trails)
    assert memory[foraging.MODE] == FOLLOW
    assert goal[0] > 10 and goal[2] < -1
    mirrored = Trails(TrailsSpec(cell=0.25))
    mirrored.amount[:] = trails.amount[:, ::-1]
    other = forage(memory, stand(), trails=mirrored)
    assert other == pytest.approx(goal * [1, 1, -1])


def test_one_that_faces_the_nest_on_a_trail_turns_round():
    trails = Trails(TrailsSpec(cell=0.25))
    for x in np.arange(5, 15, 0.1):
        for z in (-0.5, 0.5):
            trails.lay(np.array([x, 0, z]), 1.0)
    memory = np.zeros(foraging.FORAGE_ITEMS)
    assert forage(memory, stand(ahead=-HEADING), trails=trails)[0] > 10


def test_it_turns_back_from_beyond_its_range():
    memory = np.zeros(foraging.FORAGE_ITEMS)
    assert forage(memory, stand((61.0, 0, 0))).tolist() == [0, 0, 0]
    assert forage(memory, stand((59.0, 0, 0))) is None


def test_measures_know_the_behaviours_by_their_names():
    assert measures.BEHAVIOURS == BEHAVIOURS


PLANE = [{"shape": "plane"}]
MILLIPEDE, HUNTER = {"species": "millipede"}, {"species": "giant_centipede", "at": [0, 1, 40]}
MISTAKES = [
    ({"creatures": [{**MILLIPEDE, "with": {"defend": {"coil_rang": 3}}}]}, "coil_rang is not a kn"),
    ({"creatures": [{**MILLIPEDE, "with": {"defend": {"reaction": [2, 1]}}}]}, "low and a high"),
    ({"creatures": [{**MILLIPEDE, "with": {"defend": {"tightness": 2}}}]}, "at most 0.9; found 2"),
    ({"creatures": [{**HUNTER, "with": {"hunt": {"prey": []}}}]}, "hunt.prey must"),
    ({"creatures": [{**HUNTER, "with": {"hunt": {"speed": 900}}}]}, "its legs can follow at most"),
    (
        {"creatures": [HUNTER, {"species": "ant"}]}
        | {"creatures": [{**HUNTER, "with": {"hunt": {"prey": ["ant"]}}}, {"species": "ant"}]},
        "is 'ant', of kind climber, which 'giant_centipede' hunts; valid prey: kind myriapod",
    ),
    ({"creatures": [{"species": "roach", "with": {"forage": {}}}]}, "forage is not a known key"),
    ({"creatures": [{"species": "ant", "with": {"hunt": {}}}]}, "hunt is not a known key"),
    ({"creatures": [MILLIPEDE], "nest": {}}, "nest is of no use: nobody here forages; valid: a"),
    ({"creatures": [{"species": "ant"}], "trails": {}}, "trails are of no use without a nest"),
    (
        {"creatures": [{"species": "ant"}], "nest": {}, "trails": {"cell": 30}},
        "trails has 3 x 3 cells; valid: from 4 to 1,000 each way",
    ),
    (
        {"creatures": [{"species": "ant"}], "nest": {}, "trails": {"half_life": 0}},
        "trails.half_life must be a number more than 0",
    ),
    (
        {
            "creatures": [
                {"species": "waterfall_centipede", "with": {"defend": {"coil_range": 3}}}
            ]
        },
        "swims and coils; valid: defend.coil_range: 0, or no swim",
    ),
]  # fmt: skip


@pytest.mark.parametrize("fields, line", MISTAKES)
def test_a_mistake_gives_one_line(fields, line):
    with pytest.raises(UserError) as caught:
        load_scene({"title": "t", "terrain": PLANE, **fields})
    assert line in str(caught.value) and "\n" not in str(caught.value)


def test_prey_that_says_nothing_of_defence_can_be_caught():
    hunter = {**HUNTER, "with": {"hunt": {"prey": ["pauropod"]}}}
    scene = load_scene({"title": "t", "creatures": [hunter, {"species": "pauropod"}]})
    assert scene.species[1].defend == DefendSpec(flee_range=0, coil_range=0)
    alone = load_scene({"title": "t", "creatures": [{"species": "pauropod"}]})
    assert alone.species[0].defend is None
