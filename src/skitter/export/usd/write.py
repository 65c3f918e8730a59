"""A recording as USD: UsdSkel rigs, exact soft surfaces, water and things, over time.

Units are centimetres, said in the file, and y is up; a frame of the clip is a time code, the first
is 0. What is where in the file is told in usd/creature.py and usd/scene.py.
"""

from pathlib import Path
from typing import Any

from skitter.errors import UserError
from skitter.export.clip import Clip, Told
from skitter.export.summary import Summary
from skitter.look.creature import CreatureSurface
from skitter.render.output import check_output, replacing

SUFFIXES = (".usdc", ".usda", ".usd", ".usdz")
INSTALL = "pip install 'skitter[export]'"


def export_usd(
    recording: Any,
    creatures: list[CreatureSurface],
    output: Path,
    *,
    clip: Clip,
    scale: float = 1.0,
    level: int = 0,
    soft: str = "cache",
    scenery: bool = True,
    progress: Told | None = None,
) -> Summary:
    """Writes some creatures of a recording, and what is around them.

    `soft` is `cache` for exact soft surfaces, with skinned ones as another variant, or `skinned`
    for those alone, which makes a small file. A .usd is binary, as a .usdc is.
    """
    output = Path(output)
    check_output(output, SUFFIXES)
    if soft not in ("cache", "skinned"):
        raise UserError(f"soft {soft}: is not known; valid: cache, skinned")
    try:
        from skitter.export.usd.file import convert
        from skitter.export.usd.scene import write_scene
    except ImportError as error:
        if not (error.name or "").startswith("pxr"):
            raise
        raise UserError(f"USD needs usd-core, which is not installed: {INSTALL}") from error
    with replacing(output) as draft, convert(draft) as binary:
        actors, notes = write_scene(
            recording,
            binary,
            creatures,
            clip=clip,
            scale=scale,
            level=level,
            has_cache=soft == "cache",
            has_scenery=scenery,
            is_text=output.suffix.lower() == ".usda",
            progress=progress,
        )
    return Summary(output, "usd", clip.fps, len(clip.times), actors, notes)
