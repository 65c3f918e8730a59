"""The built-in scenes and species: their names, titles and files.

Kept apart from the typed specs so that listing them loads nothing but YAML.
"""

from pathlib import Path

from skitter.errors import UserError
from skitter.scene.describe import quote, suggest
from skitter.scene.read_yaml import read_yaml

ROOM = Path(__file__).resolve().parent
SCENE_LIBRARY = ROOM / "library"
SPECIES_LIBRARY = ROOM.parent / "species" / "library"


def list_scenes() -> list[tuple[str, str]]:
    """Name and title of every built-in scene."""
    return list_titles(SCENE_LIBRARY)


def list_species() -> list[tuple[str, str]]:
    """Name and title of every built-in species."""
    return list_titles(SPECIES_LIBRARY)


def list_titles(library: Path) -> list[tuple[str, str]]:
    paths = [library / f"{name}.yaml" for name in list_names(library)]
    return [(path.stem, str(read_yaml(path)["title"])) for path in paths]


def list_names(library: Path) -> list[str]:
    return sorted(path.stem for path in library.glob("*.yaml"))


def find_file(library: Path, given: str, folder: Path, kind: str) -> Path:
    """The file behind a built-in name or a path; a relative path starts at the folder.

    A bare word is a built-in name, unless it is none and a file of that name is there.
    """
    names = list_names(library)
    if given in names:
        return library / f"{given}.yaml"
    path = folder / given
    if looks_like_path(given) or exists(path):
        return path
    raise UserError(
        f"there is no {kind} {quote(given)}; {suggest(given, names)}"
        f"valid: {', '.join(names)}, or the path of a .yaml file"
    )


def looks_like_path(given: str) -> bool:
    return "/" in given or "\\" in given or given.endswith((".yaml", ".yml"))


def exists(path: Path) -> bool:
    """Whether there is such a file; no for names that no file can have."""
    try:
        return path.exists()
    except (OSError, ValueError):
        return False
