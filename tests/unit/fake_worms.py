"""Worms made up by formula: midlines whose curvature is known, in space or in a recording."""

import numpy as np
from fake_recordings import FakeRecording

LENGTH, HERTZ, WAVES, BEND = 0.1, 0.37, 1.68, 9.0
FINE = 480  # links of the line that is integrated


def bend(time, place, *, hertz=HERTZ, waves=WAVES, size=BEND, standing=0.0, bias=0.0):
    """Curvature times length [frame, place] of a wave that runs from head to tail; `standing` is
    how much of its size runs the other way."""
    turn, along = 2 * np.pi * hertz * time[:, None], 2 * np.pi * waves * place
    return size * (np.cos(turn - along) + standing * np.cos(turn + along)) + bias


def draw_line(curvature, *, length=LENGTH, at=(0.0, 0.0), heading=0.0):
    """Midlines [frame, point, xyz] of a curvature times length [frame, link]: head first, heading
    along +x (or turned from there towards -z), their middles at x and z [frame, 2]. Where curvature
    is positive the line bends towards +z, the right of a worm that heads along +x."""
    links = curvature.shape[1]
    turned = np.cumsum(curvature, axis=1) / links
    turned = turned - turned.mean(axis=1, keepdims=True)
    # from head to tail the line goes along -x; a bend towards +z turns it from -x to +z
    way = np.stack([-np.cos(turned), np.sin(turned)], axis=-1) * length / links
    line = np.concatenate([np.zeros((len(way), 1, 2)), np.cumsum(way, axis=1)], axis=1)
    line = line - line.mean(axis=1, keepdims=True)
    heading = np.broadcast_to(heading, len(line))[:, None]
    x = line[..., 0] * np.cos(heading) + line[..., 1] * np.sin(heading)
    z = -line[..., 0] * np.sin(heading) + line[..., 1] * np.cos(heading)
    at = np.broadcast_to(np.asarray(at, float), (len(line), 2))
    return np.stack([x + at[:, :1], 0 * x, z + at[:, 1:]], axis=-1)


def crawl(*, seconds=17.3, rate=50.0, speed=0.02, points=49, length=LENGTH, **wave):
    """Times and midlines of a worm that crawls along +x at a speed, cm/s."""
    time = np.arange(int(seconds * rate) + 1) / rate
    place = (np.arange(FINE) + 0.5) / FINE
    at = np.stack([speed * time, 0 * time], axis=1)
    line = draw_line(bend(time, place, **wave), at=at, length=length)
    return time, line[:, :: FINE // (points - 1)]


def record_crawl(*, name="worm", residual=(1e-13, 3e-12), **kinds):
    """A recording of one, with what a worm records."""
    time, line = crawl(**kinds)
    recording = FakeRecording(50.0, len(time), [])
    inside = np.zeros(len(time))
    inside[len(time) // 4] = 1.0  # its largest is early
    channels = {
        "midline": line,
        "internal_force": residual[0] * inside,
        "internal_torque": residual[1] * inside,
    }
    recording.add_creature(name, {}, channels, {"body_length": LENGTH})
    recording.creatures[-1]["kind"] = "worm"
    return recording
