"""Sliders for the main numbers of the creature at hand, and gravity."""

from typing import TYPE_CHECKING, Any

import numpy as np

from skitter.events import SetGravity, SetParameter
from skitter.view.parameters import PARAMETERS, Parameter, read_value

if TYPE_CHECKING:
    from skitter.view.studio import Studio


class TunePanel:
    """Numbers that take effect at once."""

    only_live = True

    def __init__(self, studio: "Studio") -> None:
        self._studio = studio
        self._gui = studio.server.gui
        self._folder = self._gui.add_folder("Numbers")
        self._sliders: list[Any] = []
        self._for: tuple[str, int] | None = None
        self._gravity = self._gui.add_slider(
            "Gravity, cm/s²", 0.0, 3000.0, 1.0, initial_value=981.0
        )
        self._gravity.on_update(
            lambda event: (
                studio.post(SetGravity(float(self._gravity.value)))
                if event.client is not None
                else None
            )
        )
        self.rebuild()

    def refresh(self) -> None:
        if self._for != (self._studio.creature, self._studio.session.generation):
            self.rebuild()

    def rebuild(self) -> None:
        studio, live = self._studio, self._studio.live
        assert live is not None
        self._for = (studio.creature, live.generation)
        for slider in self._sliders:
            slider.remove()
        self._gravity.value = float(live.world.scene.spec.gravity)
        found = [one for one in live.world.creatures if one.name == studio.creature]
        species = found[0].species if found else None
        self._sliders = []
        with self._folder:
            if not hasattr(species, "walk"):
                note = "This creature has no legs, and nothing to tune."
                self._sliders.append(self._gui.add_markdown(note))
                return
            for parameter in PARAMETERS:
                self._sliders.append(self._add(parameter, read_value(species, parameter.path)))

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
                self._studio.post(SetParameter(creature, parameter.path, float(slider.value)))

        return slider


def round_step(least: float) -> float:
    """1, 2 or 5 times a power of ten, not less."""
    power = 10.0 ** np.floor(np.log10(least))
    step = next(s * power for s in (1, 2, 5, 10) if s * power >= least * (1 - 1e-9))
    return float(f"{step:.3g}")
