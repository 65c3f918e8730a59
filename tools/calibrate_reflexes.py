"""Prints limits of the roach's reflexes, found from undisturbed walking (McKenna 1990 section 4.1).

Walks on level ground, slow and fast, with short and full strides, are watched at every interval of
the gait; limits lie beyond all that happens there. Run it anew when motor programs, springs or the
body change, and put what it prints into `gait.reflexes` of the species. With --check it tells how
often each reflex acts in the same walks, with all of them on and the limits of the species; in
undisturbed walking none should.
"""

import argparse
from collections.abc import Iterator
from math import ceil, floor

import numpy as np
import yaml

from skitter.control.stepping.calibrate import calibrate_reflexes
from skitter.world import World

Limits = dict[str, dict[str, dict[str, float]]]
RATE = 1000  # frames per second: the gait decides once in a frame
SECONDS = 2.0
HERTZ = (2.0, 3.5, 5.0, 6.5, 8.0, 10.0)
STRIDES = (0.6, 1.0)
MARGIN = 0.2  # beyond what happens, of the range or the size
LEAST = 100.0  # dyn, a twentieth of the roach's weight: below, it is not worth a reflex
ALL_ON = {key: {"on": True} for key in ("step", "load", "elevator")}


def build_world(species: str, hertz: float, *, reflexes: bool) -> World:
    changes = {"gait": {"frequency": hertz, "reflexes": ALL_ON if reflexes else {}}}
    scene = {
        "title": "Undisturbed",
        "seconds": SECONDS,
        "frame_rate": RATE,
        "terrain": [{"shape": "plane", "friction": 0.7}],
        "creatures": [{"species": species, "name": "it", "with": changes}],
    }
    return World.from_scene(scene)


def watch(world: World, stride: float) -> dict[str, np.ndarray]:
    """What legs do and feel [moment, leg], and how often reflexes acted [3]."""
    creature = world.creatures[0]
    creature.drive[1:3] = stride
    rows: dict[str, list[np.ndarray]] = {"stepping": [], "angle": [], "load": [], "blocked": []}
    for _ in range(round(SECONDS * RATE)):
        world.advance(1 / RATE)
        rows["stepping"].append(creature.gait_state.stepping.copy())
        for key in ("angle", "load", "blocked"):
            rows[key].append(getattr(creature.sensed, key).copy())
    found = {key: np.array(row) for key, row in rows.items()}
    return found | {"acted": creature.gait_state.reflex.sum(axis=0)}


def list_walks(
    species: str, *, reflexes: bool = False
) -> Iterator[tuple[str, dict[str, np.ndarray], World]]:
    for hertz in HERTZ:
        for stride in STRIDES:
            world = build_world(species, hertz, reflexes=reflexes)
            yield f"{hertz:g} Hz, stride {stride:g}", watch(world, stride), world


def calibrate(found: dict[str, np.ndarray], world: World) -> Limits:
    """Limits that one walk keeps."""
    names = world.creatures[0].plan.leg_name
    seen = {key: found[key] for key in ("stepping", "angle", "load", "blocked")}
    return calibrate_reflexes(names, **seen, margin=MARGIN, least=LEAST)


def widen(found: list[Limits]) -> Limits:
    """Limits that all walks keep: the rearmost angle, the largest forces; in round numbers that lie
    no nearer."""
    rearmost = {
        pair: floor(min(one["step"]["angle_deg"][pair] for one in found))
        for pair in found[0]["step"]["angle_deg"]
    }
    limits: Limits = {"step": {"angle_deg": rearmost}}
    for reflex, key in (("load", "most"), ("elevator", "force")):
        by_pair = {
            pair: 10 * ceil(max(one[reflex][key][pair] for one in found) / 10)
            for pair in found[0][reflex][key]
        }
        limits[reflex] = {key: by_pair}
    return limits


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--species", default="roach", help="a built-in name or a file")
    parser.add_argument("--check", action="store_true", help="only count how often reflexes act")
    told = parser.parse_args()
    if told.check:
        for name, found, _ in list_walks(told.species, reflexes=True):
            print(f"{name}: step, load and elevator reflexes acted {found['acted'].tolist()} times")
        return
    found = [calibrate(one, world) for _, one, world in list_walks(told.species)]
    print(yaml.safe_dump({"reflexes": widen(found)}, default_flow_style=None, sort_keys=False))


if __name__ == "__main__":
    main()
