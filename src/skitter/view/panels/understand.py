"""The gait panel, overlays, and a plot."""

from typing import TYPE_CHECKING, Any

import numpy as np

from skitter.look.gait import open_histories, records_legs
from skitter.view.overlays import LABELS, list_blank
from skitter.view.series import SERIES, list_series, read_series

if TYPE_CHECKING:
    from skitter.view.studio import Studio

LEGEND = (
    "SF1, SF2: the leg swings forward. SB1, SB2: it swings back in the air."
    " STANCE: it stands. ADJUST: it is held ready, until the one before it stands."
    " TUCKED: it lies along the body, which swims."
)
BLANK = (np.array([0.0, 1.0]), np.array([0.0, 0.0]))  # no curve
PLOT_SPAN = 5.0  # s
GAIT_SPAN = 2.0  # s
GAIT_SIZE = (430, 270)  # pixels


class UnderstandPanel:
    """What legs, senses and brain do."""

    only_live = False

    def __init__(self, studio: "Studio") -> None:
        self._studio = studio
        gui = studio.server.gui
        self._gait = gui.add_image(
            np.full((GAIT_SIZE[1], GAIT_SIZE[0], 3), 250, np.uint8), format="jpeg"
        )
        gui.add_markdown(LEGEND)
        self._paint = gui.add_checkbox("Legs in these colours", studio.paint_legs)
        self._paint.on_update(lambda _: setattr(studio, "paint_legs", self._paint.value))
        gui.add_command("Legs in the colours of their states", hotkey="G").on_trigger(
            lambda _: self._flip()
        )
        with gui.add_folder("Overlays"):
            for label in LABELS:
                self._add_overlay(gui, label)
            self._blank = gui.add_markdown("")
        self._for: tuple[str, int] | None = None  # creature and cast that it is about
        with gui.add_folder("Plot"):
            self._measure = gui.add_dropdown("Measure", [one.title for one in SERIES])
            self._plot = gui.add_uplot(
                data=BLANK,
                series=({"label": "s"}, {"label": "speed, cm/s", "stroke": "#e06e28", "width": 2}),
                scales={"x": {"time": False}},
                legend={"show": False},
                height=170,
            )
        self.rebuild()

    def _flip(self) -> None:
        self._paint.value = self._studio.paint_legs = not self._studio.paint_legs

    def _add_overlay(self, gui: Any, label: str) -> None:
        studio = self._studio
        box = gui.add_checkbox(label.capitalize(), label in studio.overlays)

        @box.on_update
        def _(_: Any) -> None:
            kept = studio.overlays - {label}
            studio.overlays = kept | {label} if box.value else kept

    def _tell_blank(self) -> None:
        """Say which overlays have nothing to show of the creature at hand."""
        studio = self._studio
        if self._for == (studio.creature, studio.session.generation):
            return
        self._for = (studio.creature, studio.session.generation)
        blank = ", ".join(list_blank(studio.session.frames(), studio.creature))
        self._blank.content = f"Of **{studio.creature}** there is nothing to show for: {blank}."
        self._blank.visible = bool(blank)

    def refresh(self) -> None:
        self._tell_blank()
        if not self._studio.server.get_clients():
            return
        frames, moment = self._studio.session.recording(), self._studio.session.now()
        self._draw_gait(frames, moment)
        self._draw_plot(frames, moment)

    def _draw_gait(self, frames: Any, moment: float) -> None:
        is_known = records_legs(frames, self._studio.creature)
        if self._gait.visible != is_known:
            self._gait.visible = is_known
        if is_known:
            self._gait.image = draw_gait(frames, self._studio.creature, moment)

    def _draw_plot(self, frames: Any, moment: float) -> None:
        known = {one.title: one for one in list_series(frames, self._studio.creature)}
        series = known.get(self._measure.value)
        if series is None:
            return
        last = int(np.searchsorted(frames.time, moment, "right"))
        first = int(np.searchsorted(frames.time, moment - PLOT_SPAN))
        if last - first < 2:
            self._plot.data = BLANK
            return
        span = slice(first, last, max(1, (last - first) // 300))
        times, values = read_series(frames, self._studio.creature, series, span)
        label = series.title
        if self._plot.series[1].get("label") != label:
            self._plot.series = (self._plot.series[0], {**self._plot.series[1], "label": label})
            self._plot.title = label
        self._plot.data = (times, values)

    def rebuild(self) -> None:
        labels = [
            one.title for one in list_series(self._studio.session.frames(), self._studio.creature)
        ]
        if labels and tuple(self._measure.options) != tuple(labels):
            self._measure.options = labels


def draw_gait(frames: Any, creature: str, moment: float) -> np.ndarray:
    """The states of a creature's legs over the last seconds, as a picture."""
    from skitter.render.gait import draw_panels
    from skitter.render.panel import Span

    histories = open_histories(frames, creature)
    return draw_panels(histories, Span(moment - GAIT_SPAN, moment), GAIT_SIZE)
