"""The world: terrain, creatures, water, time, and the frame loop.

One frame is one compiled call per creature and one for the water, side by side on threads; they
meet only between frames, so the number of threads changes nothing. What a creature is to the world
stands in `skitter.creatures.creature`.
"""

import math
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor, wait
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from skitter.channel import Channel, Recorded, Static
from skitter.creatures.creature import BALL_ROW, BAR_ROW, Around, Creature
from skitter.creatures.kinds import build_creature
from skitter.creatures.physics import Physics
from skitter.errors import SimulationError, UserError
from skitter.events import Event
from skitter.scene.describe import check_whole
from skitter.scene.load import Scene, load_scene
from skitter.start import check_start, doubt_places, list_doubts
from skitter.state import State, check_same_scene, name_parts, take_part
from skitter.terrain import build_terrain
from skitter.things import Things
from skitter.trails import Trails
from skitter.warn import warn
from skitter.water import Water
from skitter.water.surface import build_no_water
from skitter.world.acting import act
from skitter.world.acting.numbers import note_species, set_gravity
from skitter.world.acting.water import set_rain
from skitter.world.kernels import compile_scene
from skitter.world.meeting import Meetings
from skitter.world.movers import Mover, group_movers
from skitter.world.threads import THREAD_LIMIT, count_threads

Job = Callable[[], None]  # what of a frame can be done at the same time as others
SEED_LIMIT = 2**63
SPARE_LIMIT = 1000
NO_BALLS = np.zeros((0, BALL_ROW))  # of no creature
NO_BARS = np.zeros((0, BAR_ROW))
PHYSICS = 3  # grows when the same state no longer leads to the same bytes; recordings tell it
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
        self.threads = threads or count_threads()
        spec = scene.spec
        compile_scene(scene)
        self.terrain = build_terrain(spec.terrain)
        check_start(scene, self.terrain)
        self.physics = Physics(scene.step, spec.gravity, np.dtype(spec.precision).type)
        *seeds, own, rain = np.random.SeedSequence(seed).spawn(len(spec.creatures) + 2)
        self.things = Things(spec, self.terrain, np.random.default_rng(own), spare=spare)
        self.water = self._build_water(int(rain.generate_state(1, np.uint64)[0]))
        self.trails = Trails(spec.trails) if spec.trails is not None else None
        self._meetings = Meetings([])
        self.added = 0  # creatures that have come since the start
        self.creatures = [
            self.build_creature(scene, index, np.random.default_rng(each))
            for index, each in enumerate(seeds)
        ]
        # what its user may not mean; whoever hears from the user tells it
        self.warnings = list_doubts(scene, seed) + doubt_places(scene, self.creatures, self.terrain)
        if self.water is not None:
            self.water.settle(self._list_bars())
        # one job of a frame is done by whoever advances the world
        self._pool = ThreadPoolExecutor(max(1, self.threads - 1), thread_name_prefix="creature")

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
        world = cls(scene, seed=seed, threads=threads, spare=spare)
        warn(world.warnings)
        return world

    def build_creature(self, scene: Scene, index: int, rng: np.random.Generator) -> Creature:
        """A creature of a scene, in this world but not yet one of its creatures."""
        name, species = scene.creature_names[index], scene.species[index]
        placement = scene.spec.creatures[index]
        one = build_creature(name, species, placement, self.physics, rng)
        one.breed = Path(placement.species).stem
        one.begin(self.look_around())
        return one

    def _build_water(self, seed: int) -> Water | None:
        """The water of the scene."""
        spec, physics = self.scene.spec.water, self.physics
        if spec is None:
            return None
        return Water(
            spec,
            self.terrain,
            self.things.barrier,
            gravity=physics.gravity,
            real=physics.real,
            seed=seed,
        )

    def _list_bars(self) -> np.ndarray:
        """What of all creatures stirs the water [n, BAR_ROW]."""
        return np.concatenate([NO_BARS, *(one.list_bars() for one in self.creatures)])

    @property
    def steps_per_frame(self) -> int:
        return self.scene.steps_per_frame

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
        """Sense; decide and move, all at once; eat, one after the other."""
        try:
            self._lead_water()
            self._move_all(self._gather())
        except SimulationError as error:
            where = f"frame {self.frame + 1} (t = {self.time:.4f} s)"
            raise SimulationError(f"{where}: {error}") from None
        self.frame += 1
        if self.things.has_food:
            for one in self.creatures:
                one.feed(self.things)
        self._meet()

    def _meet(self) -> None:
        """Those who heed others, one after the other; then trails fade."""
        around, others = self.look_around(), {one.name: one for one in self.creatures}
        for one in self.creatures:
            if one.heeds:
                one.meet(others, around)
        if self.trails is not None:
            self.trails.advance(self.frame_time)

    def _lead_water(self) -> None:
        """Let the water's grid go with the creature that it follows, while that is there."""
        if self.water is None or self.water.spec.follow is None:
            return
        for one in self.creatures:
            if one.name == self.water.spec.follow and len(bars := one.list_bars()):
                self.water.follow((bars[:, :3] + bars[:, 3:6]).mean(axis=0) / 2)

    def _gather(self) -> list[Around]:
        """What each creature has around it, as of now."""
        shared = self.look_around()
        if len(self.creatures) == 1:
            return [shared]
        balls = [one.list_balls() for one in self.creatures]
        places = {one.name: one for one in self.creatures}
        heeding = any(one.heeds for one in self.creatures)
        shown = [one.show() for one in self.creatures] if heeding else []
        company: dict[str, np.ndarray] = {}  # what all of one company have around them
        arounds = []
        for index, one in enumerate(self.creatures):
            others = company.get(one.company) if one.company else None
            if others is None:
                others = np.concatenate([NO_BALLS, *self._list_others(index, balls)])
                company[one.company] = others
            watched = places.get(one.watches) if one.watches else None
            at = None if watched is None else watched.position
            seen = (*shown[:index], *shown[index + 1 :]) if one.heeds else ()
            arounds.append(shared._replace(others=others, watched=at, shown=seen))
        return arounds

    def _list_others(self, index: int, balls: list[np.ndarray]) -> list[np.ndarray]:
        """Balls of all that one creature does not move together with."""
        company = self.creatures[index].company
        return [
            own
            for k, (other, own) in enumerate(zip(self.creatures, balls, strict=True))
            if k != index and not (company and other.company == company)
        ]

    def look_around(self) -> Around:
        """What there is now for one that is alone."""
        water = build_no_water() if self.water is None else self.water.surface()
        return Around(
            time=self.time,
            seconds=self.frame_time,
            steps=self.steps_per_frame,
            terrain=self.terrain,
            things=self.things,
            others=NO_BALLS,
            water=water,
            crowd=self.scene.spec.crowd,
            threads=self.threads,
            nest=self.scene.spec.nest,
            trails=self.trails,
        )

    def _move_all(self, arounds: list[Around]) -> None:
        """Creatures and water side by side, on as many threads as are allowed; those who are near
        others in parts, and before each they meet."""
        near = self._find_near()
        for k in near:
            arounds[k] = arounds[k]._replace(near=True)
        movers = group_movers(self.creatures, arounds)
        together = [mover for mover in movers if near.intersection(mover.places)]
        alone = [mover for mover in movers if not near.intersection(mover.places)]
        jobs = self._plan_water() + [mover.advance for mover in alone]
        if together:
            jobs.append(partial(self._move_together, together, sorted(near)))
        self._share(jobs)

    def _find_near(self) -> set[int]:
        """Which creatures may meet somebody in this frame."""
        meetings = self._know_everybody()
        return set(meetings.find_near(self.things.barrier.arrays, self.frame_time))

    def _know_everybody(self) -> Meetings:
        """The meetings of all who are there now."""
        if not self._meetings.is_of(self.creatures):
            self._meetings = Meetings(self.creatures)
        return self._meetings

    def _move_together(self, movers: list[Mover], who: list[int]) -> None:
        """Those who may meet, and all who move with them, through a frame in parts."""
        parts = max(mover.count_parts() for mover in movers)
        for mover in movers:
            mover.start(parts)
        for part in range(parts):
            self._meetings.meet(who, self.things.barrier.arrays, self.frame_time / parts)
            self._share([partial(mover.advance_part, part, parts) for mover in movers])

    def _share(self, jobs: list[Job]) -> None:
        """Do some jobs at the same time, the last of them here."""
        if self.threads == 1:
            for job in jobs:
                job()
            return
        running = [self._pool.submit(job) for job in jobs[:-1]]
        try:
            jobs[-1]()
        finally:
            wait(running)  # all of them, also when one fails: nobody may be left moving
        for future in running:
            future.result()

    def _plan_water(self) -> list[Job]:
        """The water's frame; creatures stir it from where they are now."""
        if self.water is None or self.water.pool is None:
            return []
        threads = max(1, self.threads - len(self.creatures))
        bars, gravity = self._list_bars(), self.physics.gravity
        return [
            partial(self.water.advance, self.frame_time, bars, gravity=gravity, threads=threads)
        ]

    def close(self) -> None:
        """Let go of the threads; the world cannot advance after that."""
        self._pool.shutdown()
        if self.water is not None:
            self.water.close()

    @property
    def _recorded(self) -> list[Recorded]:
        """All that is recorded, in the order of a recording."""
        rest = [self.water, self.trails]
        return [*self.creatures, self.things, *(one for one in rest if one is not None)]

    def channels(self) -> list[Channel]:
        """What every frame of a recording holds."""
        own = [channel for one in self._recorded for channel in one.list_channels()]
        about = "how deep it is in others and obstacles, of half the width of the smaller body"
        return own + [
            Channel(f"{one.name}.overlap", (), (), "float32", "1", about) for one in self.creatures
        ]

    def statics(self) -> list[Static]:
        """What a recording holds once."""
        return [static for one in self._recorded for static in one.list_statics()]

    def read(self) -> dict[str, np.ndarray]:
        """The values of all channels now."""
        values = {name: value for one in self._recorded for name, value in one.read().items()}
        overlaps = self._know_everybody().measure_overlaps(self.things.barrier.arrays)
        for one, overlap in zip(self.creatures, overlaps.astype(np.float32), strict=True):
            values[f"{one.name}.overlap"] = overlap
        return values

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
            "physics": PHYSICS,
            "creatures": creatures,
            "obstacles": [] if self.things.spare else self.things.describe(),
            "obstacle_meshes": self.things.describe_meshes() if self.things.spare else [],
        }

    def state(self) -> State:
        """Everything that changes, as copies: enough to go on from here to the last bit."""
        own = {
            "frame": np.array(self.frame),
            "added": np.array(self.added),
            "gravity": np.array(self.physics.gravity),
        }
        for part in (self.things, self.water, self.trails):
            own |= part.state() if part is not None else {}
        values = name_parts(WORLD, own)
        for one in self.creatures:
            values |= name_parts(one.name, one.state())
        return values

    def restore(self, state: Mapping[str, np.ndarray]) -> None:
        """Go back to a state taken from a world of the same scene."""
        check_same_scene(self.state(), state)
        own = take_part(state, WORLD)
        self.frame, self.added = int(own["frame"]), int(own["added"])
        set_gravity(self, float(own["gravity"]))
        self.things.restore(own)
        if self.water is not None:
            self.water.barrier = self.things.barrier
            self.water.restore(own)
            set_rain(self, self.water.rain)
        if self.trails is not None:
            self.trails.restore(own)
        for one in self.creatures:
            one.restore(take_part(state, one.name))
            note_species(self, one)
