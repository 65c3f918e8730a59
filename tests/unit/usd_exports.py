"""USD files of the corpus, each written once."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

from orders import make_order
from skitter.export.clip import plan_clip
from skitter.export.summary import Summary
from skitter.export.usd.write import export_usd

FPS = 30


class UsdExports:
    """A function from a name of the corpus to its recording, the file and what was told of it."""

    def __init__(self, recorded: Callable[[str], Any], folder: Path) -> None:
        self._recorded, self._folder = recorded, folder
        self._known: dict[str, tuple[Any, Path, Summary]] = {}

    def __call__(self, name: str) -> tuple[Any, Path, Summary]:
        if name not in self._known:
            recording = self._recorded(name)
            path = self._folder / f"{name.replace('/', '_')}.usdc"
            told = export_usd(make_order(recording, path, clip=plan_clip(recording, fps=FPS)))
            self._known[name] = recording, path, told
        return self._known[name]
