"""One point of a sweep: a job that travels as a message, and what comes of it.

A job holds the whole scene with its species, so that who runs it needs no file of the sweep's; only
terrain files are named by their path and content, and sent along where they are not too large.
"""

import json
import math
import socket
import zlib
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any

import skitter
from skitter.errors import SkitterError, UserError
from skitter.scene.load import Scene
from skitter.study.record import record

if TYPE_CHECKING:
    from skitter.record import Recording
    from skitter.world.world import World

RECEIVED: dict[str, str] = {}  # terrain files that were sent here, by the hash of their content


@dataclass(frozen=True)
class Outcome:
    """What came of a point: measures by full id, and why there are not all of them."""

    measures: dict[str, float]
    reason: str = ""


@dataclass(frozen=True)
class TerrainFile:
    """A file that a scene needs."""

    path: str
    sha256: str


def pack_job(
    scene: Scene, *, seed: int, settle: float, creature: str, measures: list[str]
) -> bytes:
    """All that decides a point."""
    job = {
        "scene": scene.to_dict(),
        "seed": seed,
        "settle": settle,
        "creature": creature,
        "measures": measures,
        "version": skitter.__version__,
    }
    return zlib.compress(json.dumps(job).encode())


def list_files(scene: Scene) -> list[TerrainFile]:
    """The files that a scene reads."""
    terrain = scene.spec.model_dump(mode="json")["terrain"]
    pairs = [(item.get("file"), item.get("sha256")) for item in terrain]
    return [TerrainFile(path, sha256) for path, sha256 in pairs if path and sha256]


def run_point(packed: bytes) -> Outcome:
    """Run and measure a point. What lies in the point is its outcome; what lies in this computer,
    as a full disk or another version of Skitter, is raised."""
    from skitter.record import Recording
    from skitter.world.world import World

    job = json.loads(zlib.decompress(packed))
    check_version(job["version"])
    try:
        scene = Scene.from_dict(place_files(job["scene"]))
        world = World(scene, seed=job["seed"], threads=1)
    except SkitterError as error:
        return Outcome({}, str(error))
    except (OSError, MemoryError):
        raise
    except Exception as error:
        return Outcome({}, describe_error(error))
    with closing(world), TemporaryDirectory(prefix="skitter-sweep-") as folder:
        path = Path(folder) / "recording"
        reason = simulate(world, path, job["settle"])
        if reason:
            return Outcome({}, reason)
        return measure_point(Recording.open(path), job["creature"], job["measures"])


def simulate(world: "World", path: Path, settle: float) -> str:
    """Run a world into a recording; why it came no further."""
    try:
        return record(world, path, settle)[1]
    except (SkitterError, OSError, MemoryError):
        raise
    except Exception as error:
        return describe_error(error)


def measure_point(recording: "Recording", creature: str, wanted: list[str]) -> Outcome:
    """The measures that are asked for, all of the creature where none is; why one is missing is
    told where it raised."""
    from skitter.measure import measure

    failures: dict[str, str] = {}
    told = measure(recording, failures=failures)
    values = {id: one.value for id, one in told.items() if math.isfinite(one.value)}
    if wanted:
        found = {id: values[id] for id in wanted if id in values}
    else:
        found = {id: value for id, value in values.items() if id.startswith(f"{creature}.")}
    return Outcome(found, explain(failures, creature, wanted))


def explain(failures: dict[str, str], creature: str, wanted: list[str]) -> str:
    """The first measure that raised of those that count."""
    for id, error in failures.items():
        is_part = id.endswith("_") and any(one.startswith(id) for one in wanted)
        if id in wanted or is_part or (not wanted and id.startswith(f"{creature}.")):
            return f"measure {id.removesuffix('_')}: {error}"
    return ""


def describe_error(error: Exception) -> str:
    return " ".join(f"{type(error).__name__}: {error}".split())


def check_version(wanted: str) -> None:
    if skitter.__version__ != wanted:
        raise UserError(
            f"{socket.gethostname()} has skitter {skitter.__version__} and the sweep {wanted};"
            " valid: the same version everywhere"
        )


def place_files(scene: dict[str, Any]) -> dict[str, Any]:
    """The scene with the places that its files have here."""
    terrain = [place_file(item) for item in scene["terrain"]]
    return {**scene, "terrain": terrain}


def place_file(item: dict[str, Any]) -> dict[str, Any]:
    path, sha256 = item.get("file"), item.get("sha256")
    if not path or not sha256:
        return item
    if sha256 in RECEIVED:
        return {**item, "file": RECEIVED[sha256]}
    if not Path(path).is_file():
        raise UserError(
            f"terrain file '{path}' is not on {socket.gethostname()}; valid: the same file there,"
            " or one small enough to be sent"
        )
    return item


def receive_file(sha256: str, path: str) -> None:
    """A terrain file was sent here."""
    RECEIVED[sha256] = path
