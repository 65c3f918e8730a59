"""Sliders for the main numbers of the creature at hand, gravity and rain."""

import time
from typing import TYPE_CHECKING, Any

import numpy as np

from skitter.events import SetGravity, SetParameter, SetRain
from skitter.scene.spec import WaterSpec
from skitter.view.parameters import PARAMETERS, Parameter, read_value

if TYPE_CHECKING:
    from skitter.view.studio import Studio


RAIN_MOST = 60.0  # drops per second
SETTLED = 1.0  # s after which a slider must show what the creature has


class TunePanel:
    """Numbers that take effect at once."""

    only_live = True

    def __init__(self, studio: "Studio") -> None:
        self._studio = studio
        self._gui = studio.server.gui
        self._folder = self._gui.add_folder("Numbers")
        self._sliders: list[Any] = []
        self._by_parameter: list[tuple[Parameter, Any]] = []
        self._changed = 0.0  # when a person last moved a slider
        self._for: tuple[str, int] | None = None
        self._gravity = self._gui.add_slider(
            "Gravity, cm/s²", 0.0, 3000.0, 1.0, initial_value=981.0
        )
        self._gravity.on_update(
            lambda event: (
                studio.post(SetGravity(float(self._gravity.value)), event.client)
                if event.client is not None
                else None
            )
        )
        self._rain = self._gui.add_slider("Rain, drops/s", 0.0, RAIN_MOST, 1.0, initial_value=0.0)
        self._rain.on_update(
            lambda event: self._set_rain(event.client) if event.client is not None else None
        )
        self.rebuild()

    def refresh(self) -> None:
        if self._for != (self._studio.creature, self._studio.session.generation):
            self.rebuild()
        elif time.monotonic() - self._changed > SETTLED:
            self._put_back()

    def _put_back(self) -> None:
        """A slider whose value was refused, or set elsewhere, shows what is so."""
        species, live = self._studio.species_at_hand, self._studio.live
        if live is not None:
            self._show_rain(live.world.scene.spec.water)
        for parameter, slider in self._by_parameter if species is not None else ():
            value = read_value(species, parameter.path)
            if abs(value - slider.value) > slider.step:
                slider.value = float(np.clip(value, slider.min, slider.max))

    def rebuild(self) -> None:
        studio, live = self._studio, self._studio.live
        assert live is not None
        self._for = (studio.creature, live.generation)
        for slider in self._sliders:
            slider.remove()
        self._gravity.value = float(live.world.scene.spec.gravity)
        self._show_rain(live.world.scene.spec.water)
        species = self._studio.species_at_hand
        self._sliders, self._by_parameter = [], []
        with self._folder:
            about = f"Of **{studio.creature}**. Hover over a label for its meaning and its key"
            self._sliders.append(self._gui.add_markdown(f"{about} in the species file."))
            parameters = PARAMETERS.get(getattr(species, "kind", ""), ())
            if not parameters:
                note = "Of this creature there is nothing to tune."
                self._sliders.append(self._gui.add_markdown(note))
            for parameter in parameters:
                slider = self._add(parameter, read_value(species, parameter.path))
                self._sliders.append(slider)
                self._by_parameter.append((parameter, slider))

    def _set_rain(self, client: Any) -> None:
        self._changed = time.monotonic()
        self._studio.post(SetRain(float(self._rain.value)), client)

    def _show_rain(self, water: WaterSpec | None) -> None:
        """It can rain only where there is water that can make waves."""
        rain = 0.0 if water is None else min(float(water.rain), RAIN_MOST)
        has_waves = water is not None and water.waves
        if self._rain.visible != has_waves:
            self._rain.visible = has_waves
        if abs(self._rain.value - rain) > 0.5:
            self._rain.value = rain

    def _add(self, parameter: Parameter, value: float) -> Any:
        low, high = parameter.range_about(value)
        step = round_step((high - low) / 100)
        low, high = step * np.floor(low / step), step * np.ceil(high / step)
        slider = self._gui.add_slider(
            parameter.label,
            float(round(low, 6)),
            float(round(high, 6)),
            step,
            initial_value=float(np.clip(value, low, high)),
            hint=f"{parameter.about} ({parameter.path})",
        )
        creature = self._studio.creature

        @slider.on_update
        def _(event: Any) -> None:
            if event.client is not None:
                self._changed = time.monotonic()
                change = SetParameter(creature, parameter.path, float(slider.value))
                self._studio.post(change, event.client)

        return slider


def round_step(least: float) -> float:
    """1, 2 or 5 times a power of ten, not less."""
    power = 10.0 ** np.floor(np.log10(least))
    step = next(s * power for s in (1, 2, 5, 10) if s * power >= least * (1 - 1e-9))
    return float(f"{step:.3g}")
