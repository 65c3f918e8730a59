"""Claims of Mujika 2018: a worm that crawls by one of its vibration modes."""

from functools import partial
from itertools import pairwise

import numpy as np

from skitter.claims.mujika2018_scenes import MODAL_SECONDS as SECONDS
from skitter.claims.mujika2018_scenes import (
    MUSCLE_SECONDS,
    NAME,
    ON_IT,
    crawl,
    crawl_by_mode,
    load_worm,
)
from skitter.claims.registry import Finding, claim
from skitter.creatures.worm.body import assemble, find_stiffness
from skitter.creatures.worm.drive import MODES
from skitter.elastic.mode_cache import load_modes
from skitter.elastic.modes import RIGID, Material
from skitter.elastic.undulation import describe_modes, find_undulation
from skitter.measure import worm
from skitter.measure.plot import write_bars

QUADRANTS = {"DL": 24, "DR": 24, "VL": 23, "VR": 24}  # dorsal or ventral, left or right
ALPHAS = (1, 2, 3, 4, 5)
FRICTIONS = (0.2, 0.4, 0.6, 0.8, 1.0)
GRIPS = {mu: f"{ON_IT}.grip={{forward: 0.1, backward: {mu}, across: {mu}}}" for mu in FRICTIONS}


@claim(
    id="mujika2018/muscles-95",
    paper="Mujika 2018 section 4; WormAtlas",
    statement="The body has all 95 body-wall muscles, in four quadrants of 24, 24, 23 and 24",
    scene="worm: the recorded body, its muscles counted by where their tetrahedra lie",
    sense="equals",
    expected=95.0,
    unit="muscles",
    why="all of them, less one for each muscle with tetrahedra of its own that a quadrant has too"
    " many or too few",
    quick=True,
)
def measure_muscles() -> Finding:
    recording = crawl("worm", 0.04)
    rest, tets, tet_region, muscle_region = (
        recording.static(f"{NAME}.{key}")
        for key in ("rest_position", "tets", "tet_region", "muscle_region")
    )
    middle = rest[tets].mean(axis=1)
    found = dict.fromkeys(QUADRANTS, 0)
    for region in muscle_region[np.isin(muscle_region, tet_region)]:
        _, left, dorsal = middle[tet_region == region].mean(axis=0)  # it lies on its right side
        found[("D" if dorsal > 0 else "V") + ("L" if left > 0 else "R")] += 1
    odd = sum(abs(found[key] - count) for key, count in QUADRANTS.items())
    parts = {key: float(count) for key, count in found.items()}
    parts["tetrahedra"] = float(len(tets))
    parts["tetrahedra in muscles"] = float(np.isin(tet_region, muscle_region).sum())
    value = float(sum(QUADRANTS.values()) - odd)
    return Finding(value, parts, partial(write_bars, values=dict(found), label="muscles"))


@claim(
    id="mujika2018/undulation-mode-found",
    paper="Mujika 2018 section 5, figure 5",
    statement="One of the lowest vibration modes of the free body is a full horizontal undulation",
    scene="worm: the modes of its body at rest",
    sense="at most",
    expected=16.0,
    unit="number of the elastic mode",
    why="found by itself among the first 16 elastic modes; the paper's is the tenth with the six"
    " rigid ones",
)
def measure_undulation() -> Finding:
    species = load_worm("worm")
    mesh = assemble(species).mesh
    density = np.full(len(mesh.tets), species.density)
    modes = load_modes(mesh, Material(*find_stiffness(mesh, species), density), MODES)
    index = find_undulation(mesh.nodes, modes)
    looks = describe_modes(mesh.nodes, modes)[RIGID : RIGID + 8]
    hertz = {f"{one.number}, {one.plane}": one.frequency for one in looks}
    number = float(index - RIGID + 1)
    parts = {"elastic": number, "with the rigid ones": index + 1.0}
    return Finding(number, parts, partial(write_bars, values=hertz, label="Hz"))


@claim(
    id="mujika2018/momentum-zero",
    paper="Mujika 2018 section 6, equations 2 to 7",
    statement="Internal forces are compensated so that they add neither momentum nor spin",
    scene=f"worm, {SECONDS:g} s, and worm_muscles, {MUSCLE_SECONDS:g} s, every frame of both",
    sense="at most",
    expected=0.0,
    tolerance=1e-10,
    why="largest net force or torque, of the sum of the sizes of all; what is left is rounding",
)
def measure_momentum() -> Finding:
    scenes = {"worm": SECONDS, "worm_muscles": MUSCLE_SECONDS}
    parts = {
        f"{scene}.{key}": float(np.abs(np.asarray(crawl(scene, seconds)[f"{NAME}.{key}"][:])).max())
        for scene, seconds in scenes.items()
        for key in ("internal_force", "internal_torque")
    }
    return Finding(float(np.max(list(parts.values()))), parts)


@claim(
    id="mujika2018/no-anisotropy-no-travel",
    paper="Mujika 2018 section 8, figure 7 b and d",
    statement="A worm whose friction is the same each way undulates and stays where it is",
    scene=f"worm_b and worm, {SECONDS:g} s: way of the middle of the body from first to last frame",
    sense="at most",
    expected=0.05,
    why="drift of b over that of d; Coulomb's friction that is alike each way still moves a body"
    " that is not alike at both ends, and this one has a blunt head and a pointed tail",
)
def measure_isotropic_drift() -> Finding:
    b, d = crawl_by_mode("worm_b"), crawl_by_mode()
    parts = {"b.drift, cm": worm.net_drift(b), "d.drift, cm": worm.net_drift(d)}
    value = parts["b.drift, cm"] / parts["d.drift, cm"]
    parts |= {"b.way per cycle": worm.way_per_cycle(b), "d.way per cycle": worm.way_per_cycle(d)}
    return Finding(value, parts)


@claim(
    id="mujika2018/alpha-widens",
    paper="Mujika 2018 section 8, figure 7",
    statement="The stronger the activation, the wider the undulation",
    scene=f"worm with alpha = 1, 2, 3, 4 and 5, {SECONDS:g} s each",
    sense="at least",
    expected=0.0,
    unit="body lengths",
    why="smallest gain in the amplitude of the sway from one alpha to the next",
)
def measure_alpha() -> Finding:
    changes = {alpha: [f"{ON_IT}.crawl.alpha={alpha}"] if alpha != 5 else [] for alpha in ALPHAS}
    tracks = {alpha: crawl_by_mode("worm", *change) for alpha, change in changes.items()}
    widths = {f"alpha {alpha}": worm.wave_amplitude(track) for alpha, track in tracks.items()}
    return tell_gain(widths, "sway / length")


@claim(
    id="mujika2018/friction-speeds",
    paper="Mujika 2018 section 8, figure 7",
    statement="The more friction across and backward, the farther the worm crawls in a cycle",
    scene=f"worm with mu_l = 0.1 and mu_h = 0.2, 0.4, 0.6, 0.8 and 1, {SECONDS:g} s each",
    sense="at least",
    expected=0.0,
    unit="body lengths",
    why="smallest gain in the way per cycle from one mu_h to the next",
)
def measure_friction() -> Finding:
    changes = {mu: [GRIPS[mu]] if mu != 1 else [] for mu in FRICTIONS}
    tracks = {mu: crawl_by_mode("worm", *change) for mu, change in changes.items()}
    ways = {f"mu_h {mu}": worm.way_per_cycle(track) for mu, track in tracks.items()}
    return tell_gain(ways, "way per cycle / length")


def tell_gain(values: dict[str, float], label: str) -> Finding:
    """The smallest gain from one value to the next; nan where one is not known."""
    gain = float(np.min([after - before for before, after in pairwise(values.values())]))
    return Finding(gain, values, partial(write_bars, values=values, label=label))


@claim(
    id="mujika2018/best-parameters-travel",
    paper="Mujika 2018 section 8, figure 7 d",
    statement="With alpha = 5, mu_l = 0.1 and mu_h = 1 the worm crawls forward",
    scene=f"worm, {SECONDS:g} s",
    sense="at least",
    expected=0.1,
    unit="body lengths",
    why="way per cycle along the body; the paper shows that it travels and gives no number",
)
def measure_best() -> Finding:
    track = crawl_by_mode()
    parts = {
        "way per cycle": worm.way_per_cycle(track),
        "speed, cm/s": worm.crawl_speed(track),
        "frequency, Hz": worm.crawl_frequency(track),
        "wave direction": worm.wave_direction(track),
    }
    return Finding(parts["way per cycle"], parts)
