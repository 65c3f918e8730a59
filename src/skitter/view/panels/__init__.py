"""The panels beside the picture: play, touch, tune, understand, keep.

Each is a class that adds its controls once and is asked to refresh a few times a second. They hold
no state of the world: they set what the studio shows, or hand events to the session.
"""

from typing import TYPE_CHECKING, Any, Protocol

from skitter.view.panels.keep import KeepPanel
from skitter.view.panels.play import PlayPanel
from skitter.view.panels.status import describe_status
from skitter.view.panels.touch import TouchPanel
from skitter.view.panels.tune import TunePanel
from skitter.view.panels.understand import UnderstandPanel

if TYPE_CHECKING:
    from skitter.view.studio import Studio

TABS: dict[str, Any] = {
    "Play": PlayPanel,
    "Touch": TouchPanel,
    "Tune": TunePanel,
    "Understand": UnderstandPanel,
    "Keep": KeepPanel,
}


class Panel(Protocol):
    """A part of the control panel."""

    def refresh(self) -> None:
        """Numbers that change."""

    def rebuild(self) -> None:
        """Another scene or cast."""


class Panels:
    """All of them, as tabs."""

    def __init__(self, studio: "Studio") -> None:
        gui = studio.server.gui
        self.status = gui.add_html("")
        self._studio = studio
        self._creature = gui.add_dropdown(
            "Creature", studio.names, initial_value=studio.creature, hint="All panels are about it"
        )
        self._creature.on_update(lambda _: setattr(studio, "creature", self._creature.value))
        tabs = gui.add_tab_group()
        self._parts: list[Panel] = []
        for label, kind in TABS.items():
            if kind.only_live and studio.live is None:
                continue
            with tabs.add_tab(label):
                self._parts.append(kind(studio))
        self.refresh()

    def refresh(self) -> None:
        self.status.content = describe_status(self._studio)
        for part in self._parts:
            part.refresh()

    def rebuild(self) -> None:
        self._creature.options = self._studio.names
        self._creature.value = self._studio.creature
        for part in self._parts:
            part.rebuild()
