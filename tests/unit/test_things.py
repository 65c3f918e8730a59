"""What lies about: obstacles keep their gaps, food is eaten once, the seed decides where."""

from itertools import combinations

import numpy as np
import pytest

from skitter.errors import UserError
from skitter.scene.load import load_scene
from skitter.terrain import Terrain, build_terrain
from skitter.things import Things
from walkers import HILLS, PLANE, build_world

POSTS = {"shape": "scatter", "count": 12, "area": [60, 40], "radius": [0.5, 2.0], "gap": 4}


def place(*, seed=0, terrain=PLANE, **fields) -> Things:
    creatures = [{"species": "pauropod"}, {"species": "pauropod", "at": [10, 0, 5]}]
    spec = load_scene({"title": "t", "terrain": [terrain], "creatures": creatures, **fields}).spec
    return Things(spec, build_terrain(spec.terrain), np.random.default_rng(seed))


def build_ground(terrain) -> Terrain:
    scene = {"title": "t", "terrain": [terrain], "creatures": [{"species": "chain"}]}
    return build_terrain(load_scene(scene).spec.terrain)


@pytest.mark.parametrize("seed", range(3))
def test_posts_keep_their_gaps(seed):
    posts = place(obstacles=[POSTS], seed=seed).obstacles
    assert len(posts) == 12
    for one, other in combinations(posts, 2):
        gap = np.hypot(one.at[0] - other.at[0], one.at[2] - other.at[2]) - one.radius - other.radius
        assert gap >= 4
    for x, z in ((0, 0), (10, 5)):  # the creatures
        assert all(np.hypot(one.at[0] - x, one.at[2] - z) - one.radius >= 4 for one in posts)
    assert all(0.5 <= one.radius <= 2 for one in posts)
    assert all(abs(one.at[0]) <= 30 and abs(one.at[2]) <= 20 for one in posts)


def test_posts_stand_in_the_ground():
    for terrain in (PLANE, HILLS):
        things, ground = place(obstacles=[POSTS], terrain=terrain), build_ground(terrain)
        for post in things.obstacles:
            foot, top = post.at[1] - post.length / 2, post.at[1] + post.length / 2
            assert foot < ground.height(post.at[0], post.at[2])[0] < top


def test_given_obstacles_stay_where_they_are():
    box = {"shape": "box", "at": [1, 2, 3], "size": [1, 2, 3]}
    things = place(obstacles=[box, POSTS])
    assert things.describe()[0]["at"] == [1, 2, 3]
    assert len(things.describe()) == 13
    assert things.barrier.is_inside([[1, 2, 3], [1, 9, 3]]).tolist() == [True, False]


def test_no_room_is_said_in_one_line():
    with pytest.raises(UserError) as caught:
        place(obstacles=[{**POSTS, "count": 400}])
    line = str(caught.value)
    assert line.startswith("obstacles[0]: no room for 400 posts of radius")
    assert line.endswith("valid: fewer, a smaller gap or a larger area")


def test_the_same_seed_gives_the_same_things():
    fields = {"obstacles": [POSTS], "food": [{"count": 5, "area": [30, 30]}]}
    first, again, other = (place(seed=seed, **fields) for seed in (7, 7, 8))
    assert first.describe() == again.describe() != other.describe()
    assert first.food.tobytes() == again.food.tobytes() != other.food.tobytes()


def test_food_lies_on_the_ground_clear_of_obstacles():
    things = place(
        terrain=HILLS, obstacles=[POSTS], food=[{"count": 30, "area": [60, 40], "radius": 0.4}]
    )
    assert things.food.shape == (30, 5)
    height = build_ground(HILLS).sample(things.food[:, :3])[0]
    assert (height > 0).all() and (height <= 0.4).all()
    assert (things.barrier.sample(things.food[:, :3])[0] > 0.4).all()


def test_food_is_eaten_once_and_gone():
    things = place(food=[{"at": [5, 0, 0], "strength": 3}, {"at": [20, 0, 0]}])
    mouth = np.array([4.4, 0.3, 0.0])
    assert things.eat(mouth, 0.01) == 0
    assert things.smell()[:, 4].tolist() == [3, 1]
    assert things.eat(mouth, 0.5) == 1
    assert things.eat(mouth, 0.5) == 0
    assert things.read()["food_left"].tolist() == [0, 1]
    assert things.smell()[:, 4].tolist() == [0, 1]


def test_without_food_nothing_is_recorded_of_it():
    things = place()
    assert things.read() == {} and things.list_channels() == [] and things.list_statics() == []


def test_a_creature_eats_what_it_walks_over():
    food = [{"at": [4, 0, 0]}, {"at": [0, 0, 15]}]
    world = build_world("pauropod", scene={"food": food}, commands=[{"speed": 5}])
    world.advance(1.5)
    values = world.read()
    assert values["food_left"].tolist() == [0, 1]
    assert values["one.food_eaten"] == 1
    state = world.state()
    world.restore(state)
    assert world.read()["food_left"].tolist() == [0, 1]
