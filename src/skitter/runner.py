"""Running a scene into a recording: the loop behind `skitter run` and `skitter.run`."""

import tempfile
import time
import weakref
from collections.abc import Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from skitter.endings import Ending, Stopped, ending_later
from skitter.errors import SimulationError, UserError
from skitter.measure.fate import describe_fates
from skitter.progress import Progress
from skitter.record import RecordingWriter
from skitter.record.files import temporary_path
from skitter.record.metadata import ROOT_FILE
from skitter.recording import Recording
from skitter.scene.describe import check_whole
from skitter.scene.load import Override, Scene, load_scene
from skitter.start.blame import explain_failure
from skitter.warn import warn
from skitter.world.threads import THREAD_LIMIT
from skitter.world.world import PHYSICS, SEED_LIMIT, World

CHECKPOINT_INTERVAL = 2.0  # s of the clock
MAY_CHANGE = ("seconds", "camera")  # of a scene whose recording is continued

Source = str | Path | Mapping[str, Any]
Moment = tuple[float, dict[str, np.ndarray]]  # a time and the values of all channels then


class Interrupted(Stopped):
    """A request to end between two frames: the recording is whole up to here and can go on."""

    def __init__(self, folder: Path, frame: int, last: int, number: int) -> None:
        super().__init__(f"stopped at frame {frame} of {last}", number)
        self.folder, self.frame, self.last = folder, frame, last


@dataclass(frozen=True)
class Job:
    """A run that has been checked and may write."""

    scene: Scene
    seed: int
    threads: int | None
    folder: Path
    resume: bool
    overwrite: bool


def run(
    source: Source,
    *,
    seconds: float | None = None,
    seed: int = 0,
    output: str | Path | None = None,
    overrides: Sequence[str | Override] = (),
    threads: int | None = None,
    resume: bool = False,
    overwrite: bool = False,
    progress: Progress | None = None,
) -> Recording:
    """Simulate a scene (a built-in name, a file or a dict) and return its recording.

    Without `output` the recording lives in a temporary directory, as long as the object does.
    """
    if seconds is not None:
        overrides = [*overrides, Override(f"seconds={seconds!r}", ("seconds",), seconds)]
    scene = load_scene(source, overrides=overrides)
    if output is not None:
        return execute(
            prepare(scene, output, seed=seed, threads=threads, resume=resume, overwrite=overwrite),
            progress,
        )
    temporary = tempfile.TemporaryDirectory(prefix="skitter-")
    job = prepare(scene, Path(temporary.name) / "recording", seed=seed, threads=threads)
    recording = execute(job, progress)
    recording.is_temporary = True
    weakref.finalize(recording, temporary.cleanup)
    return recording


def prepare(
    scene: Scene,
    output: str | Path,
    *,
    seed: int = 0,
    threads: int | None = None,
    resume: bool = False,
    overwrite: bool = False,
) -> Job:
    """Check all that can be checked before the first byte is written."""
    check_whole("seed", seed, 0, SEED_LIMIT - 1)
    if threads is not None:
        check_whole("threads", threads, 1, THREAD_LIMIT)
    if resume and overwrite:
        raise UserError("--resume and --overwrite exclude each other; valid: one of them")
    folder = Path(output)
    is_recording = check_folder(folder, may_exist=resume or overwrite)
    if resume and is_recording:
        check_same_run(folder, scene, seed)
    return Job(scene, seed, threads, folder, resume and is_recording, overwrite)


def check_folder(folder: Path, *, may_exist: bool) -> bool:
    """Whether the folder holds a recording; anything that may not be touched is refused.

    What a run left that was killed before its recording was there may be written anew.
    """
    root = folder / ROOT_FILE
    try:
        is_recording = root.is_file()
        is_remnant = not is_recording and temporary_path(root).is_file()
        if folder.exists() and not folder.is_dir():
            raise UserError(f"{folder}: is a file; valid: a new directory for the recording")
        if folder.is_dir() and not (is_recording or is_remnant) and any(folder.iterdir()):
            raise UserError(f"{folder}: holds other files; valid: a new or empty directory")
    except (OSError, ValueError) as error:
        words = getattr(error, "strerror", None) or str(error)
        raise UserError(f"{folder}: cannot be used for a recording: {words.lower()}") from None
    if is_recording and not may_exist:
        raise UserError(
            f"{folder}: holds a recording already; valid: another directory,"
            " --resume to continue it, or --overwrite to replace it"
        )
    return is_recording


def check_same_run(folder: Path, scene: Scene, seed: int) -> None:
    """A recording is continued only by the run that began it; it may end later."""
    recording = Recording.open(folder)
    if recording.attributes.get("live"):
        raise UserError(
            f"{folder}: was recorded live, and what was done then cannot be done again;"
            " valid: another directory, or --overwrite to replace it"
        )
    physics = recording.attributes.get("physics", 1)
    if physics != PHYSICS:
        raise UserError(
            f"{folder}: was recorded by physics {physics}; this is physics {PHYSICS}, which"
            " would not continue it to the bit; valid: another directory, or --overwrite"
        )
    if recording.seed != seed:
        raise UserError(f"{folder}: was recorded with seed {recording.seed}; found seed {seed}")
    # as it would be written down today: what has come since then is as it is left out
    before, now = Scene.from_dict(recording.scene).to_dict(), scene.to_dict()
    changed = [key for key in now if key not in MAY_CHANGE and before.get(key) != now[key]]
    if changed:
        raise UserError(
            f"{folder}: was recorded from a scene with another {', '.join(changed)};"
            " valid: the same scene and --set, or --overwrite to start again"
        )
    recorded = recording.frame_count - 1
    if recorded > scene.frame_count:
        raise UserError(
            f"{folder}: holds {recorded / scene.spec.frame_rate:.6g} s already;"
            f" valid: at least that many seconds, found {scene.spec.seconds:.6g}"
        )


def execute(job: Job, progress: Progress | None = None) -> Recording:
    """Simulate the first frame, then write: what cannot be run leaves nothing behind."""
    progress = progress or Progress(quiet=True)
    progress.prepare()
    last, rate = job.scene.frame_count, job.scene.spec.frame_rate
    with closing(progress):
        world = World(job.scene, seed=job.seed, threads=job.threads)
        progress.start(0, last, rate)
        start = [] if job.resume else simulate_start(world)
        warn(world.warnings)
        with ending_later() as ending, open_writer(job, world) as writer:
            if writer.frame_count == 0:
                for moment in start or simulate_start(world):
                    writer.append(*moment)
                progress.update(1)
            else:
                progress.start(writer.frame_count - 1, last, rate)
            record(world, writer, job, progress, ending)
    if ending.number is not None:
        raise Interrupted(job.folder, writer.frame_count - 1, last, ending.number)
    recording = Recording.open(job.folder)
    warn(describe_fates(recording, world.terrain))
    return recording


def simulate_start(world: World) -> list[Moment]:
    """The moment of birth and the first frame; should that fail, the scene is at fault."""
    birth = read_moment(world)
    try:
        world.advance(1 / world.scene.spec.frame_rate)
    except SimulationError as error:
        raise UserError(explain_failure(world.scene, world.creatures, str(error))) from error
    return [birth, read_moment(world)]


def read_moment(world: World) -> Moment:
    return world.time, {name: np.array(values) for name, values in world.read().items()}


def open_writer(job: Job, world: World) -> RecordingWriter:
    """A new recording, or the one to continue with the world set back to its checkpoint."""
    if not job.resume:
        rate = job.scene.spec.frame_rate
        return RecordingWriter.create(
            job.folder,
            world.channels(),
            world.statics(),
            world.attributes(),
            rate,
            overwrite=job.overwrite,
        )
    writer, state = RecordingWriter.resume(job.folder, world.attributes(), world.channels())
    if state is not None:
        try:
            world.restore(state)
        except (ArithmeticError, LookupError, TypeError, ValueError) as error:
            writer.close()
            raise UserError(
                f"{job.folder}: its checkpoint does not fit ({type(error).__name__}: {error});"
                " valid: without checkpoint.npz it starts again at frame 0"
            ) from error
    return writer


def record(
    world: World,
    writer: RecordingWriter,
    job: Job,
    progress: Progress,
    ending: Ending,
) -> None:
    """The loop: advance a frame, append it, and keep a checkpoint to continue from.

    A request to end is heard between two frames."""
    last, rate = job.scene.frame_count, job.scene.spec.frame_rate
    saved = time.monotonic()
    for frame in range(writer.frame_count, last + 1):
        world.advance(1 / rate)
        writer.append(world.time, world.read())
        progress.update(frame)
        if ending.is_asked():
            break
        if time.monotonic() - saved > CHECKPOINT_INTERVAL:
            writer.save_checkpoint(world.state())
            saved = time.monotonic()
    writer.save_checkpoint(world.state())
