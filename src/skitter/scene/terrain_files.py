"""The files that a scene's terrain names: found beside the scene, and pinned by their content.

A recording stores the absolute path and the hash of such a file and not its content, which may be
a hundred megabytes. To resume, measure or render needs the file where it was; one that has changed
since is noticed, and refused.
"""

import hashlib
from pathlib import Path

from skitter.disk import BadFile, explain_os_error, open_regular
from skitter.errors import UserError
from skitter.scene.check import fail
from skitter.scene.describe import quote, suggest
from skitter.scene.overrides import Origin
from skitter.scene.spec import MESH_NAMES, HeightfieldTerrain, MeshTerrain, SceneSpec
from skitter.spec import Spec

FILE_LIMIT = 200_000_000  # bytes


def hash_file(path: Path) -> str:
    with open_regular(path, FILE_LIMIT) as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def check_content(path: Path, data: bytes, sha256: str | None) -> None:
    """Refuse a file that is not the one the scene was made with."""
    if sha256 is not None:
        check_hash(path, hashlib.sha256(data).hexdigest(), sha256)


def check_hash(path: Path, found: str, sha256: str | None) -> None:
    if sha256 is not None and found != sha256:
        raise UserError(
            f"terrain file '{path}' has changed since the scene was made; valid: the file with"
            f" the SHA-256 {sha256[:12]}…, or another run of the scene"
        )


def find_terrain_files(spec: SceneSpec, origin: Origin) -> SceneSpec:
    """The scene with absolute paths and hashes of the files of its terrain and obstacles."""
    for key in ("terrain", "obstacles"):
        items = getattr(spec, key)
        found = [find_item_file(item, (key, k, "file"), origin) for k, item in enumerate(items)]
        if any(new is not old for new, old in zip(found, items, strict=True)):
            spec = spec.model_copy(update={key: found})
    return spec


def find_item_file(item: Spec, location: tuple[str, int, str], origin: Origin) -> Spec:
    """The item with the absolute path and the hash of its file, where it has one."""
    if not isinstance(item, HeightfieldTerrain | MeshTerrain) or item.file is None:
        return item
    if isinstance(item, MeshTerrain) and item.file in MESH_NAMES:
        return item
    try:
        path = (origin.folder_of(location) / item.file).resolve()
        if not path.exists():
            raise fail(origin.label_of, location, describe_missing(item))
        found = hash_file(path)
    except BadFile as error:
        raise fail(origin.label_of, location, f"{quote(str(path))} {error}") from None
    except (OSError, ValueError, RuntimeError) as error:  # a name that no file has, links in a ring
        words = explain_os_error(error) if isinstance(error, OSError | ValueError) else "a ring"
        raise fail(origin.label_of, location, f"cannot be read: {words}") from None
    check_hash(path, found, item.sha256)
    return item.model_copy(update={"file": str(path), "sha256": found})


def describe_missing(item: HeightfieldTerrain | MeshTerrain) -> str:
    given = str(item.file)
    problem = f"is {quote(given)}, which is not there"
    if isinstance(item, HeightfieldTerrain):
        return f"{problem}; valid: the path of a picture, .npy, .csv or .txt file"
    names = ", ".join(MESH_NAMES)
    near = suggest(given, MESH_NAMES)
    return f"{problem}; {near}valid: {names}, or the path of an OBJ, STL or PLY file"
