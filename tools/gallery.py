"""Runs every built-in scene and leaves a picture and a video of each in out/gallery."""

import shutil
import subprocess
import sys
from pathlib import Path

from skitter.scene.load import list_scenes

GALLERY = Path("out/gallery")
SKITTER = str(Path(sys.executable).with_name("skitter"))
MOMENTS = {  # s; the others are shown amid their motion
    "centipede": 5,  # around a stump, with food ahead
    "dropped": 0.1,  # in the air
    "sca_letters": 24,  # when the word is complete
}


def show_scene(name: str) -> None:
    """One scene by the command line, the way a user would."""
    recording = GALLERY / name
    shutil.rmtree(recording, ignore_errors=True)
    subprocess.run([SKITTER, "run", name, "-o", str(recording)], check=True)
    moment = ["--time", str(MOMENTS[name])] if name in MOMENTS else []
    for ending, options in ((".png", moment), (".mp4", [])):
        output = str(recording.with_suffix(ending))
        subprocess.run([SKITTER, "render", str(recording), "-o", output, *options], check=True)


if __name__ == "__main__":
    GALLERY.mkdir(parents=True, exist_ok=True)
    for name, title in list_scenes():
        print(f"{name}: {title}", flush=True)
        show_scene(name)
    print(f"Pictures and videos are in {GALLERY}/")
