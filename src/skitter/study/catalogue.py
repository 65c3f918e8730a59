"""The built-in studies: their names, titles and files, and which command a study is for.

Kept apart from the typed specs so that listing them loads nothing but YAML.
"""

from pathlib import Path
from typing import Any

from skitter.errors import UserError
from skitter.scene.catalogue import exists, list_names, looks_like_path
from skitter.scene.describe import quote, suggest
from skitter.scene.read_yaml import read_yaml

LIBRARY = Path(__file__).resolve().parent / "library"
SWIM = ("swim", "Every stroke of a swimmer, and the least costly one for each speed")
ONLY_TUNE = ("objective", "limits", "failure", "population", "generations", "sigma", "variants")
ONLY_SWEEP = ("measures", "samples")
OF_AXES = ("values", "count", "distribution")  # keys of a sweep's parameters


def find_command(tree: Any) -> str:
    """The command that a study is for; nothing where it does not tell."""
    if not isinstance(tree, dict):
        return ""
    if any(key in tree for key in ONLY_TUNE):
        return "tune"
    parameters = tree.get("parameters")
    some = parameters if isinstance(parameters, list) else []
    has_axes = any(isinstance(one, dict) and any(key in one for key in OF_AXES) for one in some)
    return "sweep" if has_axes or any(key in tree for key in ONLY_SWEEP) else ""


def list_studies() -> list[tuple[str, str, str]]:
    """Name, command and title of every built-in study."""
    trees = {name: read_yaml(LIBRARY / f"{name}.yaml") for name in list_names(LIBRARY)}
    rows = [(name, find_command(tree), str(tree["title"])) for name, tree in trees.items()]
    return sorted([*rows, (SWIM[0], "sweep", SWIM[1])])


def find_study(given: str, command: str) -> Path:
    """The file of a study; a name that is none gets those of the command."""
    if given in list_names(LIBRARY):
        return LIBRARY / f"{given}.yaml"
    path = Path(given)
    if looks_like_path(given) or exists(path):
        return path
    names = [name for name, one, _ in list_studies() if one == command]
    raise UserError(
        f"there is no study {quote(given)}; {suggest(given, names)}valid: {', '.join(names)},"
        " or the path of a .yaml file"
    )
