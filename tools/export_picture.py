"""The picture of docs/exports.md: an exported centipede in Blender, and the bones inside it.

.venv/bin/python tools/export_picture.py     after  sh tools/prepare_oracles.sh blender
"""

import subprocess
import tempfile
from pathlib import Path

from PIL import Image

import skitter

ROOT = Path(__file__).parents[1]
PICTURE = ROOT / "docs/pictures/export.jpg"
BLENDER, INSPECT = ROOT / ".venv-blender/bin/python", ROOT / "tests/blender/inspect_file.py"
SECONDS, FRAME = 2.5, 60
BOX = (130, 90, 600, 300)  # of what Blender draws


def main() -> None:
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        recording = skitter.run("puppet", seconds=SECONDS, output=folder / "walk")
        recording.export(folder / "walk.glb", scenery=False)
        pictures = [draw(folder, "skin.png"), draw(folder, "bones.png", "--bones")]
        sheet = Image.new("RGB", (2 * pictures[0].width, pictures[0].height))
        for k, picture in enumerate(pictures):
            sheet.paste(picture, (k * picture.width, 0))
        sheet.save(PICTURE, quality=90)


def draw(folder: Path, name: str, *options: str) -> Image.Image:
    command = [BLENDER, INSPECT, folder / "walk.glb", "--fps", "30", "--frame", str(FRAME)]
    subprocess.run(
        [*command, "--picture", folder / name, *options], check=True, stdout=subprocess.DEVNULL
    )
    return Image.open(folder / name).convert("RGB").crop(BOX)


if __name__ == "__main__":
    main()
