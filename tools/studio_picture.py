"""Takes docs/pictures/studio.jpg: the studio as a person sees it, in Chromium without a screen."""

import io
import re
import shutil
import subprocess
import sys
import time
from pathlib import Path

from PIL import Image
from playwright.sync_api import Page, sync_playwright

PICTURE = Path("docs/pictures/studio.jpg")
SIZE = {"width": 1280, "height": 720}
SOFTWARE = ["--use-angle=swiftshader", "--enable-unsafe-swiftshader", "--ignore-gpu-blocklist"]
PATIENCE = 180_000  # ms; drawn in software, with shadows
WALK = 6.0  # s of the clock before the picture


def start_studio() -> tuple[subprocess.Popen[str], str]:
    """The command a user types, and the address that it prints."""
    command = [sys.executable, "-m", "skitter", "view", "centipede", "--port", "0", "--no-browser"]
    studio = subprocess.Popen(
        [*command, "--seconds", "300"], stdout=subprocess.PIPE, text=True, bufsize=1
    )
    assert studio.stdout is not None
    for line in studio.stdout:
        found = re.search(r"http://\S+", line)
        if found:
            return studio, found[0]
    raise SystemExit("the studio did not start")


def take_picture(page: Page, address: str) -> bytes:
    page.set_default_timeout(PATIENCE)
    page.goto(address)
    page.get_by_role("tab", name="Understand").click()
    page.get_by_label("Contact points").check()
    time.sleep(WALK)
    notice = page.locator(".mantine-Notification-closeButton")
    if notice.count():
        notice.first.click()
    page.keyboard.press("p")  # a page that draws in software catches up with a world at rest
    time.sleep(2 * WALK)
    return page.screenshot(timeout=PATIENCE)


def main() -> None:
    studio, address = start_studio()
    try:
        with sync_playwright() as playwright:
            browser = playwright.chromium.launch(
                executable_path=shutil.which("chromium"), args=[*SOFTWARE, "--no-sandbox"]
            )
            data = take_picture(browser.new_page(viewport=SIZE), address)  # type: ignore[arg-type]
            browser.close()
    finally:
        studio.terminate()
        studio.wait()
    PICTURE.parent.mkdir(parents=True, exist_ok=True)
    Image.open(io.BytesIO(data)).convert("RGB").save(PICTURE, quality=88)
    print(f"{PICTURE}, {PICTURE.stat().st_size / 1e3:.0f} kB")


if __name__ == "__main__":
    main()
