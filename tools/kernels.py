"""Writes the lists of kernels that are compiled ahead, from scenes that need them.

    python tools/kernels.py

Each scene is run for a frame in a process of its own, which tells what kernels it called. What a
kernel needs of a scene is what all scenes that call it have in common. The seconds are those of the
process that compiled it, or those of the old list: to measure all anew, empty the cache first.
"""

import json
import subprocess
import sys
from pathlib import Path

from skitter.compiled.ahead import LIST
from skitter.compiled.listing import Entry, read_list, write_list

HOME = Path(__file__).resolve().parents[1]
SCENES = (
    "centipede", "skull", "turn", "hunt", "amphibious", "wading", "coil", "trail", "zoo",
    "swimmer", "pool_rain", "jelly_drop", "falling_chain", "floating_cubes", "sca_letters",
    "worm", "worm_muscles", "worm_swimming", "worm_uneven",
    "roach_tripod", "roach_wires", "roach_hills", "roach_drop",
    "tarantula", "block_pile", "spider_crowd", "precipice",
)  # fmt: skip
# Two of them, one inside the other, so that they meet in the first frame.
MEETINGS = ("giant_centipede", "eel", "chain", "roach", "tarantula", "block", "c_elegans")
DOUBLE = ("centipede", "skull", "swimmer", "pool_rain", "jelly_drop", "amphibious")
TELL = """
import json, sys
from skitter.compiled.ahead import ready
from skitter.compiled.signatures import write_types
from skitter.compiled.store import roots
from skitter.scene.load import load_scene
from skitter.world import World
from skitter.world.kernels import list_features
source = json.loads(sys.argv[1]) if sys.argv[1].startswith("{") else sys.argv[1]
scene = load_scene(source, overrides=sys.argv[2:])
ready.add(frozenset(list_features(scene)))  # so that this process compiles, and can tell how long
world = World(scene)
world.advance()
world.read()
told = [(root.name, write_types(root.arguments), root.seconds) for root in roots]
print(json.dumps([sorted(list_features(scene)), told]))
"""


def ask_scene(name: str, *changes: str) -> tuple[set[str], list[tuple[str, str, float]]]:
    """The features of a scene and the kernels that its first frame calls."""
    command = [sys.executable, "-c", TELL, name, *changes]
    features, told = json.loads(subprocess.check_output(command, cwd=HOME))
    print(f"{name[:60]}: {len(told)} kernels")
    return set(features), told


def main() -> None:
    needs: dict[tuple[str, str], set[str]] = {}
    seconds = {(each.name, each.types): each.seconds for each in read_old()}
    asked = [(name,) for name in SCENES] + [(name, "precision=float64") for name in DOUBLE]
    asked += [(write_meeting(name),) for name in MEETINGS]
    asked.append((write_meeting("giant_centipede"), "precision=float64"))
    for scene in asked:
        features, told = ask_scene(*scene)
        for name, types, took in told:
            key = name, types
            needs[key] = needs.get(key, features) & features
            seconds[key] = took or seconds.get(key, 0.1)
    entries = [
        Entry(frozenset(features), seconds[key], *key)
        for key, features in needs.items()
        if key[0].startswith("skitter.")
    ]
    LIST.write_text(write_list(entries))
    print(f"{LIST.name}: {len(entries)} kernels, {sum(each.seconds for each in entries):.0f} s")


def write_meeting(species: str) -> str:
    """A scene in which two of a species meet, and an obstacle."""
    both = [
        {"species": species, "name": name, "at": [0, at, 0]}
        for name, at in (("one", 1.0), ("other", 1.02))
    ]
    scene = {
        "title": f"{species} meets {species}",
        "seconds": 1,
        "terrain": [{"shape": "plane"}],
        "creatures": both,
        "obstacles": [{"shape": "sphere", "at": [0, 1, 0], "radius": 1.0}],
    }
    return json.dumps(scene)


def read_old() -> list[Entry]:
    return read_list(LIST.read_text()) if LIST.exists() else []


if __name__ == "__main__":
    main()
