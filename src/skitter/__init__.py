"""Skitter simulates and animates invertebrates that move by themselves.

    import skitter
    recording = skitter.run("falling_chain", seconds=2, seed=0)
    recording.measure()

The names below are loaded at first use, so that `import skitter` costs nothing.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from skitter.recording import Recording
    from skitter.runner import run
    from skitter.warn import SkitterWarning
    from skitter.world import World

    __version__: str

__all__ = ["Recording", "SkitterWarning", "World", "__version__", "run"]

HOMES = {
    "run": "skitter.runner",
    "World": "skitter.world",
    "Recording": "skitter.recording",
    "SkitterWarning": "skitter.warn",
}


def __getattr__(name: str) -> Any:
    if name == "__version__":
        return read_version()
    if name not in HOMES:
        raise AttributeError(f"module 'skitter' has no attribute '{name}'")
    value = globals()[name] = getattr(import_module(HOMES[name]), name)
    return value


def read_version() -> str:
    """The version of the installed package; a bare checkout on the path has none."""
    from importlib.metadata import PackageNotFoundError, version

    try:
        return version("skitter")
    except PackageNotFoundError:
        return "0+unknown"


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
