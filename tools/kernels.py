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
DOUBLE = ("centipede", "skull", "swimmer", "pool_rain", "jelly_drop", "amphibious")
TELL = """
import json, sys
from skitter.compiled.ahead import ready
from skitter.compiled.signatures import write_types
from skitter.compiled.store import roots
from skitter.scene.load import load_scene
from skitter.world import World
from skitter.world.kernels import list_features
scene = load_scene(sys.argv[1], overrides=sys.argv[2:])
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
    print(f"{name}: {len(told)} kernels")
    return set(features), told


def main() -> None:
    needs: dict[tuple[str, str], set[str]] = {}
    seconds = {(each.name, each.types): each.seconds for each in read_old()}
    asked = [(name,) for name in SCENES] + [(name, "precision=float64") for name in DOUBLE]
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


def read_old() -> list[Entry]:
    return read_list(LIST.read_text()) if LIST.exists() else []


if __name__ == "__main__":
    main()
