"""Lets a scene live for long, and looks whether it stays well.

    python tools/soak.py [SCENE] [--minutes M] [--seed N] [-o DIR] [--resume]

It records the run, samples how much memory the process has, and at the end opens the recording,
looks how long any animal stayed in one place, and lets the last part happen once more from a state
taken before it. Exit code 1 if memory grew, an animal was stuck, or the second time differed.
"""

import argparse
import json
import sys
from contextlib import closing
from pathlib import Path
from typing import Any

import numpy as np

from skitter.console import print_rows, say
from skitter.errors import SkitterError
from skitter.measure.body import longest_stay
from skitter.progress import Progress
from skitter.record import Recording, RecordingWriter
from skitter.world.world import World

SAMPLE = 10.0  # s, simulated, from one look at the memory to the next
CHECKPOINT = 60.0  # s, from one state that is kept to the next, for `skitter run --resume`
WARM = 0.2  # of the run, in which memory may still grow: buffers and caches come about
GROWTH_MOST = 32.0  # MiB, afterwards; a frame kept by mistake would add up to more
STAY_MOST = 60.0  # s
AGAIN = 20.0  # s at the end that happen twice, or a quarter of a shorter run
LOOSE = ("object",)  # things do not go anywhere by themselves


def read_memory() -> float:
    """Memory of this process, MiB."""
    pages = int(Path("/proc/self/statm").read_text().split()[1])
    return pages * 4096 / 2**20


def begin(world: World, folder: Path, resume: bool) -> RecordingWriter:
    """A recording with its first frame; or one that ended early, and the world as it was then."""
    if resume:
        writer, state = RecordingWriter.resume(folder)
        if state is not None:
            world.restore(state)
            return writer
    else:
        parts = (world.channels(), world.statics(), world.attributes())
        writer = RecordingWriter.create(folder, *parts, world.scene.spec.frame_rate)
    writer.append(world.time, world.read())
    return writer


def live(world: World, folder: Path, frames: int, resume: bool) -> dict[str, Any]:
    """Run and record; memory by time, and the state from which the end begins."""
    rate = world.scene.spec.frame_rate
    again = frames - round(min(AGAIN * rate, frames / 4))
    memory, state, progress = [], {}, Progress()
    with closing(progress), begin(world, folder, resume) as writer:
        progress.start(world.frame, frames, rate)
        for frame in range(world.frame + 1, frames + 1):
            world.advance()
            writer.append(world.time, world.read())
            progress.update(frame)
            if frame % round(SAMPLE * rate) == 0:
                memory.append(read_memory())
            if frame % round(CHECKPOINT * rate) == 0:
                writer.save_checkpoint(world.state())
            if frame == again:
                state = world.state()
    return {"memory": memory, "state": state, "again": again}


def happens_again(world: World, recording: Recording, state: Any, start: int) -> bool:
    """Whether the last part comes out the same from the state before it, to the last bit."""
    world.restore(state)
    for frame in range(start + 1, recording.frame_count):
        world.advance()
        for name, now in world.read().items():
            before = np.asarray(recording[name][frame])
            if not np.array_equal(before, np.asarray(now).astype(before.dtype)):
                return False
    return True


def find_growth(memory: list[float]) -> float:
    """MiB by which the most of the last fifth exceeds the most of the fifth after the warm one."""
    fifth = max(1, int(WARM * len(memory)))
    if len(memory) < 3:
        return 0.0
    return max(memory[-fifth:]) - max(memory[fifth : 2 * fifth])


def soak(
    source: str, minutes: float, seed: int, folder: Path, resume: bool = False
) -> dict[str, Any]:
    world = World.from_scene(source, seed=seed)
    frames = round(60 * minutes * world.scene.spec.frame_rate)
    lived = live(world, folder, frames, resume)
    recording = Recording.open(folder)
    stays = {
        one["name"]: longest_stay(recording, one["name"])
        for one in recording.creatures
        if one["kind"] not in LOOSE
    }
    return {
        "scene": source,
        "simulated_s": float(recording.time[-1]),
        "memory_mib": lived["memory"],
        "memory_growth_mib": find_growth(lived["memory"]),
        "longest_stay_s": stays,
        "again_s": (frames - lived["again"]) / world.scene.spec.frame_rate,
        "same_again": happens_again(world, recording, lived["state"], lived["again"]),
    }


def judge(found: dict[str, Any]) -> bool:
    """Print what was found; whether all of it is well."""
    growth, stays = found["memory_growth_mib"], found["longest_stay_s"]
    slowest = max(stays, key=lambda name: stays[name])
    rows = [
        ("simulated", f"{found['simulated_s']:.0f} s", True),
        ("memory after warming up grew by", f"{growth:.1f} MiB", growth <= GROWTH_MOST),
        (f"longest stay, {slowest}", f"{stays[slowest]:.1f} s", stays[slowest] <= STAY_MOST),
        ("the end again, the same bits", f"{found['again_s']:.0f} s", found["same_again"]),
    ]
    print_rows([(what, value, "well" if good else "NOT WELL") for what, value, good in rows])
    return all(good for _, _, good in rows)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("scene", nargs="?", default="zoo")
    parser.add_argument("--minutes", type=float, default=30.0, help="simulated")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("-o", "--output", type=Path, default=Path("out/soak"))
    parser.add_argument("--resume", action="store_true", help="go on with one that ended early")
    given = parser.parse_args()
    folder = given.output / "recording"
    try:
        found = soak(given.scene, given.minutes, given.seed, folder, given.resume)
    except SkitterError as error:
        say(f"soak: {error}")
        return 2
    (given.output / "soak.json").write_text(json.dumps(found, indent=1) + "\n")
    return 0 if judge(found) else 1


if __name__ == "__main__":
    sys.exit(main())
