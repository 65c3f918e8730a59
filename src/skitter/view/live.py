"""A world that runs in a thread of its own, in real time, and listens between two frames.

Nobody else touches the world: whatever a person does is handed over and carried out by this thread
before the next frame. What others see is a copy of each frame.
"""

import queue
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from skitter.errors import UserError
from skitter.events import AddCreature, Event, RemoveCreature
from skitter.record import RecordingWriter
from skitter.record.memory import FrameWindow, MemoryRecording
from skitter.scene.load import Scene, load_scene
from skitter.terrain import Terrain
from skitter.view.pace import Pace
from skitter.view.room import Room
from skitter.view.session import Charge, View, charge_nobody, describe_error
from skitter.world import World

SPARE = 32  # things that may be added to a scene
WINDOW = 6.0  # s of frames that are kept to be shown
SPEED_RANGE = (0.05, 8.0)  # simulated seconds per second
SHOW_INTERVAL = 1 / 30  # s of the clock between frames that a world shows while it is behind
LONGEST_INTERVAL = 0.5  # s of the clock that a move from one frame to the next is spread over
MOST_WAITING = 500  # events that may wait for a frame
LISTEN = 0.02  # s between two frames that may go into what was asked for
CHECK = 0.1  # s between looks at the inbox while nothing else is to be done


@dataclass
class Take:
    """A recording under way."""

    writer: RecordingWriter
    folder: Path

    @property
    def frame_count(self) -> int:
        return self.writer.frame_count


@dataclass(frozen=True)
class Present:
    """What others may see of the world; replaced as a whole when it is another."""

    generation: int
    window: FrameWindow
    terrain: Terrain
    charge: Charge = charge_nobody  # who asked for it


class LiveSession:
    """Runs a scene until it is closed."""

    def __init__(self, scene: Scene, *, seed: int = 0, threads: int | None = None) -> None:
        self.version = 0
        self.speed = 1.0
        self.paused = False
        self.message = ""
        self.take: Take | None = None
        self.first = scene
        self._threads = threads
        self._inbox: queue.SimpleQueue[Callable[[], None]] = queue.SimpleQueue()
        self._closing = threading.Event()
        self._request: Callable[[], None] | None = None  # to begin anew; only the last one counts
        self._present: Present | None = None
        self._steps = 0
        self._pace = Pace()
        self._clock = time.monotonic()  # when the newest frame came
        self._interval = 1.0  # s of the clock between the last two
        self._build(scene, seed)
        self._thread = threading.Thread(target=self._run, name="world", daemon=True)

    def start(self) -> None:
        """Begin to run; the first frame is already there to be shown."""
        self._thread.start()

    # what others see

    @property
    def present(self) -> Present:
        assert self._present is not None
        return self._present

    @property
    def generation(self) -> int:
        """Counts up with every reset, scene and cast."""
        return self.present.generation

    def recording(self) -> MemoryRecording:
        return self.present.window.snapshot()

    def frames(self) -> MemoryRecording:
        return self.present.window.snapshot(2)

    def now(self) -> float:
        return self.view().moment

    def view(self) -> View:
        """Between the last two frames, so that there is always one to move towards.

        It takes as long from the one to the other as it took the world, which is smooth also where
        the world is slow.
        """
        present, version = self.present, self.version
        frames = present.window.snapshot(2)
        first, last = float(frames.time[0]), float(frames.time[-1])
        way = min((time.monotonic() - self._clock) / self._interval, 1.0)
        moment = last if self.paused else first + way * (last - first)
        return View(
            present.generation, version, frames, moment, lambda: present.terrain, present.charge
        )

    @property
    def factor(self) -> float | None:
        """Simulated seconds per second of the clock, lately."""
        return None if self.paused else self._pace.factor

    @property
    def is_behind(self) -> bool:
        """Whether the machine cannot keep up with the speed that is asked for."""
        factor = self.factor
        return factor is not None and factor < 0.95 * self.speed

    # what others ask for; carried out before the next frame

    def post(self, event: Event, charge: Charge | None = None) -> None:
        """Something a person does; `charge` is told what it takes, where a page asks for it."""
        if self._inbox.qsize() < MOST_WAITING:
            self._inbox.put(lambda: self._apply(event, charge))
        else:
            self.message = "that was too much at once, and some of it is left out"

    def pause(self) -> None:
        self.paused = True

    def go(self) -> None:
        self.message, self.paused = "", False

    def step(self) -> None:
        self.paused = True
        self._inbox.put(self._count_step)

    def set_speed(self, speed: float) -> None:
        low, high = SPEED_RANGE
        self.speed = min(max(float(speed), low), high)
        self._inbox.put(self._pace.restart)

    def reset(self, seed: int | None = None, charge: Charge | None = None) -> None:
        """Back to the start, maybe with another seed."""
        self._begin(lambda: self._load(self._scene, self.seed if seed is None else seed, charge))

    def load(self, name: str, seed: int | None = None, charge: Charge | None = None) -> None:
        """Another scene, which runs at once: a built-in one, or the one it all began with."""
        chosen = self.seed if seed is None else seed

        def load() -> None:
            self._load(self.first if name == self.first.name else load_scene(name), chosen, charge)
            self.paused = False

        self._begin(load)

    def _begin(self, request: Callable[[], None]) -> None:
        self._request = request
        self._inbox.put(lambda: None)  # wakes a world that is paused

    def record(self, folder: Path) -> None:
        """Keep every frame from here on."""
        self._inbox.put(lambda: self._begin_take(folder))

    def finish(self) -> None:
        """End the recording."""
        self._inbox.put(self._end_take)

    def close(self) -> None:
        """Stop, and finish what is being recorded."""
        self._closing.set()
        self._inbox.put(lambda: None)
        if self._thread.is_alive():
            self._thread.join()
        try:
            self._end_take()
        finally:
            self.world.close()

    # the thread

    def _run(self) -> None:
        while not self._closing.is_set():
            self._listen(block=self.paused and self._steps == 0)
            if self._closing.is_set() or (self.paused and self._steps == 0):
                self._pace.restart()
                continue
            if self._steps == 0:
                self._rest(self._pace.wait(self.world.frame_time, self.speed))
            self._advance()

    def _rest(self, seconds: float) -> None:
        if seconds > 0:
            self._closing.wait(seconds)

    def _listen(self, *, block: bool) -> None:
        """Carry out what was asked for, for a while; while paused, wait for it."""
        end = time.monotonic() + LISTEN
        try:
            asked = self._inbox.get(timeout=CHECK) if block else self._inbox.get_nowait()
            while True:
                self._attempt(asked)
                if time.monotonic() > end:
                    break
                asked = self._inbox.get_nowait()
        except queue.Empty:
            pass
        request, self._request = self._request, None
        if request is not None:
            self._attempt(request)

    def _attempt(self, asked: Callable[[], None]) -> None:
        try:
            asked()
        except Exception as error:
            self.message = describe_error(error)

    def _advance(self) -> None:
        """One frame; one that fails stops the world, and says so."""
        self._steps, start = max(0, self._steps - 1), time.monotonic()
        try:
            self.world.advance()
        except Exception as error:
            self.message = f"{describe_error(error)}; reset to go on"
            self.paused, self._steps = True, 0
            return
        self._pace.mark(self.world.time)
        if not self.is_behind or time.monotonic() - self._clock > SHOW_INTERVAL:
            self._show()  # reading a frame takes time too, which a world that is behind has not
        self._room.mark(time.monotonic() - start, len(self.world.creatures))
        if self.take is not None:
            try:
                self.take.writer.append(self.world.time, self.world.read())
            except Exception as error:
                self.message, self.take = f"recording stopped: {describe_error(error)}", None

    def _show(self) -> None:
        self.present.window.append(self.world.time, self.world.read())
        now = time.monotonic()
        self._interval = min(max(now - self._clock, 1e-3), LONGEST_INTERVAL)
        self._clock = now
        self.version += 1

    def _count_step(self) -> None:
        self._steps += 1

    def _apply(self, event: Event, charge: Charge | None) -> None:
        with timed(charge):
            if charge is not None and isinstance(event, AddCreature):
                self._room.check(len(self.world.creatures), self.world.frame_time, self.speed)
            self.world.apply(event)
            self.message = ""
            if isinstance(event, AddCreature | RemoveCreature):
                self._end_early("the cast is another now")
                self._open_window(charge)
            elif self.paused:
                self._show()  # so that it can be seen at once

    def _end_early(self, reason: str) -> None:
        """A recording has one scene and one cast from its first frame to its last."""
        if self.take is not None:
            name = self.take.folder.name
            self._end_take()
            self.message = f"the recording {name} ended here, because {reason}"

    def _load(self, scene: Scene, seed: int, charge: Charge | None) -> None:
        with timed(charge):
            world = World(scene, seed=seed, threads=self._threads, spare=SPARE)
            self.message = ""
            self._end_early("the scene began anew")
            self.world.close()
            self._take_over(scene, seed, world, charge)

    def _build(self, scene: Scene, seed: int) -> None:
        world = World(scene, seed=seed, threads=self._threads, spare=SPARE)
        self._take_over(scene, seed, world)

    def _take_over(
        self, scene: Scene, seed: int, world: World, charge: Charge | None = None
    ) -> None:
        self._scene, self.seed, self.world = scene, seed, world
        self._room = Room(world.threads)
        self._open_window(charge)

    def _open_window(self, charge: Charge | None = None) -> None:
        """A new window with a first frame in it, and then, at once, in place of the old one."""
        world = self.world
        limit = max(3, round(WINDOW * world.scene.spec.frame_rate))
        window = FrameWindow(world.attributes(), world.channels(), world.statics(), limit=limit)
        window.append(world.time, world.read())
        number = 1 if self._present is None else self._present.generation + 1
        self._pace.restart()
        self._clock = time.monotonic()
        self._present = Present(number, window, world.terrain, charge or charge_nobody)
        self.version += 1

    def _begin_take(self, folder: Path) -> None:
        if self.take is not None:
            raise UserError(f"a recording is under way in {self.take.folder}; finish it first")
        world = self.world
        writer = RecordingWriter.create(
            folder,
            world.channels(),
            world.statics(),
            world.attributes() | {"live": True},
            world.scene.spec.frame_rate,
        )
        try:
            writer.append(world.time, world.read())
        except BaseException:
            writer.close()
            raise
        self.take = Take(writer, folder)

    def _end_take(self) -> None:
        if self.take is not None:
            try:
                self.take.writer.close()
            finally:
                self.take = None  # only now: who sees that it has ended may open it


@contextmanager
def timed(charge: Charge | None) -> Iterator[None]:
    """Tell whoever asked for what is done within the block how long it took."""
    start = time.monotonic()
    try:
        yield
    finally:
        if charge is not None:
            charge(time.monotonic() - start)
