"""The studio: a session, the stage that shows it, and the panels through which it is touched.

One thread shows: it takes the newest moment some thirty to sixty times a second and moves what has
moved. What a person does arrives in threads of the server and is handed to the session.
"""

import threading
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from skitter.events import Event
from skitter.look.motion import Pose
from skitter.look.slots import read_obstacles
from skitter.record import Recording
from skitter.view.camera import Eye, Target, choose_threshold, walks_around
from skitter.view.guard.server import charge, find_address
from skitter.view.live import LiveSession
from skitter.view.panels import Panels
from skitter.view.replay import ReplaySession
from skitter.view.session import Charge, View, describe_error
from skitter.view.stage import Stage
from skitter.view.things import read_food
from skitter.view.touch import (
    ABOUT,
    FOOD_SIZE,
    Ray,
    build_drag,
    build_event,
    build_poke,
    build_removal,
)

RATE = 60.0  # pictures per second at most
SLOW_INTERVAL = 0.2  # s between updates of numbers, plots and the gait panel
BRAND = (224, 110, 40)  # the colour of a centipede's legs
BUILD_SHARE = 0.5  # of the time of building a stage, in which the world has to wait for it
PUTS_DOWN = ("food", "post", "ball", "box", "creature")


class Studio:
    """Shows a session to all browsers of a server, until it is closed."""

    def __init__(
        self,
        server: Any,
        session: LiveSession | ReplaySession,
        *,
        folder: Path,
        shadows: bool = True,
    ) -> None:
        self.server, self.session, self.folder = server, session, folder
        self.follows = "creature"  # that, all of them, or nothing
        self.shadows = shadows
        self.creature = ""  # that is steered and measured
        self.tool, self.size, self.species = "food", FOOD_SIZE, "giant_centipede"
        self.overlays: set[str] = set()
        self.paint_legs = False
        self.shows_water = True
        self.updates = 0  # moments shown so far
        self.poses: dict[str, Pose] = {}
        self._home = session
        self._next: LiveSession | ReplaySession | None = None
        self._was_paused = False
        self._fault = ""  # the last one that the terminal was told about
        self._eyes: dict[int, Eye] = {}
        self._closing = threading.Event()
        self._shown = -1
        self._wanted: object = None  # what was shown last
        self.stage: Stage | None = None
        self._target: Target | None = None
        self._thread = threading.Thread(target=self._run, name="studio", daemon=True)
        self.panels: Panels | None = None

    @property
    def live(self) -> LiveSession | None:
        """The world, if it is one that is shown."""
        return self.session if isinstance(self.session, LiveSession) else None

    @property
    def replay(self) -> ReplaySession | None:
        return self.session if isinstance(self.session, ReplaySession) else None

    @property
    def species_at_hand(self) -> Any:
        """The species of the chosen creature as it is now; None where that is not alive here."""
        creatures = [] if self.live is None else self.live.world.creatures
        return next((one.species for one in creatures if one.name == self.creature), None)

    @property
    def address(self) -> str:
        """Where browsers find it, with the token that lets them in."""
        return find_address(self.server)

    def start(self) -> None:
        """Build everything once, then keep showing."""
        self._build(self.session.view())
        self._furnish()
        self.server.on_client_connect(self._welcome)
        self.server.on_client_disconnect(lambda client: self._eyes.pop(client.client_id, None))
        self._listen()
        self._thread.start()

    def close(self) -> None:
        self._closing.set()
        if self._thread.is_alive():
            self._thread.join()

    # what is shown

    def watch(self, recording: Recording) -> None:
        """Show a recording for a while; the world waits meanwhile."""
        if self.live is not None:
            self._was_paused = self.live.paused
            self.live.pause()
        self._next = ReplaySession(recording)

    @property
    def is_away(self) -> bool:
        """Whether a recording is shown for a while, and there is a world to go back to."""
        return self.session is not self._home

    def go_home(self) -> None:
        """Back to the world, which goes on as before."""
        self._next = self._home
        if isinstance(self._home, LiveSession) and not self._was_paused:
            self._home.go()

    def _change(self) -> None:
        """Take up what is to be shown next, with the panels it needs; or keep what is there."""
        session, self._next = self._next, None
        if session is None:
            return
        before = self.session
        try:
            self.session = session
            self._build(session.view())
        except Exception as error:
            self.session = before
            if self.live is not None and not self._was_paused:
                self.live.go()
            self.tell("That cannot be shown", describe_error(error), color="red")
            return
        self.server.gui.reset()
        self._furnish()

    def _furnish(self) -> None:
        """The panels, at the right edge."""
        gui = self.server.gui
        gui.configure_theme(show_logo=False, show_share_button=False, brand_color=BRAND)
        gui.set_panel_label("Skitter")
        gui.main_panel.dock_right()
        self.panels = Panels(self)

    # what a person does

    def post(self, event: Event | None, client: Any = None) -> None:
        """Hand an event to the world, on the account of the page that asks for it."""
        if event is not None and self.live is not None:
            self.live.post(event, self.account(client))

    def account(self, client: Any) -> Charge | None:
        """Where what a page asks for is charged to; None for what no page asked for."""
        return None if client is None else partial(charge, self.server, client.client_id)

    def tell(self, title: str, text: str, *, color: str = "teal") -> None:
        """A short notice in every browser."""
        for client in self.server.get_clients().values():
            client.add_notification(title, text, auto_close_seconds=6.0, color=color)

    def attempt(self, action: Callable[[], None]) -> None:
        """Do something that a person asked for; a mistake is told, not raised."""
        try:
            action()
        except Exception as error:
            self.tell("That does not work", describe_error(error), color="red")

    def _listen(self) -> None:
        @self.server.scene.on_click()
        async def _(event: Any) -> None:
            if self.stage is not None:
                ray = Ray(event.ray_origin, event.ray_direction, self.stage.scale)
                self.attempt(lambda: self._click(ray, event.client))

    def _click(self, ray: Ray, client: Any) -> None:
        if not ray.is_finite or self.stage is None or self.live is None:
            return
        terrain, frames = self.stage.terrain, self.session.frames()
        if self.tool in PUTS_DOWN:
            event = build_event(self.tool, self.size, self.species, ray, terrain, self._height())
        elif self.tool == "poke":
            event = build_poke(self.poses, ray)
        else:
            food, obstacles = read_food(frames, -1), read_obstacles(frames, -1)
            event = build_removal(food, obstacles, self.poses, ray)
        if event is None:
            self.tell("Nothing there", ABOUT[self.tool], color="gray")
        self.post(event, client)

    def _height(self) -> float:
        """About how high a creature is, cm."""
        pose = self.poses.get(self.creature)
        if pose is None or len(pose.leg_point) == 0:
            return 2.0 * (1.0 if self.stage is None else self.stage.unit)
        links = np.linalg.norm(np.diff(pose.leg_point, axis=1), axis=2).sum(axis=1)
        return float(np.median(links))

    def drag(self, kind: str, index: int, event: Any) -> None:
        """A thing follows the pointer over the ground."""
        if self.stage is None or event.phase == "start" or self.live is None:
            return
        eye = np.asarray(event.client.camera.position)
        ray = Ray(eye, np.asarray(event.end_position) - eye, self.stage.scale)
        if ray.is_finite:
            obstacles = read_obstacles(self.session.frames(), -1)
            moved = build_drag(kind, index, ray, self.stage.terrain, obstacles)
            self.post(moved, event.client)

    # the camera

    def _welcome(self, client: Any) -> None:
        """A new browser gets the first view."""
        stage = self.stage
        if stage is None:
            return
        eye = Eye(client, stage.scale * stage.view.distance * stage.view.backward)
        eye.jump(stage.view_for(client.camera.aspect), stage.scale)
        if self._target is not None:
            eye.follow(self._target, np.eye(3), stage.scale)
        client.camera.on_update(lambda _: eye.notice())
        self._eyes[client.client_id] = eye

    def look_again(self) -> None:
        """Back to the first view, on the creature where it is now."""
        stage = self.stage
        if stage is None:
            return
        for eye in list(self._eyes.values()):
            eye.jump(stage.view_for(eye.client.camera.aspect), stage.scale)
            if self._target is not None:
                eye.follow(self._target, np.eye(3), stage.scale)

    def _centre(self, stage: Stage) -> np.ndarray:
        """The middle of what is followed, cm."""
        chosen = self.poses.get(self.creature)
        poses = list(self.poses.values()) if self.follows == "all" or chosen is None else [chosen]
        return np.mean([stage.centre(pose) for pose in poses], axis=0)

    def _follow(self, stage: Stage, seconds: float) -> None:
        if self._target is None:
            return
        pose = self.poses.get(self.creature)
        back = stage.back(pose) if self._orbits and pose is not None else None
        turn = self._target.follow(self._centre(stage), back, seconds)
        if self.follows == "nothing":
            return
        stage.lay_floors(self._centre(stage))
        there = self.server.get_clients()
        for number, eye in list(self._eyes.items()):
            if number in there:
                eye.follow(self._target, turn, stage.scale)

    # the thread

    def _build(self, view: View) -> None:
        """Everything anew: another scene, another cast. If that fails, nothing has changed."""
        frames, moment = view.frames, view.moment
        is_new = self.stage is None or self.stage.scene_name != frames.scene.get("name")
        with self.server.atomic():
            stage = Stage(
                self.server.scene,
                frames,
                view.open_terrain(),
                moment=moment,
                shadows=self.shadows,
                drag=self.drag if self.live else None,
            )
        self._shown, self._wanted = view.generation, None
        if self.creature not in stage.names:
            self.creature = stage.names[0]
        if is_new:
            self.size = FOOD_SIZE * stage.unit
            self.follows = choose_follow(frames.scene, len(stage.names))
        self._orbits = walks_around(list(frames.scene.get("terrain") or []))
        self.poses = stage.poses(frames, moment)
        self._target = Target(stage.centre(self.poses[self.creature]), choose_threshold(stage.view))
        self.stage = stage
        self.look_again()
        camera = self.server.initial_camera
        camera.position = tuple(stage.scale * stage.view.eye)
        camera.look_at = tuple(stage.scale * stage.view.target)
        camera.fov = stage.angle

    def cast_shadows(self, shadows: bool) -> None:
        """Shadows cost a weak graphics card most of its time."""
        self.shadows = shadows
        if self.stage is not None:
            self.stage.cast_shadows(shadows)

    @property
    def has_water(self) -> bool:
        """Whether the scene on the stage has water."""
        return self.stage is not None and self.stage.has_water

    @property
    def names(self) -> list[str]:
        """All creatures on the stage."""
        return [] if self.stage is None else self.stage.names

    def _run(self) -> None:
        last = slow = time.monotonic()
        while not self._closing.is_set():
            now = time.monotonic()
            self._guarded(partial(self._show, now - last))
            if now - slow > SLOW_INTERVAL and self.panels is not None:
                slow = now
                self._guarded(self.panels.refresh)
            last = now
            self._closing.wait(max(0.002, 1 / RATE - (time.monotonic() - now)))

    def _guarded(self, action: Callable[[], None]) -> None:
        """A page that freezes without a word would be worse than one with a message."""
        try:
            action()
        except Exception as error:
            if repr(error) != self._fault:  # of what happens again and again, once is enough
                self._fault = repr(error)
                self.session.message = describe_error(error)
            self._closing.wait(SLOW_INTERVAL)

    def _show(self, seconds: float) -> None:
        """One moment; nothing is moved for nobody."""
        self._change()
        view = self.session.view()
        if view.generation != self._shown:
            start = time.monotonic()
            self._build(view)
            if self.panels is not None:
                self.panels.rebuild()
            view.charge(BUILD_SHARE * (time.monotonic() - start))
        stage = self.stage
        if stage is None or not self.server.get_clients():
            return
        stage.shows_water = self.shows_water
        looks = (frozenset(self.overlays), self.paint_legs, self.shows_water)
        wanted = (view.version, view.moment, looks)
        if wanted != self._wanted or stage.is_late(view.moment):
            with self.server.atomic():
                self.poses = stage.show(
                    view.frames,
                    view.moment,
                    overlays=self.overlays,
                    paint_legs=self.paint_legs,
                )
            self._wanted = wanted
            self.updates += 1
        self._follow(stage, seconds)
        self.server.flush()  # or it would wait for the next of viser's windows, and some be skipped


def choose_follow(scene: dict[str, Any], count: int) -> str:
    """What the camera follows at first, as the scene wants it."""
    if not (scene.get("camera") or {}).get("follow", True):
        return "nothing"
    return "creature" if count == 1 else "all"
