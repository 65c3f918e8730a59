"""A world of one falling point, to test what runs and records worlds without any physics."""

import math
from collections.abc import Callable
from types import SimpleNamespace

import numpy as np

import skitter.runner
from skitter.errors import SimulationError
from skitter.record import Channel
from skitter.world.world import PHYSICS


class FakeWorld:
    """As much of `skitter.world.World` as the runner uses. Moves a little at random."""

    warnings: tuple[str, ...] = ()
    fails_at = None  # frame at which the simulation breaks
    on_frame: Callable[[int], None] = staticmethod(lambda frame: None)

    def __init__(self, scene, *, seed=0, threads=None):
        self.scene, self.seed = scene, seed
        self.random = np.random.default_rng(seed)
        self.frame, self.time, self.height = 0, 0.0, 1.0
        self.terrain = None
        self.creatures = [SimpleNamespace(top_speed=math.nan)]  # as if it had flown apart

    def advance(self, seconds):
        self.frame += 1
        self.time = self.frame / self.scene.spec.frame_rate
        self.height -= seconds * self.random.random()
        self.on_frame(self.frame)
        if self.frame == self.fails_at:
            raise SimulationError("chain: flew apart at 0.1 s; try a shorter time_step")

    def channels(self):
        return [Channel("point.height", (), (), "float64", "cm", "of the point")]

    def statics(self):
        return []

    def read(self):
        return {"point.height": np.float64(self.height)}

    def state(self):
        words = self.random.bit_generator.state["state"]
        halves = [
            words[key] >> shift & (2**64 - 1) for key in ("state", "inc") for shift in (0, 64)
        ]
        return {
            "frame": np.int64(self.frame),
            "height": np.float64(self.height),
            "random": np.array(halves, np.uint64),
        }

    def restore(self, state):
        self.frame, self.height = int(state["frame"]), float(state["height"])
        self.time = self.frame / self.scene.spec.frame_rate
        low, high, inc_low, inc_high = map(int, state["random"])
        generator = self.random.bit_generator.state
        generator["state"] = {"state": low | high << 64, "inc": inc_low | inc_high << 64}
        self.random.bit_generator.state = generator

    def attributes(self):
        return {
            "seed": self.seed,
            "scene": self.scene.to_dict(),
            "creatures": [],
            "physics": PHYSICS,
        }


def install_fake_world(monkeypatch):
    """Let the runner build fake worlds for the length of a test."""

    class World(FakeWorld):
        pass

    monkeypatch.setattr(skitter.runner, "World", World)
    return World
