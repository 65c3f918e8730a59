"""The world: terrain, creatures, water, time, and the frame loop.

One frame is one compiled call per creature, each on its own thread, and one for the water; they
meet only between frames, so the number of threads changes nothing.
"""

import math
import os
from collections.abc import Mapping, Sequence
from concurrent.futures import Future, ThreadPoolExecutor, wait
from pathlib import Path
from typing import Any

import numpy as np

from skitter.acting import act
from skitter.acting.numbers import read_numbers, restore_numbers, set_gravity
from skitter.acting.water import set_rain
from skitter.channel import Channel, Static
from skitter.control.walker import BUMP, Surroundings
from skitter.creatures.animal import Animal
from skitter.creatures.figure import Figure
from skitter.creatures.frame import list_channels, list_statics, read_frame
from skitter.creatures.myriapod import Myriapod
from skitter.creatures.physics import Physics
from skitter.creatures.stir import list_stirrers
from skitter.creatures.swimmer import Swimmer
from skitter.errors import SimulationError, UserError
from skitter.events import Event
from skitter.scene.describe import check_whole
from skitter.scene.load import Scene, load_scene
from skitter.species.myriapod import MyriapodSpec
from skitter.species.swimmer import SwimmerSpec
from skitter.start import check_start
from skitter.state import State, check_same_scene, copy_state, restore_state, take_part
from skitter.terrain import build_terrain
from skitter.terrain.surface import TerrainArrays
from skitter.things import Things
from skitter.water import Water
from skitter.water.surface import WaterSurface, build_no_water

SEED_LIMIT = 2**63
NOBODY = np.zeros((0, 4))  # balls of no creature
THREAD_LIMIT = 1024
SPARE_LIMIT = 1000
NO_BARS = np.zeros((0, 14))  # of no creature
WORLD = "World"  # begins the names of its own state; no creature can be called so


class World:
    """A running scene. One that could only fly apart is refused (see skitter.start)."""

    def __init__(self, scene: Scene, *, seed: int = 0, threads: int | None = None, spare: int = 0):
        """`spare` is how many pieces of food and how many obstacles may come besides the scene's;
        with any, all things may be moved, and a recording has them frame by frame."""
        check_whole("seed", seed, 0, SEED_LIMIT - 1)
        check_whole("spare", spare, 0, SPARE_LIMIT)
        if threads is not None:
            check_whole("threads", threads, 1, THREAD_LIMIT)
        self.scene, self.seed, self.frame = scene, seed, 0
        spec = scene.spec
        self.steps_per_frame = scene.steps_per_frame
        self.terrain = build_terrain(spec.terrain)
        check_start(scene, self.terrain)
        self.physics = Physics(scene.step, spec.gravity, np.dtype(spec.precision).type)
        *seeds, own, rain = np.random.SeedSequence(seed).spawn(len(spec.creatures) + 2)
        self.things = Things(spec, self.terrain, np.random.default_rng(own), spare=spare)
        self.steered: set[str] = set()  # creatures that somebody leads by hand
        self.added = 0  # creatures that have come since the start
        self.creatures = [
            self.build_creature(scene, index, np.random.default_rng(each))
            for index, each in enumerate(seeds)
        ]
        self.threads = threads or os.cpu_count() or 1
        self.water = self._build_water(int(rain.generate_state(1, np.uint64)[0]))
        self._pool = ThreadPoolExecutor(threads, thread_name_prefix="creature")

    def build_creature(self, scene: Scene, index: int, rng: np.random.Generator) -> Figure:
        """A creature of a scene, in this world but not yet one of its creatures."""
        terrain, physics = self.terrain, self.physics
        name, species = scene.creature_names[index], scene.species[index]
        placement = scene.spec.creatures[index]
        if isinstance(species, MyriapodSpec):
            around = Surroundings(
                self.things.barrier.arrays, np.zeros((0, 4)), self.things.smell(), False
            )
            return Myriapod(name, species, placement, physics, rng, terrain, around)
        if isinstance(species, SwimmerSpec):
            return Swimmer(name, species, placement, physics, rng)
        return Figure(name, species, placement, physics, rng)

    def _build_water(self, seed: int) -> Water | None:
        """The water of the scene, still around the creatures."""
        spec, physics = self.scene.spec.water, self.physics
        if spec is None:
            return None
        water = Water(
            spec,
            self.terrain,
            self.things.barrier,
            gravity=physics.gravity,
            real=physics.real,
            seed=seed,
        )
        water.settle(self._list_stirrers())
        return water

    def _list_stirrers(self) -> np.ndarray:
        """The bars of all creatures that move water [n, 14]."""
        return np.concatenate([NO_BARS, *(list_stirrers(one) for one in self.creatures)])

    @classmethod
    def from_scene(
        cls,
        source: str | Path | Mapping[str, Any],
        *,
        seed: int = 0,
        overrides: Sequence[str] = (),
        threads: int | None = None,
        spare: int = 0,
    ) -> "World":
        """A world from a built-in scene's name, a scene file or a dict of the same form."""
        scene = load_scene(source, overrides=overrides)
        return cls(scene, seed=seed, threads=threads, spare=spare)

    @property
    def frame_time(self) -> float:
        """Length of a frame, s."""
        return 1 / self.scene.spec.frame_rate

    @property
    def time(self) -> float:
        """Simulated time, s."""
        return self.frame / self.scene.spec.frame_rate

    def apply(self, event: Event) -> None:
        """Carry out what a person does, between two frames; a mistake changes nothing."""
        act(self, event)
        if self.water is not None:
            self.water.set_barrier(self.things.barrier)

    def advance(self, seconds: float | None = None) -> None:
        """Advance by whole frames: one, or as many as `seconds` has."""
        if seconds is None:
            frames = 1
        elif isinstance(seconds, int | float) and 0 < seconds < math.inf:
            frames = round(seconds * self.scene.spec.frame_rate)
        else:
            frames = 0
        if frames < 1:
            raise UserError(f"cannot advance by {seconds} s: a frame lasts {self.frame_time:g} s")
        for _ in range(frames):
            self._advance_frame()

    def _advance_frame(self) -> None:
        try:
            self._follow()
            water = self._surface()
            self._move_all(self._look_around(water), water)
        except SimulationError as error:
            where = f"frame {self.frame + 1} (t = {self.time:.4f} s)"
            raise SimulationError(f"{where}: {error}") from None
        self.frame += 1
        self._feed()

    def _surface(self) -> WaterSurface:
        """The water's surface as of now."""
        return build_no_water() if self.water is None else self.water.surface()

    def _follow(self) -> None:
        """Let the water's grid go with the creature that it follows, while that is there."""
        if self.water is None or self.water.spec.follow is None:
            return
        for one in self.creatures:
            if one.name == self.water.spec.follow and len(bars := list_stirrers(one)):
                self.water.follow((bars[:, :3] + bars[:, 3:6]).mean(axis=0) / 2)

    def _move_all(self, arounds: list[Surroundings | None], water: WaterSurface) -> None:
        """Each creature on a thread of its own, and the water on others; the last one needs none,
        which is faster."""
        running = self._move_water()
        *others, last = (
            (one, (self.steps_per_frame, self.terrain, around, water))
            for one, around in zip(self.creatures, arounds, strict=True)
        )
        running += [self._pool.submit(one.advance, *given) for one, given in others]
        one, given = last
        try:
            one.advance(*given)
        finally:
            wait(running)  # all of them, also when one fails: nobody may be left moving
        for future in running:
            future.result()

    def _move_water(self) -> list[Future[None]]:
        """Start the water's frame; creatures stir it from where they are now."""
        if self.water is None or self.water.pool is None:
            return []
        threads = max(1, self.threads - len(self.creatures))
        bars, gravity = self._list_stirrers(), self.physics.gravity
        advance = self.water.advance
        return [self._pool.submit(advance, self.frame_time, bars, gravity=gravity, threads=threads)]

    def _look_around(self, water: WaterSurface) -> list[Surroundings | None]:
        """What each creature with a brain has around it, as of now; swimmers decide here."""
        balls = [one.list_balls() if len(self.creatures) > 1 else NOBODY for one in self.creatures]
        food = self.things.smell()
        arounds: list[Surroundings | None] = []
        for index, one in enumerate(self.creatures):
            if not isinstance(one, Animal):
                arounds.append(None)
                continue
            if one.name not in self.steered:
                one.obey(self.time)
            others = np.concatenate([NOBODY, *balls[:index], *balls[index + 1 :]])
            around = Surroundings(self._obstruct(one), others, food, one.is_puppet)
            if water.density > 0:
                one.look(self.time, self.frame_time, self.terrain, around, water)
            arounds.append(around)
        return arounds

    def _obstruct(self, one: Animal) -> TerrainArrays:
        """The obstacles that hinder a creature."""
        barrier = self.things.obstruct(one.body_position.astype(float))
        if isinstance(one, Myriapod) and self.things.spare and len(barrier.kind) == 0:
            one.walker_state.head[BUMP] = 0.0  # a head feels only where there are obstacles
        return barrier

    def _feed(self) -> None:
        """Between frames, creatures eat what their mouths have reached, in their order."""
        if not self.things.has_food:
            return
        for one in self.creatures:
            if isinstance(one, Animal):
                one.food_count[0] += self.things.eat(one.mouth, one.bite)

    def close(self) -> None:
        """Let go of the threads; the world cannot advance after that."""
        self._pool.shutdown()
        if self.water is not None:
            self.water.close()

    def channels(self) -> list[Channel]:
        """What every frame of a recording holds."""
        own = [channel for creature in self.creatures for channel in list_channels(creature)]
        water = self.water.list_channels() if self.water else []
        return own + self.things.list_channels() + water

    def statics(self) -> list[Static]:
        """What a recording holds once."""
        own = [static for creature in self.creatures for static in list_statics(creature)]
        water = self.water.list_statics() if self.water else []
        return own + self.things.list_statics() + water

    def read(self) -> dict[str, np.ndarray]:
        """The values of all channels now."""
        values: dict[str, np.ndarray] = {}
        for creature in self.creatures:
            values |= read_frame(creature)
        return values | self.things.read() | (self.water.read() if self.water else {})

    def attributes(self) -> dict[str, Any]:
        """What a recording says about itself."""
        creatures = [
            {
                "name": creature.name,
                "kind": creature.kind,
                "species": placement.species,
                "look": creature.species.look.model_dump(),
            }
            for creature, placement in zip(self.creatures, self.scene.spec.creatures, strict=True)
        ]
        return {
            "scene": self.scene.to_dict(),
            "seed": self.seed,
            "creatures": creatures,
            "obstacles": [] if self.things.spare else self.things.describe(),
        }

    def state(self) -> State:
        """Everything that changes, as copies: enough to go on from here to the last bit."""
        values = {
            f"{WORLD}.frame": np.array(self.frame),
            f"{WORLD}.added": np.array(self.added),
            f"{WORLD}.gravity": np.array(self.physics.gravity),
        }
        shared = self.things.state() | (self.water.state() if self.water else {})
        values |= {f"{WORLD}.{name}": array for name, array in shared.items()}
        for one in self.creatures:
            own = copy_state(one)
            if isinstance(one, Myriapod):
                own["led"] = np.array([one.is_puppet, one.name in self.steered], np.uint8)
                own["numbers"] = read_numbers(one.species)
            values |= {f"{one.name}.{name}": array for name, array in own.items()}
        return values

    def restore(self, state: Mapping[str, np.ndarray]) -> None:
        """Go back to a state taken from a world of the same scene."""
        check_same_scene(self.state(), state)
        own = take_part(state, WORLD)
        self.frame, self.added = int(own["frame"]), int(own["added"])
        set_gravity(self, float(own["gravity"]))
        self.things.restore(own)
        if self.water is not None:
            self.water.restore(own, self.things.barrier)
            set_rain(self, self.water.rain)
        for one in self.creatures:
            own = take_part(state, one.name)
            if isinstance(one, Myriapod):
                restore_numbers(self, one, own["numbers"])
                one.is_puppet, is_steered = (bool(led) for led in own["led"])
                (self.steered.add if is_steered else self.steered.discard)(one.name)
            restore_state(one, own)
