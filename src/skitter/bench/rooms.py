"""`skitter bench rooms`: what each room of the code costs in the default scene.

Two equal worlds take turns. One runs as ever and tells how long a step and a frame take; the other
hands a clock through its steps (see skitter/clock.py). A room's record has microseconds per step,
or per frame if it works once a frame; its baseline is all of the step, or of the frame, so that the
ratio is its share. What the rooms leave over is `unexplained`.

On a busy machine a whole frame is hardly ever undisturbed. So each part counts by its own fastest
rounds, and a frame is their sum; the rooms of a step count by the fastest calls of all its steps.
"""

import tempfile
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from typing import Any

import numpy as np

from skitter.bench import Record, make_record
from skitter.clock import LAST, ROOMS, build_clock, read_counter
from skitter.compiled import kernel
from skitter.creatures.animal import Animal
from skitter.record import RecordingWriter
from skitter.world import World

SCENE = "centipede"
START = 1.0  # s of the scene before anything is measured
ROUNDS = 800  # of one frame: short enough to be undisturbed now and then
BEST = 40  # one of so many rounds counts, the fastest ones
MOVE, REST = "move", "rest"  # of a frame: the creatures, and what nobody claims
STEPS, ENTER, LOOK, FEED, READ, WRITE = (
    "frame-steps", "creatures/figure", "world/look", "world/feed", "creatures/frame",
    "record/writer",
)  # fmt: skip
ABOUT = dict(ROOMS) | {
    STEPS: "all steps of the frame",
    ENTER: "into compiled code and out again",
    LOOK: "what is around each creature",
    FEED: "food that has been reached",
    READ: "the values of all channels",
    WRITE: "the frame into the recording",
}
Costs = dict[str, float]  # seconds per frame, by room


class Watch:
    """Adds up the seconds that some calls take."""

    def __init__(self) -> None:
        self.seconds: Costs = {}

    def time(self, name: str, call: Callable[..., Any]) -> Callable[..., Any]:
        """The same call, timed."""

        def timed(*arguments: Any, **options: Any) -> Any:
            start = time.perf_counter()
            result = call(*arguments, **options)
            self.seconds[name] = self.seconds.get(name, 0.0) + time.perf_counter() - start
            return result

        return timed


class Subject:
    """A scene that runs and is recorded, watched at what it does once a frame."""

    def __init__(self, scene: str, folder: str, *, has_clock: bool):
        self.watch, self.clock = Watch(), build_clock()
        self.world = world = World.from_scene(scene, threads=1)
        rate = world.scene.spec.frame_rate
        self.writer = RecordingWriter.create(
            folder, world.channels(), world.statics(), world.attributes(), rate
        )
        time_call = self.watch.time
        for one in world.creatures:
            assert isinstance(one, Animal)
            one.clock = self.clock if has_clock else None
            for name, method in ((MOVE, "advance"), (LOOK, "sense"), (FEED, "feed")):
                setattr(one, method, time_call(name, getattr(one, method)))
        world._gather = time_call(LOOK, world._gather)  # type: ignore[method-assign]
        self.read, self.write = time_call(READ, world.read), time_call(WRITE, self.writer.append)
        world.advance(START)

    def run(self) -> tuple[Costs, np.ndarray]:
        """What each part of the next frame cost, and the ticks of the clock."""
        self.clock[:LAST] = 0
        costs = self.watch.seconds = {}
        start = time.perf_counter()
        self.world.advance()
        self.write(self.world.time, self.read())
        costs[REST] = time.perf_counter() - start - sum(costs.values())
        return costs, self.clock[:LAST].copy()

    def close(self) -> None:
        self.writer.close()
        self.world.close()


@contextmanager
def build_subject(scene: str, *, has_clock: bool) -> Iterator[Subject]:
    with tempfile.TemporaryDirectory(prefix="skitter-") as folder:
        subject = Subject(scene, f"{folder}/recording", has_clock=has_clock)
        yield subject
        subject.close()


@kernel
def read_ticks():
    return read_counter()


def run_rooms(scene: str = SCENE, rounds: int = ROUNDS) -> list[Record]:
    """Steps per second of a world that is not recorded; all of a step and its rooms, dearest first;
    the same of a recorded frame."""
    with (
        build_subject(scene, has_clock=False) as plain,
        build_subject(scene, has_clock=True) as clocked,
    ):
        first, start = read_ticks(), time.perf_counter()
        turns = [(plain.run(), clocked.run()) for _ in range(rounds)]
        tick = (time.perf_counter() - start) / (read_ticks() - first)
        steps, frame_time = plain.world.steps_per_frame, plain.world.frame_time
    frames = [costs for (costs, _), _ in turns]
    frame = {name: average_best(frames, name)[name] for name in frames[0]}
    laps = [name_laps(tick * ticks) | {MOVE: costs[MOVE]} for _, (costs, ticks) in turns]
    rooms = average_best(laps, MOVE)
    frame[ENTER] = rooms.pop(MOVE) - sum(rooms.values())
    total = sum(frame.values()) - frame[ENTER]
    step = (frame.pop(MOVE) - frame[ENTER]) / steps
    speed = steps / (total - frame[READ] - frame[WRITE])
    del frame[REST]
    return [
        make_record("rooms-speed", speed, "steps/s", steps / frame_time),
        make_record("rooms-step", 1e6 * step, "us/step", 1e6 * frame_time / steps),
        *list_rooms("step", step, {name: cost / steps for name, cost in rooms.items()}),
        make_record("rooms-frame", 1e6 * total, "us/frame", 1e6 * frame_time),
        *list_rooms("frame", total, {STEPS: step * steps} | frame),
    ]


def name_laps(seconds: np.ndarray) -> Costs:
    """The laps of a frame by the names of their rooms."""
    return {name: float(lap) for (name, _), lap in zip(ROOMS, seconds, strict=True)}


def average_best(rounds: list[Costs], key: str) -> Costs:
    """The mean of the rounds that were fastest in one respect."""
    best = sorted(rounds, key=lambda costs: costs[key])[: max(1, len(rounds) // BEST)]
    return {name: float(np.mean([costs[name] for costs in best])) for name in best[0]}


def list_rooms(noun: str, total: float, costs: Mapping[str, float]) -> list[Record]:
    """A record of every room that took part, dearest first, and of what they do not explain."""
    rooms = sorted(costs.items(), key=lambda item: -item[1])
    rest = total - sum(costs.values())
    return [
        make_record(f"rooms-{name}", 1e6 * cost, f"us/{noun}", 1e6 * total, about=ABOUT[name])
        for name, cost in rooms
        if cost
    ] + [make_record(f"rooms-{noun}-unexplained", 1e6 * rest, f"us/{noun}", 1e6 * total)]
