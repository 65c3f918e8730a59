"""A real browser for tests: Chromium without a screen, drawing in software.

Debian's Chromium serves, or the one that Playwright installs; `SKITTER_CHROMIUM` names another.
"""

import base64
import io
import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np
from PIL import Image
from playwright.sync_api import Browser, Page, sync_playwright

from skitter.view.studio import Studio

ARGUMENTS = [
    "--use-angle=swiftshader",
    "--enable-unsafe-swiftshader",
    "--ignore-gpu-blocklist",
    "--no-sandbox",
    "--disable-dev-shm-usage",
    "--webgl-antialiasing-mode=none",  # smooth edges would take most of the time
    "--webgl-msaa-sample-count=0",
]
SIZE = {"width": 800, "height": 480}
SHOTS = Path("out/test-pictures")  # kept, to be looked at
CANVAS = (  # the page has small ones too
    "[...document.querySelectorAll('canvas')]"
    ".reduce((a, b) => (a.width * a.height >= b.width * b.height ? a : b))"
)
# What Chromium says about the viewer's own handler when a thing is dragged; nothing comes of it.
PASSIVE = "Unable to preventDefault inside passive event listener invocation."
# The viewer's page takes all that is removed between two pictures away before it changes anything,
# so that a slow page misses what changed just before it went. A change to what had gone by then is
# no such thing: the server refuses it.
LATE = "Tried to update non-existent component"
PATIENCE = 120_000  # ms; a picture drawn in software takes its time


def find_chromium() -> str | None:
    """Where a browser is; None if there is none and Playwright has to know."""
    named = os.environ.get("SKITTER_CHROMIUM")
    found = [shutil.which(name) for name in ("chromium", "chromium-browser", "google-chrome")]
    return named or next((one for one in found if one), None)


@contextmanager
def open_browser() -> Iterator[Browser]:
    """Chromium, until the block ends."""
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=find_chromium(), args=ARGUMENTS)
        yield browser
        browser.close()


class Window:
    """A page, what it complained about, and what its canvas shows."""

    def __init__(self, browser: Browser, address: str) -> None:
        self.complaints: list[str] = []
        self.page: Page = browser.new_page(viewport=SIZE)  # type: ignore[arg-type]
        self.page.set_default_timeout(PATIENCE)
        self.page.on("console", self._hear)
        self.page.on("pageerror", lambda error: self.complaints.append(str(error)))
        self.page.goto(address)
        self.page.wait_for_selector("canvas", state="attached")

    def _hear(self, message: Any) -> None:
        is_known = message.text == PASSIVE or message.text.startswith(LATE)
        if message.type == "error" and not is_known:
            self.complaints.append(message.text)

    def close(self) -> None:
        self.page.close()

    def close_notices(self) -> None:
        """The browser warns that it draws in software; that lies over the picture."""
        notices = self.page.locator(".mantine-Notification-closeButton")
        while notices.count():
            notices.first.click()
            self.page.wait_for_timeout(300)

    def look(self) -> np.ndarray:
        """The canvas alone, as pixels of the page [row, column, 3]; it is drawn coarser if slow."""
        data = self.page.evaluate(f"{CANVAS}.toDataURL('image/png')")
        picture = Image.open(io.BytesIO(base64.b64decode(data.split(",", 1)[1])))
        box = self.page.evaluate(f"{CANVAS}.getBoundingClientRect().toJSON()")
        size = (round(box["width"]), round(box["height"]))
        return np.asarray(picture.convert("RGB").resize(size))

    def keep(self, name: str) -> Path:
        """The whole page as a file, to be looked at."""
        SHOTS.mkdir(parents=True, exist_ok=True)
        path = SHOTS / f"{name}.png"
        self.page.screenshot(path=path, timeout=PATIENCE)
        return path

    def click_at(self, studio: Studio, point: Any) -> None:
        """Click where a point of the world (cm) is seen."""
        x, y = self.place_of(studio, point)
        self.page.mouse.click(x, y)

    def drag(self, start: tuple[float, float], way: tuple[float, float]) -> None:
        """Press, move in steps that a slow page can follow, let go."""
        self.page.mouse.move(*start)
        self.page.mouse.down()
        for k in range(1, 7):
            self.page.mouse.move(start[0] + way[0] * k / 6, start[1] + way[1] * k / 6)
            self.page.wait_for_timeout(150)
        self.page.mouse.up()

    def place_of(self, studio: Studio, point: Any) -> tuple[float, float]:
        """Where a point of the world (cm) is on the page, in pixels."""
        assert studio.stage is not None
        camera = next(iter(studio.server.get_clients().values())).camera
        eye, target = np.asarray(camera.position), np.asarray(camera.look_at)
        ahead = (target - eye) / np.linalg.norm(target - eye)
        right = np.cross(ahead, camera.up_direction)
        right /= np.linalg.norm(right)
        away = studio.stage.scale * np.asarray(point, float) - eye
        slope = np.tan(camera.fov / 2) * (away @ ahead)
        box = self.page.evaluate(f"{CANVAS}.getBoundingClientRect().toJSON()")
        across = (away @ right) / slope * box["height"] / 2
        up = (away @ np.cross(right, ahead)) / slope * box["height"] / 2
        return box["x"] + box["width"] / 2 + across, box["y"] + box["height"] / 2 - up
