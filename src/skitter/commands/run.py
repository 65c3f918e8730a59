"""`skitter run`: check everything, simulate, record, and film where asked."""

from pathlib import Path
from typing import TYPE_CHECKING, Any

from skitter.commands.render import check_file, draw_film
from skitter.console import print_report, say
from skitter.errors import SimulationError, UserError
from skitter.progress import Progress
from skitter.scene.describe import count
from skitter.scene.load import Override, Scene, load_scene
from skitter.scene.read_yaml import read_scalar

if TYPE_CHECKING:
    from skitter.record import Recording
    from skitter.runner import Job


def run_scene(
    source: str,
    output: Path,
    *,
    seconds: str | None,
    changes: list[str],
    video: Path | None,
    as_json: bool,
    **options: Any,
) -> None:
    """Run and report; `options` are those of `skitter.runner.prepare`."""
    scene = load_scene(source, overrides=[*changes, *read_seconds(seconds)])
    check_video(video, output)

    from skitter.runner import prepare

    job = prepare(scene, output, **options)
    progress = Progress()
    recording = execute_job(job, progress)
    if video is not None:
        draw_film(recording, video)
    report = make_report(scene, options["seed"], recording.frame_count, progress)
    report |= {"recording": str(output), "video": None if video is None else str(video)}
    print_report({"run": report}) if as_json else say(describe_report(report))


def execute_job(job: "Job", progress: Progress) -> "Recording":
    """Run; should the simulation fail, the line says what was recorded until then."""
    from skitter.record import Recording
    from skitter.runner import execute

    try:
        return execute(job, progress)
    except SimulationError as error:
        kept = count(Recording.open(job.folder).frame_count, "frame")
        raise SimulationError(f"{error}; {kept} before that kept in {job.folder}") from error


def read_seconds(given: str | None) -> list[Override]:
    """`--seconds` as a change of the scene, so that it meets the checks of the field."""
    if given is None:
        return []
    return [Override(f"--seconds {given}", ("seconds",), read_scalar(given))]


def check_video(video: Path | None, output: Path) -> None:
    """Refuse a film that cannot be made, before anything is simulated."""
    if video is None:
        return
    from skitter.render.output import FILMS

    check_file(video, FILMS)
    if output.resolve() in video.resolve().parents:
        raise UserError(f"--video {video}: lies inside the recording; valid: a file elsewhere")


def make_report(scene: Scene, seed: int, frames: int, progress: Progress) -> dict[str, Any]:
    """What was simulated: `seconds` of the scene, and how many of them a second of the clock."""
    return {
        "scene": scene.name,
        "seed": seed,
        "frames": frames,
        "seconds": (frames - 1) / scene.spec.frame_rate,
        "real_time_factor": progress.real_time_factor,
    }


def describe_report(report: dict[str, Any]) -> str:
    factor = report["real_time_factor"]
    speed = f", {factor:.3g}× real time" if factor > 0 else ", nothing was left to do"
    film = f", filmed in {report['video']}" if report["video"] else ""
    return (
        f"{report['scene']}: {report['seconds']:.4g} s in {report['frames']} frames"
        f"{speed}, recorded in {report['recording']}{film}"
    )
