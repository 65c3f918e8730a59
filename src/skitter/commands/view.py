"""`skitter view`: a scene that runs, or a recording that plays, in the browser."""

import os
import platform
import time
import webbrowser
from contextlib import closing
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from skitter.console import say
from skitter.endings import ending_later
from skitter.errors import UserError
from skitter.progress import Progress
from skitter.scene.load import load_scene
from skitter.warn import warn

INSTALL = 'pip install "skitter[view]"'


def view(
    source: str,
    *,
    seed: int,
    changes: list[str],
    folder: Path,
    host: str,
    port: int,
    token: str | None,
    browser: bool,
    seconds: float | None,
    html: Path | None,
    threads: int | None,
) -> None:
    """Serve until Ctrl-C, or for so many seconds."""
    if find_spec("viser") is None:
        raise UserError(f"the studio needs viser, which is not installed; valid: {INSTALL}")
    from skitter.view.guard.token import read_token

    token = read_token(token)
    if is_recording(source):
        if changes or seed:
            raise UserError(f"{source}: is a recording; --seed and --set are of scenes")
        if html is not None:
            write_page(Path(source), html)
            return
        session = open_recording(Path(source))
    else:
        if html is not None:
            raise UserError("--html is of recordings; valid: skitter view DIR --html FILE")
        session = open_world(source, seed, changes, threads)
    serve(session, folder, host, port, token, browser, seconds)


def is_recording(source: str) -> bool:
    """Whether a folder was named; scenes are names and files."""
    return Path(source).is_dir()


def open_recording(path: Path) -> Any:
    """A session that plays a recording."""

    from skitter.view.replay import open_replay

    return open_replay(path)


def open_world(source: str, seed: int, changes: list[str], threads: int | None) -> Any:
    """A session with a world that runs, its first frame done."""
    scene = load_scene(source, overrides=changes)
    with closing(Progress()) as progress:
        progress.prepare()
        from skitter.view.live import LiveSession

        session = LiveSession(scene, seed=seed, threads=threads)
        session.start()
        wait_for_frame(session)
    warn(session.world.warnings)
    return session


def wait_for_frame(session: Any) -> None:
    """The first frame waits for the compiler; one that fails is the scene's fault."""
    from skitter.start.blame import explain_failure

    while session.world.frame == 0:
        time.sleep(0.01)
        if session.message:
            session.close()
            world, message = session.world, str(session.message)
            raise UserError(explain_failure(world.scene, world.creatures, message))


def write_page(source: Path, path: Path) -> None:
    """A recording as one page that plays it."""

    from skitter.record import Recording
    from skitter.view.html import save_html

    if path.suffix.lower() not in (".html", ".htm"):
        raise UserError(f"--html {path}: must end in .html")
    if not path.absolute().parent.is_dir():
        raise UserError(f"--html {path}: there is no folder {path.absolute().parent}")
    progress = Progress()
    try:
        save_html(Recording.open(source), path, progress=progress.count)
    finally:
        progress.close()
    say(f"saved {path}, {path.stat().st_size / 1e6:.1f} MB: open it in a browser")


def serve(
    session: Any,
    folder: Path,
    host: str,
    port: int,
    token: str | None,
    browser: bool,
    seconds: float | None,
) -> None:
    """Show a session until the end, or for so many seconds of the clock."""

    from skitter.view.serve import serving

    with serving(session, folder=folder, host=host, port=port, token=token) as studio:
        if port not in (0, studio.server.get_port()):
            say(f"port {port} is in use, so it is another")
        say(f"watch it at {studio.address} - Ctrl-C ends it")
        if browser and has_browser():
            webbrowser.open(studio.address)
        wait_for_end(seconds)
    say("stopped")


def has_browser() -> bool:
    """Whether a page would open in a window; in a terminal it would only be in the way."""
    has_windows = platform.system() in ("Darwin", "Windows")
    return has_windows or bool(os.environ.get("DISPLAY") or os.environ.get("WAYLAND_DISPLAY"))


def wait_for_end(seconds: float | None) -> None:
    """Until Ctrl-C, a request to stop, or the time is over."""
    deadline = None if seconds is None else time.monotonic() + seconds
    with ending_later() as ending:
        while not ending.wait(0.2):
            if deadline is not None and time.monotonic() >= deadline:
                return
