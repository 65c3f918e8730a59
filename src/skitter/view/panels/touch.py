"""Tools for the mouse, and the reins of a creature."""

import time
from typing import TYPE_CHECKING, Any

import numpy as np

from skitter.events import Release, Steer
from skitter.scene.catalogue import list_species
from skitter.view.reins import Reins, find_reins
from skitter.view.touch import ABOUT, FOOD_SIZE, TOOLS

if TYPE_CHECKING:
    from skitter.view.studio import Studio

SIZED = ("food", "post", "ball", "box")  # tools that put down something of a size
PULSE = 0.7  # s that a key turns a creature for; longer than keys wait before they repeat


class TouchPanel:
    """What clicks do, and who steers."""

    only_live = True

    def __init__(self, studio: "Studio") -> None:
        self._studio = studio
        gui = studio.server.gui
        self._tool = gui.add_dropdown("Tool", TOOLS, initial_value=studio.tool)
        self._about = gui.add_markdown(ABOUT[studio.tool])
        self._size = gui.add_slider("Radius, cm", 0.1, 5.0, 0.1, initial_value=FOOD_SIZE)
        self._unit = 1.0
        self._fit_size()
        species = [name for name, _ in list_species()]
        self._species = gui.add_dropdown("Species", species, initial_value=studio.species)
        gui.add_markdown("Drag food and obstacles with the left button.")
        self._add_reins(gui)
        self._show_what_matters()

        @self._tool.on_update
        def _(_: Any) -> None:
            studio.tool = self._tool.value
            self._about.content = ABOUT[studio.tool]
            self._show_what_matters()
            if studio.tool in ("post", "ball", "box") and self._size.value < 0.6 * self._unit:
                self._size.value = studio.size = self._unit

        @self._size.on_update
        def _(_: Any) -> None:
            studio.size = self._size.value

        @self._species.on_update
        def _(_: Any) -> None:
            studio.species = self._species.value

    def _show_what_matters(self) -> None:
        """Only the controls that the tool has a use for."""
        self._size.visible = self._studio.tool in SIZED
        self._species.visible = self._studio.tool == "creature"

    def _add_reins(self, gui: Any) -> None:
        self._turn_until = 0.0
        self._held: str | None = None  # the creature whose reins are held
        self._fitted = ""  # the creature that the ranges are for
        with gui.add_folder("Control a creature"):
            self._take = gui.add_button("Take control", icon="steering-wheel")
            self._speed = gui.add_slider("Speed, cm/s", 0.0, 20.0, 0.1, initial_value=0.0)
            self._turn = gui.add_slider("Turn, deg/s", -180.0, 180.0, 1.0, initial_value=0.0)
            gui.add_markdown("Keys: **I** faster, **K** slower, **J** left, **L** right.")
        self._take.on_click(lambda event: self._flip(event.client))
        for slider in (self._speed, self._turn):
            slider.on_update(
                lambda event: self._steer(event.client) if event.client is not None else None
            )
        for key, label, speed, turn in (
            ("I", "Faster", 1, 0),
            ("K", "Slower", -1, 0),
            ("J", "Turn left", 0, 1),
            ("L", "Turn right", 0, -1),
        ):
            command = gui.add_command(label, hotkey=key)
            command.on_trigger(lambda event, s=speed, t=turn: self._key(s, t, event.client))
        self._fit()

    def _fit_size(self) -> None:
        """The range of sizes for the scene at hand."""
        stage = self._studio.stage
        self._unit = 1.0 if stage is None else stage.unit
        least, most = 0.1 * self._unit, 5.0 * self._unit
        self._size.min, self._size.max, self._size.step = least, most, least
        self._size.value = self._studio.size

    def _fit(self) -> None:
        """Ranges of the reins for the creature at hand."""
        self._fitted = self._studio.creature
        reins = self._reins()
        limit = 20.0 if reins is None else reins.limit
        self._speed.max, self._speed.step = limit, 0.1 if reins is None else reins.step
        self._speed.value = min(self._speed.value, limit)
        self._take.disabled = reins is None

    def _reins(self) -> Reins | None:
        return find_reins(self._studio.species_at_hand)

    def _flip(self, client: Any) -> None:
        """Take the reins, or let go."""
        reins = self._reins()
        if self._held is not None:
            self._release(client)
        elif reins is not None:
            if self._speed.value == 0:
                self._speed.value = reins.speed
            self._steer(client)

    def _release(self, client: Any = None) -> None:
        held = self._held
        self._let_go()
        if held is not None:
            self._studio.post(Release(held), client)

    def _let_go(self) -> None:
        self._held, self._take.label, self._turn_until = None, "Take control", 0.0

    def _steer(self, client: Any = None) -> None:
        if self._held is None:
            self._held, self._take.label = self._studio.creature, "Let go"
        turn = float(np.radians(self._turn.value))
        self._studio.post(Steer(self._held, float(self._speed.value), turn), client)

    def _key(self, speed: int, turn: int, client: Any) -> None:
        """A key changes the speed by an eighth of the walk, or turns for a moment."""
        reins = self._reins()
        if reins is None:
            return
        if self._held is None and self._speed.value == 0:
            self._speed.value = reins.speed
        if speed:
            wanted = self._speed.value + speed * reins.speed / 8
            self._speed.value = float(np.clip(wanted, 0, self._speed.max))
        if turn:
            self._turn.value = float(np.clip(turn * reins.turn_deg, -180, 180))
            self._turn_until = time.monotonic() + PULSE
        self._steer(client)

    def refresh(self) -> None:
        if self._fitted != self._studio.creature:
            self._release()
            self._fit()
        if self._turn_until and time.monotonic() > self._turn_until:
            self._turn_until, self._turn.value = 0.0, 0.0
            self._steer()

    def rebuild(self) -> None:
        self._let_go()
        self._fit()
        self._fit_size()
