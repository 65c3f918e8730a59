"""The files that a scene's terrain names: found beside the scene, and pinned by their content.

A recording stores the absolute path and the hash of such a file and not its content, which may be
a hundred megabytes. To resume, measure or render needs the file where it was; one that has changed
since is noticed, and refused.
"""

import hashlib
from pathlib import Path

from skitter.errors import UserError
from skitter.scene.check import fail
from skitter.scene.describe import quote, suggest
from skitter.scene.overrides import Origin
from skitter.scene.spec import MESH_NAMES, AnyTerrain, HeightfieldTerrain, MeshTerrain, SceneSpec


def hash_file(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def check_content(path: Path, sha256: str | None) -> None:
    """Refuse a file that is not the one the scene was made with."""
    if sha256 is not None and hash_file(path) != sha256:
        raise UserError(
            f"terrain file '{path}' has changed since the scene was made; valid: the file with"
            f" the SHA-256 {sha256[:12]}…, or another run of the scene"
        )


def describe_os_error(error: OSError) -> str:
    return (error.strerror or type(error).__name__).lower()


def find_terrain_files(spec: SceneSpec, origin: Origin) -> SceneSpec:
    """The scene with absolute paths and hashes of its terrain's files."""
    terrain = [find_item_file(item, index, origin) for index, item in enumerate(spec.terrain)]
    if all(new is old for new, old in zip(terrain, spec.terrain, strict=True)):
        return spec
    return spec.model_copy(update={"terrain": terrain})


def find_item_file(item: AnyTerrain, index: int, origin: Origin) -> AnyTerrain:
    """The item with the absolute path and the hash of its file, where it has one."""
    if not isinstance(item, HeightfieldTerrain | MeshTerrain) or item.file is None:
        return item
    if isinstance(item, MeshTerrain) and item.file in MESH_NAMES:
        return item
    location = ("terrain", index, "file")
    try:
        path = (origin.folder_of(location) / item.file).resolve()
        if not path.is_file():
            raise fail(origin.label_of, location, describe_missing(item))
        check_content(path, item.sha256)
        return item.model_copy(update={"file": str(path), "sha256": hash_file(path)})
    except (OSError, ValueError) as error:
        words = describe_os_error(error) if isinstance(error, OSError) else str(error)
        raise fail(origin.label_of, location, f"cannot be read: {words}") from None


def describe_missing(item: HeightfieldTerrain | MeshTerrain) -> str:
    given = str(item.file)
    problem = f"is {quote(given)}, which is not there"
    if isinstance(item, HeightfieldTerrain):
        return f"{problem}; valid: the path of a picture, .npy, .csv or .txt file"
    names = ", ".join(MESH_NAMES)
    near = suggest(given, MESH_NAMES)
    return f"{problem}; {near}valid: {names}, or the path of an OBJ, STL or PLY file"
