"""Pause, step, reset; scene and seed; the camera; for a recording the moment."""

from typing import TYPE_CHECKING, Any

from skitter.scene.catalogue import list_scenes

if TYPE_CHECKING:
    from skitter.view.studio import Studio

FOLLOWS = ("creature", "all", "nothing")  # what the camera may follow
SEEDS = 10**9 - 1  # that can be typed
SPEEDS = ("0.1×", "0.25×", "0.5×", "1×", "2×", "4×")


class PlayPanel:
    """How time runs, and from where it is seen."""

    only_live = False

    def __init__(self, studio: "Studio") -> None:
        self._studio = studio
        gui, session = studio.server.gui, studio.session
        self._pause = gui.add_button("Pause", icon="player-pause")
        self._pause.on_click(lambda _: self.toggle())
        gui.add_button("One frame", icon="player-skip-forward").on_click(lambda _: session.step())
        self._speed = gui.add_button_group("Speed", SPEEDS)
        self._speed.on_click(lambda _: session.set_speed(float(self._speed.value.rstrip("×"))))
        self._add_camera(gui)
        self._moment: Any = None
        if studio.is_away:
            gui.add_button("Back to the living scene", icon="arrow-back-up").on_click(
                lambda _: studio.go_home()
            )
        if studio.replay is not None:
            self._add_moment(gui, studio.replay)
        else:
            self._add_scene(gui)
        gui.add_command("Pause or go on", hotkey="P").on_trigger(lambda _: self.toggle())
        gui.add_command("One frame", hotkey="N").on_trigger(lambda _: session.step())
        gui.add_command("Follow the creature", hotkey="F").on_trigger(lambda _: self._flip())

    def _add_camera(self, gui: Any) -> None:
        studio = self._studio
        with gui.add_folder("Camera"):
            self._follow = gui.add_dropdown("Follow", FOLLOWS, initial_value=studio.follows)
            gui.add_button("First view", icon="focus-2").on_click(lambda _: studio.look_again())
            shadows = gui.add_checkbox("Shadows", studio.shadows)
            shadows.on_update(lambda _: studio.cast_shadows(shadows.value))
            self._water = gui.add_checkbox("Water", studio.shows_water)
            self._water.on_update(lambda _: setattr(studio, "shows_water", self._water.value))
            self._water.visible = studio.has_water

        @self._follow.on_update
        def _(_: Any) -> None:
            studio.follows = self._follow.value

    def _flip(self) -> None:
        is_free = self._studio.follows == "nothing"
        self._follow.value = self._studio.follows = "creature" if is_free else "nothing"

    def _add_scene(self, gui: Any) -> None:
        live = self._studio.live
        assert live is not None
        with gui.add_folder("Scene"):
            names = [name for name, _ in list_scenes()]
            own, shown = live.first.name, live.world.scene.name
            options = names if own in names else [own, *names]
            self._scene = gui.add_dropdown("Scene", options, initial_value=shown)
            self._seed = gui.add_number("Seed", live.seed, min=0, max=max(SEEDS, live.seed), step=1)
            reset = gui.add_button("Reset", icon="refresh")
        reset.on_click(self._reset)
        gui.add_command("Reset", hotkey="R").on_trigger(self._reset)

        @self._scene.on_update
        def _(event: Any) -> None:
            if self._scene.value != live.world.scene.name:
                account = self._studio.account(event.client)
                live.load(self._scene.value, int(self._seed.value), account)

    def _reset(self, event: Any) -> None:
        if self._studio.live is not None:
            account = self._studio.account(event.client)
            self._studio.live.reset(int(self._seed.value), account)

    def _add_moment(self, gui: Any, replay: Any) -> None:
        frame = 1 / replay.recording().frame_rate
        start, end = round(replay.start, 2), round(max(replay.end, replay.start + frame), 2)
        self._moment = gui.add_slider("Moment, s", start, end, 0.01, initial_value=start)
        self._loop = gui.add_checkbox("Loop", replay.loop)

        @self._moment.on_update
        def _(event: Any) -> None:
            if event.client is not None:  # moved by a person, not by us
                replay.seek(self._moment.value)

        @self._loop.on_update
        def _(_: Any) -> None:
            replay.loop = self._loop.value

    def toggle(self) -> None:
        session = self._studio.session
        session.go() if session.paused else session.pause()

    def refresh(self) -> None:
        label = "Go on" if self._studio.session.paused else "Pause"
        if self._pause.label != label:
            self._pause.label = label
            self._pause.icon = "player-play" if label == "Go on" else "player-pause"
        if self._moment is not None and not self._studio.session.paused:
            self._moment.value = round(self._studio.session.now(), 2)

    def rebuild(self) -> None:
        self._follow.value = self._studio.follows
        self._water.visible = self._studio.has_water
