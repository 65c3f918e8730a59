"""What a myriapod looks like: shells, limbs, food, obstacles, the camera. No renderer is needed."""

from dataclasses import replace

import numpy as np
import pytest

import look_recordings as made
from look_recordings import Track, write_myriapod
from skitter.errors import UserError
from skitter.look.camera import FILL, follow_path
from skitter.look.carapace import build_shell, form_shell
from skitter.look.creature import build_creatures
from skitter.look.families import FAMILIES
from skitter.look.limb import build_antennae, build_legs
from skitter.look.link import LinkPaint
from skitter.look.myriapod import build_shell_pieces, read_shells
from skitter.look.orbit import carry_frames, least_turn
from skitter.look.pattern import PLAIN, read_pattern
from skitter.look.scenery import list_obstacles, open_food, outline_scenery
from skitter.look.shots import outline_at, plan_shots
from skitter.scene.load import load_scene
from skitter.species.look import MyriapodLook

SIZE = np.array([0.6, 0.5, 0.8])
MYRIAPODS = [
    "centipede18",
    "giant_centipede",
    "house_centipede",
    "millipede",
    "pauropod",
    "robot",
]
WHITE = LinkPaint(np.ones(3), np.ones(3), np.ones(3))
LENGTHS = np.array([0.5, 0.6, 0.7])


@pytest.fixture(scope="module")
def walker(tmp_path_factory):
    folder = tmp_path_factory.mktemp("look") / "walker"
    food = [(3.0, 0.35, 0.0), (5.0, 0.35, 2.0)]
    stone = {"shape": "sphere", "at": [30, 0, 0], "radius": 1.0}
    return write_myriapod(folder, segments=4, seconds=1.0, food=food, obstacles=[stone])


@pytest.fixture(scope="module")
def climber(tmp_path_factory):
    folder = tmp_path_factory.mktemp("look") / "climber"
    return write_myriapod(folder, segments=3, seconds=6.0, frame_rate=15, track=Track(4.0))


def volume(mesh) -> float:
    a, b, c = (mesh.points[mesh.triangles[:, k]] for k in range(3))
    return float(np.einsum("ij,ij->", a, np.cross(b, c)) / 6)


def is_closed(mesh) -> bool:
    """Whether every edge is passed once in each direction, points at the same place being one."""
    _, point = np.unique(mesh.points.round(9), axis=0, return_inverse=True)
    corner = point.ravel()[mesh.triangles]
    flat = (np.diff(np.sort(corner, axis=1), axis=1) == 0).any(axis=1)
    sides = np.concatenate([corner[~flat][:, pair] for pair in ([0, 1], [1, 2], [2, 0])])
    ways, counts = np.unique(sides, axis=0, return_counts=True)
    back = np.unique(sides[:, ::-1], axis=0)
    return bool((counts == 1).all() and np.array_equal(ways, back))


def load_species(name: str, folder):
    path = folder / "scene.yaml"
    path.write_text(f"title: One\ncreatures: [{{species: {name}}}]\n")
    return load_scene(str(path)).species[0]


@pytest.mark.parametrize("name", FAMILIES)
@pytest.mark.parametrize("part", ["head", "plate", "tail"])
def test_shells_are_closed_and_keep_to_their_boxes(name, part):
    family = FAMILIES[name]
    shell = form_shell(family, getattr(family, part), SIZE, PLAIN, around=24, overlap=0.1).mesh
    assert is_closed(shell)
    assert np.abs(shell.points).max(axis=0) / (SIZE / 2) == pytest.approx(np.ones(3), abs=0.21)
    assert np.ptp(shell.points, axis=0) == pytest.approx(SIZE, rel=0.1)
    assert 0.5 < volume(shell) / SIZE.prod() < 1.0  # outward, and no crate
    assert np.linalg.norm(shell.normals, axis=1) == pytest.approx(np.ones(len(shell.points)))


def test_a_rim_reaches_over_the_skin_behind_and_nowhere_else():
    family = FAMILIES["centipede"]
    near, far = (
        form_shell(family, family.plate, SIZE, PLAIN, around=24, overlap=share).mesh.points
        for share in (0.0, 1.0)
    )
    assert far[:, 0].min() == pytest.approx(near[:, 0].min() - SIZE[0], abs=0.02)
    assert far[:, 0].max() == near[:, 0].max()
    assert far[:, 1:] == pytest.approx(near[:, 1:])
    assert far[far[:, 0] < -0.4, 1].min() > -0.1  # the belly stays free


def test_a_plain_shell_gets_thin_where_its_profile_does():
    profile = np.array([(0, 0.0), (0, 1.0), (0.5, 1.0), (1.0, 0.4), (1.0, 0.0)])
    shell = build_shell(SIZE, profile, around=24)
    assert is_closed(shell)
    behind = np.abs(shell.points[shell.points[:, 0] < -0.25, 2]).max()
    assert behind == pytest.approx(0.4 * np.abs(shell.points[:, 2]).max(), rel=0.02)


def test_stripes_lie_along_the_back_and_grooves_are_sunk():
    look = MyriapodLook(stripe="#000000", stripes=3, grooves=2, rigid="#ffffff", belly="#ff0000")
    pattern, family = read_pattern(look, look.rigid), FAMILIES["millipede"]
    plain = form_shell(family, family.plate, SIZE, PLAIN, around=40)
    assert np.ptp(plain.mesh.points[:, 1]) > 0
    shell = form_shell(family, family.plate, SIZE, pattern, around=40)
    colours = pattern.paint(shell.across, shell.rise, shell.zone)
    ring = shell.zone == 0
    dark = ring & (colours.max(axis=1) < 0.01)
    assert np.unique((shell.across[dark] / 0.7).round()).tolist() == [-1, 0, 1]
    assert shell.rise[dark].min() > 0
    assert colours[ring & (shell.rise < -0.5)] @ [1, 0, 0] == pytest.approx(1.0)
    deep = pattern.depth(shell.across, shell.rise)
    assert 0.02 < deep.max() < 0.1 and deep[shell.rise < 0].max() == 0


@pytest.mark.parametrize("name", MYRIAPODS)
def test_every_species_wears_shells_of_few_shapes(name, tmp_path):
    species = load_species(name, tmp_path)
    size = np.array([part.size for part in species.figure.parts])
    pieces = build_shell_pieces(size, species.look.model_dump(), triangle_limit=24_000)
    assert sum(len(piece.mesh.triangles) for piece in pieces) <= 24_000
    assert sum(len(piece.mesh.triangles) for piece in pieces if piece.body == 0) <= 2500
    assert {piece.body for piece in pieces} == set(range(len(size)))
    assert len({describe(piece) for piece in pieces if 0 < piece.body < len(size) - 1}) <= 3
    for piece in pieces:
        assert is_closed(piece.mesh) and volume(piece.mesh) > 0
        assert np.broadcast_to(piece.colour, piece.mesh.points.shape).max() <= 1
    shell = {piece.body: piece.mesh for piece in reversed(pieces)}  # the first of each body
    for body, edges in enumerate(size):
        assert np.abs(shell[body].points[:, 1:]).max(axis=0) == pytest.approx(
            edges[1:] / 2, rel=0.1
        )


def describe(piece) -> bytes:
    extent = np.ptp(piece.mesh.points, axis=0)
    return (piece.mesh.points / extent).round(6).tobytes() + np.asarray(piece.colour).tobytes()


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ("colour: red", "look.colour is not a known key"),
        ("shape: worm", "look.shape"),
        ("stripes: 99", "look.stripes"),
        ("jaws: true", "look.jaws"),
    ],
)
def test_looks_that_are_none_are_refused_in_one_line(line, expected, tmp_path):
    from importlib.resources import files

    text = (files("skitter") / "species/library/robot.yaml").read_text()
    (tmp_path / "odd.yaml").write_text(text[: text.index("look:")] + f"look: {{{line}}}\n")
    with pytest.raises(UserError) as error:
        load_species("odd.yaml", tmp_path)
    assert expected in str(error.value) and "\n" not in str(error.value)


def test_recordings_may_be_older_or_newer_than_a_look():
    assert read_shells({}) == MyriapodLook()
    assert read_shells({"rigid": "#112233", "leg": None, "wings": 2}).head == "#112233"
    with pytest.raises(UserError, match="look that cannot be shown: shape"):
        read_shells({"shape": "worm"})


def bend_legs(count: int) -> np.ndarray:
    return np.random.default_rng(3).normal(size=(count, 4, 3))


@pytest.mark.parametrize("machine", [False, True])
@pytest.mark.parametrize("band", [None, np.zeros(3)])
def test_legs_are_closed_and_end_at_their_tips(machine, band):
    paint = replace(WHITE, band=band, bands=3)
    legs = build_legs(np.full(2, 0.05), LENGTHS, paint, triangle_limit=10_000, machine=machine)
    for shape in legs.shapes:
        assert is_closed(shape.mesh) and volume(shape.mesh) > 0
        assert shape.mesh.points[:, 0].max() <= 1.0
        assert shape.colours.shape == shape.mesh.points.shape
    foot = legs.shapes[-1].mesh.points
    assert foot[np.argmax(foot[:, 0])] == pytest.approx([1, 0, 0], abs=1e-9)
    joints = bend_legs(2)
    mesh = legs.at(joints)
    for tip in joints[:, -1]:
        assert np.linalg.norm(mesh.points - tip, axis=1).min() < 1e-9
    assert len(mesh.points) == len(legs.colours) and is_closed(mesh)
    assert band is None or machine or (legs.shapes[0].colours == 0).all(axis=1).any()


def test_joints_are_round_thicker_balls():
    legs = build_legs(np.array([0.05]), LENGTHS, WHITE, triangle_limit=10_000)
    straight = np.concatenate([[0], LENGTHS.cumsum()])[None, :, None] * [1.0, 0, 0]
    points = legs.at(straight).points
    knee = points[np.abs(points[:, 0] - LENGTHS[0]) < 0.02]
    middle = points[np.abs(points[:, 0] - 0.8 * LENGTHS[0]) < 0.02]
    assert np.abs(knee[:, 1]).max() > 1.1 * np.abs(middle[:, 1]).max()
    before = points[:, 0].min()
    assert -before == pytest.approx(np.abs(points[np.abs(points[:, 0]) < 0.02, 1]).max(), rel=0.1)


def test_meshes_of_limbs_are_their_shapes_put_in_place():
    legs = build_legs(np.array([0.05, 0.1]), LENGTHS, WHITE, triangle_limit=10_000)
    joints = bend_legs(2)
    places, mesh = legs.place(joints), legs.at(joints)
    first = 0
    for k, shape in enumerate(legs.shapes):
        for limb in range(legs.limb_count):
            put = (shape.mesh.points * places.scale[k, limb]) @ places.turn[k, limb].T
            part = mesh.points[first : first + len(put)]
            assert part == pytest.approx(put + places.position[k, limb])
            first += len(put)
    assert first == len(mesh.points)
    assert np.linalg.det(places.turn) == pytest.approx(np.ones((3, 2)))
    ends = places.position + places.turn[..., 0] * places.scale[..., :1]
    assert ends == pytest.approx(joints[:, 1:].swapaxes(0, 1))
    facing = mesh.normals[mesh.triangles].sum(axis=1)
    a, b, c = (mesh.points[mesh.triangles[:, k]] for k in range(3))
    assert (np.einsum("ij,ij->i", facing, np.cross(b - a, c - a)) > 0).mean() > 0.97


def test_a_thousand_links_are_quick_and_within_their_triangles():
    legs = build_legs(np.full(400, 0.05), LENGTHS, WHITE, triangle_limit=200_000)
    joints = np.random.default_rng(0).normal(size=(400, 4, 3))
    mesh = legs.at(joints)
    assert len(mesh.triangles) <= 200_000
    assert np.isfinite(mesh.points).all()
    assert mesh.points[-1] == pytest.approx(joints[-1, -1], abs=1e-9)  # the tip is where it is


def test_folded_and_shrunken_links_do_no_harm():
    legs = build_legs(np.array([0.1]), np.zeros(3), WHITE, triangle_limit=1000)
    feelers = build_antennae(1, np.zeros(3), 0.1, WHITE, triangle_limit=1000)
    straight = np.arange(4)[None, :, None] * np.ones(3)
    for joints in (np.zeros((1, 4, 3)), straight, straight * [0, 1, 0]):
        for mesh in (legs.at(joints), feelers.at(joints)):
            assert np.isfinite(mesh.points).all() and np.isfinite(mesh.normals).all()


def test_links_turn_steadily_along_a_walk(climber):
    """Once around a ball: the limbs point everywhere, and no link's frame ever jumps."""
    creature = build_creatures(climber)[0]
    legs, antennae = creature.limbs
    for limb in (legs, antennae):
        joints = [getattr(creature.motion.pose(t), limb.key) for t in np.arange(0, 6, 1 / 120)]
        turns = np.array([limb.surface.place(one).turn for one in joints])
        cosine = (np.einsum("tklij,tklij->tkl", turns[1:], turns[:-1]) - 1) / 2
        assert cosine.min() > np.cos(0.35)
    up = legs.surface.place(joints_of(legs, creature, 0.0)).turn[0, :, :, 2]
    assert (up[:, 1] > 0).all()  # to the outside of the knee


def joints_of(limb, creature, time: float) -> np.ndarray:
    return getattr(creature.motion.pose(time), limb.key)


def test_antennae_are_beads_that_get_thinner():
    feelers = build_antennae(2, np.full(5, 0.3), 0.03, WHITE, triangle_limit=5000, articles=2)
    assert len(feelers.shapes) == 5
    line = np.linspace(0, 1.5, 6)[:, None] * [1.0, 0, 0]
    mesh = feelers.at(np.stack([line, line - np.array([0, 0, -9.0])]))
    assert is_closed(mesh) and volume(mesh) > 0
    one = mesh.points[mesh.points[:, 2] < 5]
    assert one[:, 0].max() == pytest.approx(1.5)
    edges = np.arange(0, 1.5001, 0.15)
    width = [np.abs(one[np.abs(one[:, 0] - x) < 0.05, 1]).max() for x in edges[:-1] + 0.11]
    assert np.all(np.diff(width) < 0)
    waist = np.abs(one[np.abs(one[:, 0] - 0.9) < 0.012, 1]).min()
    assert waist < 0.7 * width[5]


def test_feet_that_stand_do_not_swim_between_frames(walker):
    motion = build_creatures(walker)[0].motion
    frame = 20
    standing = (walker["centipede.leg_state"][frame : frame + 2] == made.STANCE).all(axis=0)
    tips = [motion.pose((frame + share) / 60).leg_point[:, 3] for share in (0, 0.3, 0.7, 1)]
    assert standing.any() and not standing.all()
    for tip in tips:
        assert tip[standing] == pytest.approx(tips[0][standing], abs=1e-12)
    assert np.abs(tips[1] - tips[0])[~standing].max() > 0.01


def test_a_myriapod_has_all_its_surfaces_and_colours(walker):
    creature = build_creatures(walker)[0]
    pose = creature.motion.pose(0.5)
    mesh = creature.solid_at(pose)
    assert len(mesh.points) == len(creature.solid_colours)
    feet = mesh.points[:, 1].min()
    assert -0.02 < feet < 0.001  # tips touch the ground
    outline = creature.outline(pose)
    assert np.all(mesh.points.max(axis=0) < outline.max(axis=0) + 0.15)
    assert (creature.solid_colours.max(axis=1) < 0.02).any()  # eyes


def test_shells_only_for_myriapods(walker):
    motion = build_creatures(walker)[0].motion
    boxes = np.zeros(6, int), made.body_sizes(4)
    from skitter.look.creature import build_rigid

    shell = build_rigid(motion, *boxes, triangle_limit=10_000)
    motion.kind = "figure"
    crate = build_rigid(motion, *boxes, triangle_limit=10_000)
    pose = motion.pose(0.0)
    assert volume(crate.at(pose)) > 1.2 * volume(shell.at(pose))


def test_food_disappears_when_it_is_eaten(walker):
    food = open_food(walker)
    before, after = food.at(0.74), food.at(0.76)
    ball = 4 / 3 * np.pi * 0.35**3
    assert volume(before) == pytest.approx(2 * ball, rel=0.05)
    assert volume(after) == pytest.approx(ball, rel=0.05)
    assert np.array_equal(before.triangles, after.triangles)
    assert food.left_at(99.0).tolist() == [False, True]


def test_obstacles_have_a_colour_of_their_own(walker):
    (stone,) = list_obstacles(walker)
    assert stone["colour"].startswith("#")
    walker.attributes["obstacles"][0]["colour"] = "#123456"
    assert list_obstacles(walker)[0]["colour"] == "#123456"


def test_a_camera_that_stays_shows_the_scenery_too(walker):
    creatures, scenery = build_creatures(walker), outline_scenery(walker)
    assert scenery[:, 0].max() == pytest.approx(31, abs=0.01)

    def seen(follow):
        scene = {"terrain": [], "camera": {"follow": follow}}
        (shot,) = plan_shots(
            creatures, np.array([0.5]), aspect=16 / 9, scene=scene, scenery=scenery
        )
        return np.abs(shot.camera.project(scenery)).max()

    assert seen(False) <= FILL + 1e-6 < seen(True)


def test_around_a_ball_the_camera_stays_outside_and_calm(climber):
    creatures = build_creatures(climber)
    scene = climber.attributes["scene"]
    shots = plan_shots(creatures, climber.time, aspect=16 / 9, scene=scene)
    eyes = np.array([shot.camera.eye for shot in shots])
    assert np.linalg.norm(eyes, axis=1).min() > 4.0
    assert eyes[:, 1].min() < -5 and eyes[:, 1].max() > 5  # it has been below and above
    turns = [float(a.camera.backward @ b.camera.backward) for a, b in zip(shots, shots[1:])]  # noqa: B905, RUF007
    assert min(turns) > np.cos(0.25)
    for shot in shots:
        points = outline_at(creatures, shot.time)
        assert np.abs(shot.camera.project(points)).max() <= FILL + 1e-6
        backs = made.turn_of(climber, round(shot.time * 15))[:, :, 1].mean(axis=0)
        assert backs @ shot.camera.backward > 0.3


def test_on_a_plane_the_camera_does_not_turn(climber):
    creatures = build_creatures(climber)
    scene = {"terrain": [{"shape": "plane"}]}
    shots = plan_shots(creatures, climber.time[:20], aspect=16 / 9, scene=scene)
    assert len({tuple(shot.camera.backward) for shot in shots}) == 1
    assert shots[0].camera.up == pytest.approx([0, 1, 0])


def test_a_camera_keeps_up_from_the_first_frame_to_the_last():
    centre = np.outer(np.arange(200) / 30, [4.0, 0.0, 1.0])
    path = follow_path(centre, 1 / 30, 0.01)
    assert np.abs(path - centre).max() < 0.1
    assert follow_path(centre[:1], 1.0, 0.01) == pytest.approx(centre[:1])
    assert follow_path(centre[:2], 1 / 30, 0.01).shape == (2, 3)


def test_least_turns():
    rng = np.random.default_rng(2)
    up = rng.normal(size=(20, 3))
    up /= np.linalg.norm(up, axis=1, keepdims=True)
    frames = carry_frames(up)
    assert frames @ [0.0, 1.0, 0.0] == pytest.approx(up)
    assert np.linalg.det(frames) == pytest.approx(np.ones(20))
    half = least_turn(np.array([0.0, 1, 0]), np.array([0.0, -1, 0]))
    assert half @ [0.0, 1, 0] == pytest.approx([0, -1, 0])


def test_pictures_may_be_turned():
    from skitter.look.camera import Camera, view_direction

    camera = Camera(np.zeros(3), view_direction(0, 0), 10.0, 1.0)
    point = np.array([[0.0, 1.0, 0.0]])
    upright, rolled = camera, replace(camera, up=np.array([1.0, 0.0, 0.0]))
    assert upright.project(point)[0, 1] > 0.1
    assert rolled.project(point)[0] == pytest.approx([-upright.project(point)[0, 1], 0])
