"""A world that runs in a thread of its own, in real time, and listens between two frames.

Nobody else touches the world: whatever a person does is handed over and carried out by this thread
before the next frame. What others see is a copy of each frame.
"""

import queue
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from skitter.errors import UserError
from skitter.events import AddCreature, Event, RemoveCreature
from skitter.record import RecordingWriter
from skitter.record.memory import FrameWindow, MemoryRecording
from skitter.scene.load import Scene, load_scene
from skitter.view.pace import Pace
from skitter.view.session import describe_error
from skitter.world import World

SPARE = 32  # things that may be added to a scene
WINDOW = 6.0  # s of frames that are kept to be shown
SPEED_RANGE = (0.05, 8.0)  # simulated seconds per second
CHECK = 0.1  # s between looks at the inbox while nothing else is to be done


@dataclass
class Take:
    """A recording under way."""

    writer: RecordingWriter
    folder: Path
    start: int  # frame of the world

    @property
    def frame_count(self) -> int:
        return self.writer.frame_count


class LiveSession:
    """Runs a scene until it is closed."""

    def __init__(self, scene: Scene, *, seed: int = 0, threads: int | None = None) -> None:
        self.generation = self.version = 0
        self.speed = 1.0
        self.paused = False
        self.message = ""
        self.take: Take | None = None
        self._threads = threads
        self._inbox: queue.SimpleQueue[Callable[[], None]] = queue.SimpleQueue()
        self._closing = threading.Event()
        self._steps = 0
        self._pace = Pace()
        self._clock = time.monotonic()
        self._build(scene, seed)
        self._thread = threading.Thread(target=self._run, name="world", daemon=True)

    def start(self) -> None:
        """Begin to run; the first frame is already there to be shown."""
        self._thread.start()

    # what others see

    def recording(self) -> MemoryRecording:
        return self._window.snapshot()

    def frames(self) -> MemoryRecording:
        return self._window.snapshot(2)

    def now(self) -> float:
        """One frame behind the newest, so that there is always a next one to move towards."""
        frame = self.world.frame_time
        since = (time.monotonic() - self._clock) * self.speed
        return self._time - frame + (frame if self.paused else min(since, frame))

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

    def post(self, event: Event) -> None:
        """Something a person does."""
        self._inbox.put(lambda: self._apply(event))

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

    def reset(self, seed: int | None = None) -> None:
        """Back to the start, maybe with another seed."""
        self._inbox.put(lambda: self._load(self._scene, self.seed if seed is None else seed))

    def load(self, source: str, seed: int | None = None) -> None:
        """Another scene."""
        chosen = self.seed if seed is None else seed
        self._inbox.put(lambda: self._load(load_scene(source), chosen))

    def record(self, folder: Path) -> None:
        """Keep every frame from here on."""
        self._inbox.put(lambda: self._begin_take(folder))

    def finish(self, done: Callable[[Take], None] | None = None) -> None:
        """End the recording."""
        self._inbox.put(lambda: self._end_take(done))

    def close(self) -> None:
        """Stop, and finish what is being recorded."""
        self._closing.set()
        self._inbox.put(lambda: None)
        if self._thread.is_alive():
            self._thread.join()
        self._end_take()
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
        """Carry out what was asked for; while paused, wait for it."""
        try:
            asked = self._inbox.get(timeout=CHECK) if block else self._inbox.get_nowait()
        except queue.Empty:
            return
        while True:
            try:
                asked()
            except Exception as error:
                self.message = describe_error(error)
            try:
                asked = self._inbox.get_nowait()
            except queue.Empty:
                return

    def _advance(self) -> None:
        """One frame; one that fails stops the world, and says so."""
        self._steps = max(0, self._steps - 1)
        try:
            self.world.advance()
        except Exception as error:
            self.message = f"{describe_error(error)}; reset to go on"
            self.paused, self._steps = True, 0
            return
        self._show()
        self._pace.mark(self.world.time)
        if self.take is not None:
            try:
                self.take.writer.append(self.world.time, self.world.read())
            except Exception as error:
                self.message, self.take = f"recording stopped: {describe_error(error)}", None

    def _show(self) -> None:
        self._window.append(self.world.time, self.world.read())
        self._time, self._clock = self.world.time, time.monotonic()
        self.version += 1

    def _count_step(self) -> None:
        self._steps += 1

    def _apply(self, event: Event) -> None:
        changes_cast = isinstance(event, AddCreature | RemoveCreature)
        self.world.apply(event)
        self.message = ""
        if changes_cast:
            self._end_with_cast()
            self._open_window()
        elif self.paused:
            self._show()  # so that it can be seen at once

    def _end_with_cast(self) -> None:
        """A recording has one cast from its first frame to its last."""
        if self.take is not None:
            name = self.take.folder.name
            self._end_take()
            self.message = f"the recording {name} ended here, because the cast is another now"

    def _load(self, scene: Scene, seed: int) -> None:
        world = World(scene, seed=seed, threads=self._threads, spare=SPARE)
        self._end_take()
        self.world.close()
        self._take_over(scene, seed, world)

    def _build(self, scene: Scene, seed: int) -> None:
        world = World(scene, seed=seed, threads=self._threads, spare=SPARE)
        self._take_over(scene, seed, world)

    def _take_over(self, scene: Scene, seed: int, world: World) -> None:
        self._scene, self.seed, self.world, self.message = scene, seed, world, ""
        self._open_window()

    def _open_window(self) -> None:
        world = self.world
        limit = max(3, round(WINDOW * world.scene.spec.frame_rate))
        self._window = FrameWindow(
            world.attributes(), world.channels(), world.statics(), limit=limit
        )
        self._pace.restart()
        self._show()
        self.generation += 1

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
        self.take = Take(writer, folder, world.frame)
        writer.append(world.time, world.read())

    def _end_take(self, done: Callable[[Take], None] | None = None) -> None:
        take, self.take = self.take, None
        if take is not None:
            take.writer.close()
            if done is not None:
                done(take)
