"""One way into all formats: options are checked, then the file is written as its name says."""

from dataclasses import replace
from pathlib import Path
from typing import Any, Literal

from skitter.errors import UserError
from skitter.export.clip import Clip, Told, plan_clip
from skitter.export.formats import SUFFIXES, find_format
from skitter.export.loop import find_loop
from skitter.export.order import Order, choose_names
from skitter.export.summary import Summary
from skitter.look.creature import SKIN_TRIANGLES, CreatureSurface, build_creature_surface
from skitter.look.motion import open_motions
from skitter.look.rig import LEVELS, Rig
from skitter.record.doubt import doubting
from skitter.render.output import check_output

FPS = 30.0
SCALES = (1e-6, 1e6)
COARSER = 4  # times fewer triangles with each level of detail


def export_recording(
    recording: Any,
    output: str | Path,
    *,
    fps: float | None = None,
    start: float | None = None,
    end: float | None = None,
    scale: float = 1.0,
    lod: int = 0,
    in_place: bool = False,
    loop: bool = False,
    creature: str | None = None,
    scenery: bool = True,
    soft: Literal["cache", "skinned"] | None = None,
    progress: Told | None = None,
) -> Summary:
    """Write a recording for another program, as the ending of the file says (formats.py).

    `lod` 1 and 2 leave joints and triangles out; `loop` is one cycle of a gait; `soft` of a USD is
    `cache`, the exact surface, or `skinned`. `start` and `end` are s, `fps` keys per second (30).
    """
    path = Path(output)
    check_output(path, SUFFIXES)
    chosen = {"lod": lod, "in_place": in_place, "loop": loop, "creature": creature, "soft": soft}
    chosen |= {"scenery": not scenery, "fps": fps is not None, "scale": scale != 1}
    check_options(path, chosen, scale=scale, lod=lod)
    kind, names = find_format(path), choose_names(recording, creature)
    with doubting(recording, "exported"):
        clip = plan_clip(recording, fps=fps or FPS, start=start, end=end)
        creatures, notes = list[CreatureSurface](), list[str]()
        if kind.takes_surfaces:
            creatures = choose_creatures(recording, creature, lod)
            how = {"in_place": in_place, "loop": loop}
            clip, notes = shape_clip(clip, creatures, recording.frame_rate, **how)
        order = Order(
            recording=recording,
            names=names,
            creatures=creatures,
            output=path,
            clip=clip,
            start=start,
            end=end,
            scale=scale,
            level=lod,
            scenery=scenery,
            soft=soft or "cache",
            progress=progress,
        )
        told = kind.load()(order)
    return replace(told, notes=notes + told.notes)


def check_options(path: Path, chosen: dict[str, Any], *, scale: float, lod: int) -> None:
    """Refuse what would do nothing, and what makes no sense."""
    suffix = path.suffix.lower()
    for name in find_format(path).unused:
        if chosen[name]:
            flag = "no-scenery" if name == "scenery" else name.replace("_", "-")
            raise UserError(f"--{flag} does not apply to {suffix} files; valid: without it")
    if not SCALES[0] <= scale <= SCALES[1]:  # nan is refused too
        valid = f"{SCALES[0]:g} to {SCALES[1]:g}"
        raise UserError(f"--scale {scale:g}: is no size that a file can hold; valid: {valid}")
    if lod not in range(LEVELS):
        raise UserError(f"--lod {lod}: is no level of detail; valid: 0 (all), 1 or 2 (fewest)")
    if chosen["soft"] not in (None, "cache", "skinned"):
        raise UserError(f"--soft {chosen['soft']}: is not known; valid: cache, skinned")


def choose_creatures(recording: Any, name: str | None, lod: int) -> list[CreatureSurface]:
    """The surfaces of all creatures, or of the one of a name."""
    names = choose_names(recording, name)
    each = SKIN_TRIANGLES // COARSER**lod  # whoever else is there: an asset stays the same
    return [
        build_creature_surface(recording, one, triangle_limit=each)
        for one in open_motions(recording)
        if one.name in names
    ]


def shape_clip(
    clip: Clip, creatures: list[CreatureSurface], rate: float, *, in_place: bool, loop: bool
) -> tuple[Clip, list[str]]:
    """The clip as it is wanted: on the spot, or one cycle; and what to know of it."""
    if not loop:
        return replace(clip, in_place=in_place), []
    if len(creatures) > 1:
        names = ", ".join(one.motion.name for one in creatures)
        raise UserError(f"--loop: is of one creature; valid: with --creature, one of {names}")
    return find_loop(Rig(creatures[0].motion), replace(clip, in_place=in_place), rate)
