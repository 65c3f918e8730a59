"""One line of a scene for many creatures: where they are put, what they are called, what is said
of mistakes."""

from itertools import combinations

import numpy as np
import pytest

from skitter.errors import UserError
from skitter.events import AddCreature
from skitter.scene.load import Scene, load_scene
from skitter.world.world import World

CUBES = {"species": "cube", "at": [3, 2, -4], "count": 12, "area": [30, 20], "gap": 3}
GROUND = [{"shape": "plane"}]


def build(*creatures, **more):
    return {"title": "Many", "seconds": 0.1, "terrain": GROUND, "creatures": [*creatures], **more}


def refuse(source, *overrides) -> str:
    with pytest.raises(UserError) as caught:
        load_scene(source, overrides=overrides)
    return str(caught.value)


def list_places(scene):
    return np.array([one.at for one in scene.spec.creatures])


def find_nearest(places):
    return min(np.linalg.norm(a - b) for a, b in combinations(places, 2))


def test_so_many_in_the_area_and_apart():
    scene = load_scene(build(CUBES))
    places = list_places(scene)
    assert len(places) == len(scene.species) == len(scene.creature_names) == 12
    assert (np.abs(places - [3, 2, -4]) <= [15, 0, 10]).all()
    assert np.ptp(places[:, 0]) > 15  # they use the area, which is 30 cm wide
    assert find_nearest(places) >= 3
    assert len({one.turn_deg for one in scene.spec.creatures}) == 12


def test_places_depend_on_their_seed_alone():
    one, same, other = (load_scene(build(CUBES | {"seed": seed})) for seed in (4, 4, 5))
    assert one.to_dict() == same.to_dict()
    assert not np.allclose(list_places(one), list_places(other))
    assert (list_places(one) == [one.at for one in World(same, seed=99).scene.spec.creatures]).all()


def test_two_lines_with_one_seed_differ_and_keep_apart():
    scene = load_scene(build(CUBES, CUBES, {"species": "cube", "at": [3, 2, -4]}))
    places = list_places(scene)
    assert find_nearest(places[:24]) >= 3
    assert not np.allclose(places[:12], places[12:24])


def test_names_are_numbered_and_never_taken_twice():
    named = CUBES | {"name": "brick", "count": 3}
    scene = load_scene(build({"species": "cube", "name": "brick_2"}, named, CUBES | {"count": 2}))
    assert scene.creature_names == ["brick_2", "brick", "brick_3", "brick_4", "cube", "cube_2"]


def test_recordings_hold_single_creatures():
    scene = load_scene(build(CUBES, crowd={"full": 1, "focus": "cube_3"}))
    values = scene.to_dict()
    assert [one["count"] for one in values["creatures"]] == [1] * 12
    assert Scene.from_dict(values).to_dict() == values
    assert Scene.from_dict(values).spec == scene.spec


def test_overrides_change_how_many():
    scene = load_scene(build(CUBES), overrides=["creatures.0.count=3", "creatures.0.area.0=90"])
    assert len(scene.spec.creatures) == 3


def test_one_in_an_area():
    scene = load_scene(build({"species": "cube", "area": [10, 10], "gap": 1}))
    assert len(scene.spec.creatures) == 1
    assert scene.spec.creatures[0].at != (0, 0, 0)


def test_a_grid_has_equal_cells():
    grid = CUBES | {"spread": "grid", "count": 6, "area": [30, 20], "turn_deg": [0, 30, 0]}
    places = list_places(load_scene(build(grid))) - [3, 2, -4]
    assert places[:, 0] == pytest.approx([-10, 0, 10] * 2)
    assert places[:, 2] == pytest.approx([-5] * 3 + [5] * 3)
    assert all(one.turn_deg == (0, 30, 0) for one in load_scene(build(grid)).spec.creatures)


def test_a_pile_goes_up_where_its_area_is_full():
    pile = CUBES | {"spread": "pile", "start": "free", "count": 20, "area": [6, 6], "gap": 4}
    places = list_places(load_scene(build(pile)))
    assert find_nearest(places) >= 4
    assert places[:, 1].max() > 10
    assert set(places[:, 1]) == {2 + 4 * k for k in range(len(set(places[:, 1])))}


LINE_MISTAKES = [
    ({"count": 0}, "creatures[0].count must be a whole number from 1 to 256; found 0"),
    ({"count": 257}, "creatures[0].count must be a whole number from 1 to 256; found 257"),
    ({"count": 2.5}, "creatures[0].count must be a whole number from 1 to 256; found 2.5"),
    ({"area": None}, "creatures[0] has a count but no area; valid: area: [x, z] in cm"),
    ({"area": [3]}, "creatures[0].area must be a list of 2 numbers from 0.0001 to 100,000"),
    ({"area": [4, 4]}, "creatures[0] has an area of 4 x 4 cm, with no room for 12 that do not"),
    ({"area": [4, 4], "spread": "grid"}, "creatures[0] has an area of 4 x 4 cm, with no room"),
    ({"gap": None}, "creatures[0].gap is missing; how far 'cube' reaches is not known"),
    ({"spread": "heap"}, "creatures[0].spread must be one of random, grid, pile; found the text"),
    ({"spread": "pile"}, "creatures[0] is a pile that does not fall; valid: start: free"),
    ({"seed": -1}, "creatures[0].seed must be a whole number from 0 to"),
]


@pytest.mark.parametrize(("change", "expected"), LINE_MISTAKES)
def test_mistakes_of_a_line(change, expected):
    assert expected in refuse(build(CUBES | change))


def test_too_many_of_all_lines_together():
    wide = CUBES | {"count": 200, "area": [1000, 1000]}
    expected = "creatures hold 400 with their counts; valid: at most 256"
    assert expected in refuse(build(wide, wide))


def test_a_mistake_set_from_outside_is_blamed_on_it():
    line = refuse(build(CUBES), "creatures.0.count=200")
    assert line.startswith("--set creatures.0.count=200: creatures[0] has an area of 30 x 20 cm")


CROWD_MISTAKES = [
    ({"focus": "cub"}, "crowd.focus 'cub' names no creature of this scene; did you mean 'cube'?"),
    ({"focus": [1, 2]}, "crowd.focus must be a place as [x, y, z] in cm, or the name of a creat"),
    ({"focus": ["a", 2, 3]}, "crowd.focus must be a place as [x, y, z] in cm, or the name of a"),
    ({"focus": [1, 2, float("nan")]}, "crowd.focus must be a place as [x, y, z] in cm"),
    ({"full": -1}, "crowd.full must be a whole number from 0 to 256; found -1"),
    ({"near": 3}, "crowd.near is not a known key; valid keys: full, kinematic, focus"),
]


@pytest.mark.parametrize(("crowd", "expected"), CROWD_MISTAKES)
def test_mistakes_of_a_crowd(crowd, expected):
    assert expected in refuse(build(CUBES, crowd=crowd))


def test_a_crowd_looks_at_a_place_or_a_creature():
    place = load_scene(build(CUBES, crowd={"focus": [1, 2, 3]})).spec.crowd
    assert place is not None and place.focus == (1.0, 2.0, 3.0)
    named = load_scene(build(CUBES, crowd={"full": 2, "focus": "cube_12"})).spec.crowd
    assert named is not None and named.focus == "cube_12"
    assert load_scene(build(CUBES)).spec.crowd is None


def test_only_those_who_can_go_sideways():
    walker = {"species": "centipede18", "at": [0, 1, 0], "commands": [{"speed": 3, "side": 2}]}
    expected = "creatures[0].commands[0].side must be 0 for 'centipede18'; found 2; only climbers"
    assert expected in refuse(build(walker))


def test_one_at_a_time_joins_a_running_world():
    world = World(load_scene(build(CUBES | {"count": 2})))
    with pytest.raises(UserError, match="adds one at its place; valid: count: 1, and no area"):
        world.apply(AddCreature(CUBES))
    assert len(world.creatures) == 2


def test_climbers_and_objects_know_how_much_room_they_need():
    spiders = {"species": "house_spider", "count": 8, "area": [60, 60]}
    stones = {"species": "pebble", "count": 8, "area": [60, 60], "start": "free"}
    scene = load_scene(build(spiders, stones))
    places = list_places(scene)
    reach = np.array([one.reach for one in scene.species])
    for a, b in combinations(range(16), 2):
        assert np.linalg.norm(places[a] - places[b]) >= reach[a] + reach[b]
    larger = load_scene(build(spiders | {"with": {"scale": 2.0}, "area": [200, 200]}))
    assert larger.species[0].reach == pytest.approx(2 * reach[0])


@pytest.mark.parametrize(
    "name",
    [
        "tarantula", "cube_inside", "precipice", "block_pile", "glass_wall", "torus_knot",
        "forest_floor", "spider_crowd", "zoo",
    ],
)  # fmt: skip
def test_scenes_of_climbers_load(name):
    scene = load_scene(name)
    assert any(one.kind == "climber" for one in scene.species)
    assert scene.spec.source and scene.spec.seconds >= 10
    assert len(scene.species) == len(set(scene.creature_names)) <= 256
    if name == "spider_crowd":
        assert len(scene.species) == 50 and scene.spec.crowd is not None
    if name == "zoo":
        kinds = {one.kind for one in scene.species}
        assert kinds >= {"climber", "articulated", "myriapod", "worm"}
        assert scene.spec.food and scene.spec.obstacles
