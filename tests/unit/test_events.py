"""What a person does to a running world: each event does what it says, or nothing at all."""

import numpy as np
import pytest

from skitter.control.walker import ADJUSTMENT, AVOIDANCE, CONTROL, STANCE
from skitter.creatures.numbers import NUMBERS
from skitter.errors import UserError
from skitter.events import (
    AddCreature,
    MoveThing,
    PlaceFood,
    PlaceObstacle,
    Poke,
    Release,
    RemoveCreature,
    RemoveThing,
    SetGravity,
    SetParameter,
    Steer,
)
from skitter.scene.load import Scene
from skitter.scene.spec import CreaturePlacement, CylinderTerrain
from skitter.world import World
from walkers import HILLS, PLANE

POST = {"shape": "cylinder", "at": [9.0, 1.0, 0.0], "radius": 1.0, "length": 4.0}
STONE = {"shape": "sphere", "at": [30.0, 0.0, 30.0], "radius": 2.0, "colour": "#123456"}
CHAIN = {"species": "chain", "at": [0, 3, 20]}


def build(species="pauropod", *, others=(), spare=4, seed=0, terrain=PLANE, scene=None, **fields):
    creatures = [{"species": species, "name": "one", **fields}, *others]
    tree = {"title": "t", "terrain": [terrain], "creatures": creatures, **(scene or {})}
    return World.from_scene(tree, seed=seed, threads=2, spare=spare)


def same(one: dict, other: dict) -> bool:
    return one.keys() == other.keys() and all(np.array_equal(one[k], other[k]) for k in one)


def facing(one) -> float:
    """Heading of the head, rad, positive to the left."""
    w, x, y, z = one.body_orientation[0].astype(float)
    return float(np.arctan2(2 * (w * y - x * z), 1 - 2 * (y * y + z * z)))


# mistakes

MISTAKES = [
    (PlaceFood(at=(0, 0)), "place food: at must be a list of 3 numbers"),
    (PlaceFood(at=(0, float("nan"), 0)), "place food: at[1] must be a number"),
    (PlaceFood(at=(0, 0, 0), radius=-1), "place food: radius must be a number from 0.0001 to"),
    (PlaceFood(at=(0, 0, 0), strength=0), "place food: strength must be a number more than 0"),
    (PlaceFood(at="here"), "place food: at must be a list of 3 numbers"),
    (PlaceObstacle({"shape": "torus"}), "shape must be one of box, sphere, cylinder; found the"),
    (PlaceObstacle(3), "place obstacle: shape must be one of box, sphere, cylinder; found 3"),
    (PlaceObstacle({**POST, "radius": np.inf}), "place obstacle: radius must be a number from"),
    (PlaceObstacle({"shape": "box", "at": [0, 0, 0]}), "place obstacle: size is missing"),
    (MoveThing("rock", 0, (0, 0, 0)), "move thing: kind must be one of food, obstacle; found 'ro"),
    (MoveThing("food", 3, (0, 0, 0)), "move food: no food has the index 3; valid: 0"),
    (MoveThing("food", 0, (0, 1e9, 0)), "move food: at[1] must be a number from -1,000,000 to"),
    (MoveThing("obstacle", True, (0, 0, 0)), "no obstacle has the index true; valid: 0"),
    (RemoveThing("obstacle", -1), "remove obstacle: no obstacle has the index -1; valid: 0"),
    (RemoveThing(None, 0), "remove thing: kind must be one of food, obstacle; found nothing"),
    (Steer("nobody", 1, 0), "steer: there is no creature 'nobody'; valid: one, chain"),
    (Steer("on", 1, 0), "steer: there is no creature 'on'; did you mean 'one'? valid: one, chain"),
    (Steer("chain", 1, 0), "steer: 'chain' neither walks nor swims; valid: one"),
    (Steer("one", -1, 0), "steer: speed must be a number from 0 to 10,000; found -1"),
    (Steer("one", 1, float("inf")), "steer: turn must be a number from -100 to 100; found inf"),
    (Steer("one", "fast", 0), "steer: speed must be a number from 0 to 10,000; found the text"),
    (Release("two"), "release: there is no creature 'two'; valid: one, chain"),
    (Poke("two", (0, 0, 0), (0, 0, 1)), "poke: there is no creature 'two'; valid: one, chain"),
    (Poke("one", (0, 0, 0), (0, 0, 1e3)), "poke: velocity[2] must be a number from -200 to 200"),
    (AddCreature({"species": "dragon"}), "add creature: species: "),
    (AddCreature({"species": "chain", "velocity": [1]}), "add creature: velocity must be a list"),
    (AddCreature({"species": "chain", "at": [0, -9, 0]}), "at puts part 'segment_1' of 'chain_2'"),
    (AddCreature({"species": "chain", "at": [0, 5, 0], "commands": [{}]}), "commands are for"),
    (AddCreature({"species": "chain", "size": 3}), "add creature: size is not a known key"),
    (AddCreature({**CHAIN, "held": ["nose"]}), "'chain_2' has no part 'nose' to be held"),
    (AddCreature(None), "add creature: must be a mapping with the keys species, name"),
    (
        AddCreature({"species": "chain", "at": [0, 5, 0], "velocity_noise": 1e4}),
        "add creature: velocity_noise of 1e+04 cm/s makes 'chain_2' fly apart",
    ),
    (RemoveCreature("two"), "remove creature: there is no creature 'two'; valid: one, chain"),
    (
        SetParameter("chain", "walk.speed", 1),
        "set parameter: 'chain' has no numbers that can be set; valid: one",
    ),
    (SetParameter("one", "walk.sped", 1), "'walk.sped' cannot be set; did you mean 'walk.speed'?"),
    (SetParameter("one", "segments", 9), "set parameter: 'segments' cannot be set; valid: walk.h"),
    (SetParameter("one", "walk.speed", -1), "parameter: walk.speed must be a number more than 0"),
    (SetParameter("one", "walk.speed", 999), "set parameter: has a walk.speed of 999 cm/s, and"),
    (SetParameter("one", "walk.height", 50), "set parameter: has legs on segment 1 that cannot"),
    (SetGravity(float("nan")), "set gravity: gravity must be a number from -100,000 to 100,000"),
    (SetGravity("up"), "set gravity: gravity must be a number from -100,000 to 100,000; found the"),
    ("dance", "the text 'dance' is no event; valid: those of skitter.events"),
]


@pytest.fixture(scope="module")
def quiet_world():
    scene = {"food": [{"at": [5, 0, 5]}], "obstacles": [STONE]}
    return build(others=[{**CHAIN, "name": "chain"}], scene=scene)


@pytest.mark.parametrize(("event", "line"), MISTAKES, ids=lambda value: str(value)[:50])
def test_a_mistake_is_one_clear_line_and_changes_nothing(quiet_world, event, line):
    state, scene = quiet_world.state(), quiet_world.scene
    with pytest.raises(UserError) as caught:
        quiet_world.apply(event)
    assert line in str(caught.value) and "\n" not in str(caught.value)
    assert same(state, quiet_world.state()) and quiet_world.scene is scene


def test_a_world_without_spare_slots_keeps_its_things():
    world = build(spare=0, scene={"food": [{"at": [5, 0, 5]}], "obstacles": [STONE]})
    for event in (
        PlaceFood((0, 0, 0)),
        RemoveThing("food", 0),
        MoveThing("obstacle", 0, (0, 0, 0)),
    ):
        with pytest.raises(UserError, match="stay as they are; valid: a world made with room"):
            world.apply(event)
    with pytest.raises(UserError, match="spare must be a whole number from 0 to"):
        build(spare=-1)


def test_when_all_slots_are_taken_the_line_says_how_many_there_are():
    world = build(spare=2, scene={"food": [{"at": [50, 0, 5]}]})
    for _ in range(2):
        world.apply(PlaceFood((40, 0, 0)))
        world.apply(PlaceObstacle(STONE))
    with pytest.raises(UserError, match="place food: there is room for 3, all taken; valid: rem"):
        world.apply(PlaceFood((40, 0, 0)))
    with pytest.raises(UserError, match="place obstacle: there is room for 2, all taken"):
        world.apply(PlaceObstacle(STONE))
    world.things.left[0] = 0  # eaten, so there is room
    world.apply(PlaceFood((10, 0, 0)))
    assert world.things.food[0, 0] == 10


# things


def test_food_lies_on_the_ground_and_is_smelt_and_eaten():
    world = build(terrain=HILLS)
    one = world.creatures[0]
    place = one.mouth + np.array([1.5, 3.0, 0.3])
    world.apply(PlaceFood(tuple(place), radius=0.3))
    assert 0 < world.terrain.sample(world.things.food[0, :3])[0][0] <= 0.3
    world.advance(0.1)
    assert one.walker_state.antenna_food.max() > 0.01
    world.advance(1.5)
    assert one.food_eaten == 1 and world.read()["food_left"].tolist() == [0, 0, 0, 0]


def test_food_is_moved_and_removed():
    world = build(terrain=HILLS)
    world.apply(PlaceFood((9, 9, 9), strength=3))
    world.apply(MoveThing("food", 0, (-5, 9, 2)))
    values = world.read()
    assert values["food_position"][0, 0] == pytest.approx(-5, abs=2)
    assert values["food_radius"][0] == pytest.approx(0.4) and world.things.smell()[0, 4] == 3
    assert abs(world.terrain.sample(world.things.food[0, :3])[0][0]) < 0.4
    world.apply(RemoveThing("food", 0))
    assert not world.read()["food_left"].any() and not world.things.smell().any()


def test_a_post_in_front_of_a_walker_is_avoided():
    free, hindered = build("centipede18"), build("centipede18")
    hindered.apply(PlaceObstacle(POST))
    modes = set()
    for _ in range(180):
        free.advance()
        hindered.advance()
        modes.add(int(hindered.creatures[0].walker_state.mode[0]))
        assert not hindered.things.barrier.is_inside(hindered.creatures[0].body_position).any()
    assert AVOIDANCE in modes
    assert abs(facing(hindered.creatures[0]) - facing(free.creatures[0])) > 0.3


def test_obstacles_are_moved_turned_and_removed_as_the_barrier():
    world = build()
    world.apply(PlaceObstacle(CylinderTerrain(**POST)))
    world.apply(PlaceObstacle({"shape": "box", "at": [20, 0, 0], "size": [1, 2, 8]}))
    world.apply(MoveThing("obstacle", 1, (20, 0, 30)))
    assert world.things.barrier.is_inside([[9, 1, 0], [20, 0, 0], [20, 0, 33]]).tolist() == [
        1,
        0,
        1,
    ]
    values = world.read()
    assert values["obstacle_shape"].tolist() == [3, 1, 0, 0]
    assert values["obstacle_size"][:2].tolist() == [[2, 4, 2], [1, 2, 8]]
    assert values["obstacle_position"][1].tolist() == [20, 0, 30]
    world.apply(RemoveThing("obstacle", 0))
    assert world.things.barrier.is_inside([[9, 1, 0], [20, 0, 33]]).tolist() == [False, True]
    world.apply(MoveThing("obstacle", 1, (0, 0, 50)))
    assert world.things.barrier.is_inside([[20, 0, 33], [0, 0, 53]]).tolist() == [False, True]


@pytest.mark.parametrize("shape", ["post", "stone", "house"])
@pytest.mark.parametrize("species", ["giant_centipede", "house_centipede"])
def test_an_obstacle_that_comes_down_on_a_walker_does_no_harm(species, shape):
    """It walks out of what it is inside of; nothing flies apart, also while it is dragged."""
    world = build(species)
    one = world.creatures[0]
    x, y, z = (float(value) for value in one.body_position[3])
    obstacle = {
        "post": {**POST, "at": [x, y, z], "radius": 0.3},
        "stone": {"shape": "sphere", "at": [x, y, z], "radius": 2.0},
        "house": {"shape": "box", "at": [x, y, z], "size": [1e4, 1e4, 1e4]},
    }[shape]
    world.apply(PlaceObstacle(obstacle))
    for step in range(60):
        world.apply(MoveThing("obstacle", 0, (x + 0.05 * step, y, z)))
        world.advance()
    links = np.linalg.norm(np.diff(one.body_position, axis=0), axis=1)
    assert np.isfinite(one.body_position).all()
    assert (links < 1.3 * one.walker.goal.link[1:]).all()


def test_a_walker_that_felt_the_last_obstacle_forgets_it_when_it_is_gone():
    world = build("centipede18")
    world.apply(PlaceObstacle(POST | {"at": [1.9, 1, 0.2]}))
    world.advance(0.2)
    world.apply(RemoveThing("obstacle", 0))
    world.advance(1.5)
    assert world.creatures[0].walker_state.mode[0] not in (AVOIDANCE, ADJUSTMENT)


# creatures


def test_a_steered_walker_turns_and_a_released_one_does_as_it_likes():
    world = build("centipede18")
    one = world.creatures[0]
    world.apply(Steer("one", 4.0, 0.8))
    world.advance(1.0)
    left = facing(one)
    assert one.walker_state.mode[0] == CONTROL and left > 0.3
    world.apply(Steer("one", 4.0, -0.8))
    world.advance(1.5)
    assert facing(one) < left - 0.3
    world.apply(Release("one"))
    world.advance(0.1)
    assert one.walker_state.mode[0] != CONTROL and not one.is_puppet


def test_steering_comes_before_the_commands_of_the_scene():
    commands = [{"time": 0.2, "speed": 3, "turn_deg": 40}]
    world = build(commands=commands)
    one = world.creatures[0]
    world.apply(Steer("one", 2.0, -0.5))
    world.advance(0.5)
    assert one.walker_state.head[3] == pytest.approx(-0.5)
    world.apply(Release("one"))
    world.advance(0.1)
    assert one.is_puppet and one.walker_state.head[3] == pytest.approx(np.radians(40))


@pytest.mark.parametrize(
    ("species", "where"), [("centipede18", 0), ("centipede18", 10), ("pauropod", 5)]
)
def test_a_poked_walker_staggers_and_walks_again(species, where):
    poked, other = build(species), build(species)
    for world in (poked, other):
        world.advance(0.5)
    one, twin = poked.creatures[0], other.creatures[0]
    at = tuple(float(x) for x in one.body_position[where])
    poked.apply(Poke("one", at, (0.0, 20.0, 60.0)))
    modes = []
    for _ in range(60):
        poked.advance()
        other.advance()
        modes.append(int(one.walker_state.mode[0]))
    size = one.plan.rigid[where].size[2]
    assert np.abs(one.body_position - twin.body_position)[:, 2].max() > size
    assert modes[0] == ADJUSTMENT
    poked.advance(1.0)
    before = one.position
    poked.advance(0.5)
    assert one.walker_state.mode[0] != ADJUSTMENT
    assert (one.walker_state.leg_state == STANCE).mean() > 0.4
    assert np.linalg.norm(one.position - before) > 0.3 * one.species.walk.speed * 0.5


def test_pokes_without_end_tear_nobody():
    world, rng = (
        build("house_centipede", others=[{**CHAIN, "name": "chain"}]),
        np.random.default_rng(1),
    )
    for _ in range(60):
        for one in world.creatures:
            at = one.body_position[rng.integers(len(one.body_position))].astype(float)
            world.apply(Poke(one.name, tuple(at), tuple(rng.uniform(-200, 200, 3))))
        world.advance()
    assert all(np.isfinite(one.body_position).all() for one in world.creatures)


def test_jelly_is_poked_too_and_held_parts_are_not():
    world = build("jelly_cube", at=[0, 5, 0])
    one = world.creatures[0]
    speeds = one.node_velocity.copy()
    world.apply(Poke("one", (0, 9, 0), (0.0, 0.0, 30.0)))
    gained = (one.node_velocity - speeds)[:, 2]
    assert gained.max() == pytest.approx(30, rel=1e-3) and gained.min() >= 0
    world.advance(0.2)
    held = build("chain", at=[0, 5, 0], held=["segment_1"])
    held.apply(Poke("one", (0, 5, 0), (0.0, 30.0, 0.0)))
    held.advance(0.1)
    assert held.creatures[0].body_position[0].tolist() == pytest.approx([0, 5, 0], abs=1e-6)


def test_a_creature_dropped_from_above_lands_and_walks():
    world = build()
    world.advance(0.5)
    drop = CreaturePlacement(species="pauropod", name="one", at=(0, 4, 12), start="free")
    world.apply(AddCreature(drop))
    new = world.creatures[1]
    assert new.name == "one_2" and new.position[1] == pytest.approx(4, abs=0.1)
    world.advance(1.0)
    assert new.walker_state.clock[0] == pytest.approx(world.time)
    assert new.position[1] < 1.5 and new.walker_state.mode[0] != ADJUSTMENT


def test_scene_and_recording_follow_the_cast():
    world = build(others=[{**CHAIN, "name": "chain"}])
    world.apply(AddCreature({"species": "millipede", "at": [0, 0, -15], "with": {"segments": 5}}))
    world.apply(RemoveCreature("one"))
    names = ["chain", "millipede"]
    assert [one.name for one in world.creatures] == world.scene.creature_names == names
    assert [one["name"] for one in world.attributes()["creatures"]] == names
    assert {channel.name for channel in world.channels()} == world.read().keys()
    for channel in world.channels():
        assert np.shape(world.read()[channel.name]) == channel.shape
    assert Scene.from_dict(world.scene.to_dict()).to_dict() == world.scene.to_dict()
    world.advance(0.1)
    world.apply(RemoveCreature("chain"))
    with pytest.raises(UserError, match="'millipede' is the last one, and one must stay"):
        world.apply(RemoveCreature("millipede"))
    world.advance(0.1)


def test_creatures_that_come_and_go_far_away_change_nobody():
    lonely, visited = build(), build()
    far = {"species": "chain", "at": [900, 3, 0]}
    for frame in range(30):
        if frame == 5:
            visited.apply(AddCreature(far))
        if frame == 20:
            visited.apply(RemoveCreature("chain"))
        lonely.advance()
        visited.advance()
    assert (
        visited.creatures[0].body_position.tobytes() == lonely.creatures[0].body_position.tobytes()
    )


def test_too_many_creatures_are_refused():
    world = build("chain", at=[0, 3, 0])
    spec = world.scene.spec
    many = spec.model_copy(update={"creatures": list(spec.creatures) * 256})
    world.scene = Scene("t", many, world.scene.species * 256, ["x"] * 256)
    with pytest.raises(UserError, match="add creature: creatures must be a list of 1 to 256"):
        world.apply(AddCreature(CHAIN))


# numbers


def test_a_number_of_the_species_is_changed():
    world = build("centipede18")
    one = world.creatures[0]
    model = one.walker
    world.apply(SetParameter("one", "walk.speed", 2.0))
    world.apply(SetParameter("one", "leg.adjust_deg", 3.0))
    assert one.walker.walk.speed == 2 and one.species.leg.adjust_deg == 3
    assert world.scene.species[0] is one.species
    for old, new in zip(model.leg, one.walker.leg, strict=True):
        assert (old.dtype, old.shape, old.strides) == (new.dtype, new.shape, new.strides)
    world.apply(Steer("one", 100.0, 0.0))
    world.advance(0.5)


def test_any_number_may_be_changed_on_the_way():
    """To whatever the species allows, a little more and a little less; nothing flies apart."""
    world = build("pauropod")
    world.advance(0.3)
    for path in NUMBERS:
        for factor in (0.8, 1.25):
            group, key = path.split(".")
            value = getattr(getattr(world.creatures[0].species, group), key)
            try:
                world.apply(SetParameter("one", path, value * factor))
            except UserError:
                continue
            world.advance()
    assert np.isfinite(world.creatures[0].walker_state.leg_angle).all()


def test_gravity_acts_on_bodies_and_soft_nodes():
    world = build("chain", at=[0, 50, 0], others=[{"species": "jelly_cube", "at": [0, 50, 9]}])
    world.apply(SetGravity(-100.0))
    world.advance(0.5)
    for one in world.creatures:
        assert one.position[1] == pytest.approx(50 + 0.5 * 100 * 0.5**2, rel=0.01)
    assert world.scene.spec.gravity == -100
    assert world.read()["one.energy_gravity"] < 0


# the same again


def play(world: World, frames: range, events: dict) -> None:
    for frame in frames:
        for event in events.get(frame, ()):
            world.apply(event)
        world.advance()


EVENTS = {
    3: [PlaceFood((6, 0, 2)), PlaceObstacle(POST), SetParameter("one", "walk.speed", 4.0)],
    6: [AddCreature({"species": "pauropod", "at": [0, 3, 8], "start": "free"})],
    9: [Steer("one", 3.0, 0.5), MoveThing("obstacle", 0, (8, 1, 1)), SetGravity(500.0)],
    20: [Poke("one", (-3, 1, 0), (0.0, 30.0, 40.0)), RemoveThing("food", 0)],
    25: [Release("one"), PlaceFood((3, 0, -4))],
}


def test_the_same_events_give_the_same_bytes():
    one, other = build(seed=3), build(seed=3)
    for world in (one, other):
        play(world, range(35), EVENTS)
    assert same(one.state(), other.state()) and same(one.read(), other.read())


def test_a_world_goes_on_from_its_state_to_the_last_bit():
    world = build(seed=3)
    play(world, range(15), EVENTS)
    state = world.state()
    play(world, range(15, 35), EVENTS)
    end = world.state()
    play(world, range(35, 40), {35: [SetGravity(981.0), SetParameter("one", "walk.speed", 2.0)]})
    world.restore(state)
    assert world.physics.gravity == 500 and world.creatures[0].species.walk.speed == 4
    play(world, range(15, 35), EVENTS)
    assert same(end, world.state())
    anew = World(world.scene, seed=3, threads=1, spare=4)
    anew.restore(state)
    play(anew, range(15, 35), EVENTS)
    assert same(end, anew.state())


def test_the_state_of_another_cast_is_refused():
    world = build()
    before = world.state()
    world.apply(AddCreature(CHAIN))
    with pytest.raises(UserError, match=r"state of another scene: it has no 'chain\."):
        world.restore(before)
    after = world.state()
    world.apply(RemoveCreature("chain"))
    with pytest.raises(UserError, match=r"another scene: it has 'chain\.[a-z_]+', which is not he"):
        world.restore(after)
    with pytest.raises(UserError, match=r"another scene: its 'World\.food' has another size"):
        world.restore(build(spare=5).state())


def test_a_steered_walker_is_still_steered_after_its_state_is_restored():
    world = build(commands=[{"time": 0, "speed": 1}])
    world.apply(Steer("one", 2.0, 0.4))
    state = world.state()
    world.apply(Release("one"))
    world.advance(0.1)
    world.restore(state)
    world.advance(0.1)
    assert world.creatures[0].walker_state.head[3] == pytest.approx(0.4)
