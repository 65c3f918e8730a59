"""A few lines above all panels: what runs, how fast, what it is about, what went wrong."""

from typing import TYPE_CHECKING

import numpy as np

from skitter.view.series import SERIES, describe_mode, read_series

if TYPE_CHECKING:
    from skitter.view.studio import Studio


def describe_status(studio: "Studio") -> str:
    """A few lines of HTML: what runs, how fast, what it is about, what went wrong."""
    session, view = studio.session, studio.session.view()
    frames, moment = view.frames, view.moment
    scene = escape(str(frames.scene.get("name", "scene")))
    rows = [f"<b>{scene}</b> &nbsp; {moment:.2f} s &nbsp; {describe_speed(studio)}"]
    index = int(np.clip(np.searchsorted(frames.time, moment, "right") - 1, 0, None))
    mode = describe_mode(frames, studio.creature, index)
    what = escape(studio.creature)
    if mode is not None:
        names = ("speed", "legs that stand")
        known = {one.label: one for one in SERIES}
        values = [
            read_series(frames, studio.creature, known[name], slice(index, index + 1))[1][0]
            for name in names
        ]
        what += f" {mode} &nbsp; {values[0]:.1f} cm/s &nbsp; {values[1]:.0f} % of legs stand"
        what += f" &nbsp; {int(frames[f'{studio.creature}.food_eaten'][index])} eaten"
    rows.append(what)
    if studio.live is not None and studio.live.take is not None:
        take = studio.live.take
        rows.append(f"<span style='color:#c0392b'>● recording {escape(take.folder.name)}</span>")
    if session.message:
        rows.append(f"<span style='color:#c0392b'>{escape(session.message)}</span>")
    lines = "<br>".join(rows)
    return f"<div style='padding:0.6em 0.9em;font-size:0.85em;line-height:1.5'>{lines}</div>"


def describe_speed(studio: "Studio") -> str:
    """The real-time factor, with a clear sign where the machine cannot keep up."""
    session = studio.session
    if session.paused:
        return "paused"
    if studio.live is None:
        return f"{session.speed:g}×"
    factor = studio.live.factor
    if factor is None:
        return "starting"
    text = f"{factor:.2f}× real time"
    if studio.live.is_behind:
        return f"<span style='color:#c0392b'>{text}: this machine cannot keep up</span>"
    return text


def escape(text: str) -> str:
    return text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")
