"""What becomes of creatures by the end of a recording: lost, fallen or stuck, and since when.

One definition for all kinds, from where their parts are, in lengths of their bodies:

- *lost*: it falls and nothing is below it, or it is deep inside the terrain, or far from all of it;
- *fallen*: one with legs lies on its back or side, or a climber lies and does not get up;
- *stuck*: it wants to go, and has stayed in one place for so long that it should be far away.

Each holds from a moment to the last frame. Whoever is held, coils, eats or is dead is neither
fallen nor stuck. The numbers are those below; docs/scenes.md explains them.
"""

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any
from weakref import WeakKeyDictionary

import numpy as np
from numpy.typing import NDArray

from skitter.errors import SkitterError
from skitter.measure.behaviour import BEHAVIOURS
from skitter.measure.body import body_length, build_ground, has_bodies, has_points, mean_frame
from skitter.measure.table import measured
from skitter.rotation import quaternion_to_matrix

if TYPE_CHECKING:
    from skitter.record import Recording
    from skitter.terrain import Terrain

Floats = NDArray[np.floating]
Mask = NDArray[np.bool_]

EVERY = 0.1  # s between the frames that are looked at
AWAY = 3.0  # lengths from every surface, of one that falls
FELL = 1.0  # lengths that it has fallen by then
INSIDE = 1.0  # lengths deep inside the terrain
OUTSIDE = 100.0  # lengths from every surface, whatever it does there
SUNK = 10.0  # lengths below the surface of water that one swims in
TILTED = 0.25  # cosine to upright on the surface below: more than 75 degrees from it
FALLEN_TIME = 3.0  # s that one lies before it is fallen
STUCK_TIME = 5.0  # s that one stays before it is stuck
STUCK_WAY = 3.0  # lengths that it wanted to go meanwhile
STUCK_RADIUS = 0.25  # lengths within which it stays
WANTING = 0.9  # share of that time in which it wants to go
FULL_BRAKE = 1e-3  # share of its speed that is left to a climber with all brakes on
BUSY = ("BITE", "PROBE", "EAT", "COIL", "COILED", "UNCOIL", "DEAD")  # and where it wants to be


@dataclass(frozen=True)
class Fate:
    """What has become of a creature."""

    name: str
    kind: str  # lost, fallen or stuck
    since: float  # s
    words: str  # how

    def __str__(self) -> str:
        return f"{self.name}: {self.kind}, {self.words}"


class Track:
    """A creature in some frames of a recording: its parts, and the ground below."""

    def __init__(
        self, recording: "Recording", name: str, kind: str, terrain: "Terrain", frames: slice
    ):
        self.recording, self.name, self.kind, self.terrain = recording, name, kind, terrain
        self.frames = frames
        self.time = np.asarray(recording.time[frames], float)
        self.length = body_length(recording, name)

    @cached_property
    def end(self) -> "Track":
        """Its last frame alone, which tells of most creatures that all is well."""
        last = slice(self.recording.frame_count - 1, None)
        return Track(self.recording, self.name, self.kind, self.terrain, last)

    def has(self, *channels: str) -> bool:
        return all(f"{self.name}.{channel}" in self.recording for channel in channels)

    def read(self, channel: str) -> Floats:
        return np.asarray(self.recording[f"{self.name}.{channel}"][self.frames], float)

    def read_static(self, name: str) -> NDArray[Any] | None:
        full = f"{self.name}.{name}"
        return self.recording.static(full) if self.recording.has_static(full) else None

    @cached_property
    def parts(self) -> Floats:
        """Middles of its parts, or its nodes [frame, part, 3], cm."""
        is_rigid = has_bodies(self.recording, self.name)
        return self.read("body_position" if is_rigid else "node_position")

    @cached_property
    def middle(self) -> Floats:
        """[frame, 3], cm."""
        return np.asarray(self.parts.mean(axis=1))

    @cached_property
    def has_ground(self) -> bool:
        return len(self.terrain.arrays.kind) > 0

    @cached_property
    def distance(self) -> Floats:
        """From its middle to the nearest surface [frame], cm; negative inside."""
        if not self.has_ground:
            return np.full(len(self.time), np.inf)
        return self.terrain.sample(self.middle)[0]

    @cached_property
    def is_held(self) -> bool:
        fixed = self.read_static("body_fixed")
        return fixed is not None and bool(np.any(fixed))

    @cached_property
    def is_wet(self) -> Mask:
        """Whether it is in water, or nearly [frame]."""
        water = self.recording.scene.get("water")
        if not water:
            return np.zeros(len(self.time), bool)
        height = self.middle[:, 1] - float(water["level"])
        deep = max(float(water["depth"]), SUNK * self.length)
        return np.asarray((height < self.length) & (height > -deep))

    @cached_property
    def is_busy(self) -> Mask:
        """Whether it is where it wants to be, or past wanting [frame]."""
        if not self.has("behaviour"):
            return np.zeros(len(self.time), bool)
        return np.isin(self.read("behaviour"), [BEHAVIOURS.index(one) for one in BUSY])

    @cached_property
    def has_legs(self) -> bool:
        names = [f"{self.name}.{one}" for one in ("leg_state", "leg_stepping")]
        return any(n in self.recording and self.recording[n].shape[1] > 0 for n in names)


def find_fates(recording: "Recording", terrain: "Terrain | None" = None) -> list[Fate]:
    """What has become of those creatures that came to no good end."""
    if recording.frame_count < 2 or not recording.creatures:
        return []
    ground = build_ground(recording) if terrain is None else terrain
    last = recording.frame_count - 1
    stride = min(max(1, round(EVERY / mean_frame(recording))), last)
    frames = slice(last % stride, None, stride)  # the last is among them
    fates = []
    for creature in recording.creatures:
        if has_points(recording, creature["name"]):
            track = Track(recording, creature["name"], creature["kind"], ground, frames)
            found = (find(track) for find in (find_lost, find_fallen, find_stuck))
            fates += [fate for fate in found if fate is not None][:1]
    return fates


def find_since(track: Track, judge: Callable[[Track], Mask], least: float = 0.0) -> int | None:
    """The first of the last frames, up to the end, in which something is so; none where that is
    shorter than `least`, s."""
    if not judge(track.end)[-1]:
        return None
    is_so = judge(track)
    first = int(np.flatnonzero(~is_so)[-1]) + 1 if not is_so.all() else 0
    return first if track.time[-1] - track.time[first] >= least else None


def find_lost(track: Track) -> Fate | None:
    """One that nothing will bring back."""
    if track.is_held:
        return None
    length = track.length
    first = find_since(track, lambda some: some.distance < -INSIDE * length)
    if first is not None:
        words = f"inside the terrain since {track.time[first]:.3g} s"
        return Fate(track.name, "lost", float(track.time[first]), words)
    first = find_since(track, lambda some: (some.distance > AWAY * length) & ~some.is_wet)
    gravity = float(track.recording.scene.get("gravity", 0.0))
    if first is None or gravity == 0:
        return None
    since, down = float(track.time[first]), np.sign(gravity)
    fallen = down * (track.middle[first, 1] - track.middle[-1, 1])
    falls = down * (track.middle[-2, 1] - track.middle[-1, 1])
    if fallen > FELL * length and falls > 0 and is_over_nothing(track, down):
        words = f"falling since {since:.3g} s (nothing is below it)"
        return Fate(track.name, "lost", since, words)
    away = float(track.end.distance[-1])
    if track.has_ground and away > OUTSIDE * length:
        words = f"{away:,.0f} cm from everything, since {since:.3g} s beyond reach of it"
        return Fate(track.name, "lost", since, words)
    return None


def is_over_nothing(track: Track, down: float) -> bool:
    """Whether no surface is straight below it in the last frame."""
    if not track.has_ground:
        return True
    return not np.isfinite(track.terrain.cast(track.middle[-1:], [[0.0, -down, 0.0]])[0][0])


def find_fallen(track: Track) -> Fate | None:
    """One that lies, near a surface that it could stand on."""
    if not track.has_legs or not track.has_ground or track.is_held:
        return None
    oriented = track.has("body_orientation")
    first = find_since(track, is_tilted, FALLEN_TIME) if oriented else None
    if first is not None:
        since = float(track.time[first])
        side = "back" if find_uprightness(track.end)[-1] < -TILTED else "side"
        return Fate(track.name, "fallen", since, f"on its {side} since {since:.3g} s")
    first = find_since(track, lies_down, FALLEN_TIME) if track.has("gravity_on") else None
    if first is None:
        return None
    since = float(track.time[first])
    return Fate(track.name, "fallen", since, f"down since {since:.3g} s")


def is_tilted(track: Track) -> Mask:
    return is_on_ground(track) & (find_uprightness(track) < TILTED)


def lies_down(track: Track) -> Mask:
    """Of climbers: gravity acts on those that do not walk."""
    return is_on_ground(track) & (track.read("gravity_on") > 0)


def is_on_ground(track: Track) -> Mask:
    """Whether it is near a surface that it could stand on, and has nothing else to do there."""
    return (track.distance < track.length) & ~track.is_wet & ~track.is_busy


def find_uprightness(track: Track) -> Floats:
    """Cosine between up of its trunk and the normal of the surface nearest to it [frame]."""
    mass, leg = track.read_static("body_mass"), track.read_static("body_leg")
    weight = np.ones(track.parts.shape[1]) if mass is None else np.asarray(mass, float)
    if leg is not None:
        weight = np.where(np.asarray(leg) < 0, weight, 0.0)
    trunk = np.flatnonzero(weight > 0)
    turn = quaternion_to_matrix(track.read("body_orientation")[:, trunk])
    rest = track.read_static("body_rest_orientation")
    up = np.tile([0.0, 1.0, 0.0], (len(trunk), 1))
    if rest is not None:
        up = quaternion_to_matrix(np.asarray(rest, float)[trunk])[:, 1, :]
    ups = np.einsum("fbij,bj->fbi", turn, up)
    normal = track.terrain.sample(track.parts[:, trunk].reshape(-1, 3))[1].reshape(ups.shape)
    cosine = (ups * normal).sum(axis=2)
    return np.asarray(cosine @ weight[trunk] / weight[trunk].sum())


def find_stuck(track: Track) -> Fate | None:
    """One that wants to go and gets nowhere."""
    channels, want = WANTED.get(track.kind, ((), None))
    if want is None or track.is_held or not track.has(*channels):
        return None
    room = STUCK_RADIUS * track.length
    first = find_since(track, lambda some: is_within(some, track.middle[-1], room), STUCK_TIME)
    if first is None:
        return None
    speed = np.where(track.is_busy, 0.0, np.abs(want(track)))[first:]
    way = float((speed[1:] * np.diff(track.time[first:])).sum())
    if way < STUCK_WAY * track.length or (speed > 0).mean() < WANTING:
        return None
    since = float(track.time[first])
    words = f"it wants to go, but has stayed within {room:.2g} cm since {since:.3g} s"
    return Fate(track.name, "stuck", since, words)


def is_within(track: Track, place: Floats, room: float) -> Mask:
    return np.asarray(np.linalg.norm(track.middle - place, axis=1) < room)


# --- how fast each kind wants to go [frame], cm/s ------------------------------------------------


def want_of_climber(track: Track) -> Floats:
    """Without its brakes, which what is in its way works; one that brakes fully wants to stay."""
    free = 1.0 - np.maximum(track.read("brake_sense"), track.read("brake_queue"))
    walks = (track.read("gravity_on") == 0) & (free > FULL_BRAKE)
    return np.where(walks, track.read("speed_wanted") / np.maximum(free, FULL_BRAKE), 0.0)


def want_of_myriapod(track: Track) -> Floats:
    walking = track.read("head_speed")
    if not track.has("swim_speed"):
        return walking
    return np.where(track.is_wet, track.read("swim_speed"), walking)


def want_of_swimmer(track: Track) -> Floats:
    return track.read("swim_speed") * (track.read("swim_level") > 0)


def want_of_articulated(track: Track) -> Floats:
    """Those without a gait want nothing; pace is that of the master frequency and a full stride."""
    gait = find_species(track).get("gait")
    if not gait or not track.has_legs:
        return np.zeros(len(track.time))
    frequency, left, right, walks = track.read("drive").T
    master = gait.get("frequency") or 0.5 / gait["lag"]
    return np.asarray(gait["pace"] * walks * frequency / master * (left + right) / 2)


def want_of_worm(track: Track) -> Floats:
    """Its pace, while the phase of what drives it goes on."""
    phase = np.gradient(track.read("drive_phase")) if len(track.time) > 1 else np.zeros(1)
    return float(find_species(track)["pace"]) * (np.abs(phase) > 0)


def find_species(track: Track) -> dict[str, Any]:
    """Its species, as the scene in the recording has it."""
    scene = track.recording.scene
    return dict(scene["species"][scene["creature_names"].index(track.name)])


BRAKED = ("speed_wanted", "brake_sense", "brake_queue", "gravity_on")
WANTED: dict[str, tuple[tuple[str, ...], Callable[[Track], Floats]]] = {  # by kind, from what
    "articulated": (("drive",), want_of_articulated),
    "climber": (BRAKED, want_of_climber),
    "myriapod": (("head_speed",), want_of_myriapod),
    "swimmer": (("swim_speed", "swim_level"), want_of_swimmer),
    "worm": (("drive_phase",), want_of_worm),
}


# --- as measures ---------------------------------------------------------------------------------

_found: "WeakKeyDictionary[Recording, list[Fate]]" = WeakKeyDictionary()


def find_moment(recording: "Recording", name: str, kind: str) -> float:
    """Since when a creature is lost, fallen or stuck, s; nan where it is not."""
    if recording not in _found:
        _found[recording] = find_fates(recording)
    times = [one.since for one in _found[recording] if (one.name, one.kind) == (name, kind)]
    return times[0] if times else np.nan


@measured("s", "since when it is lost, to the end; only of one that is", where=has_points)
def lost_since(recording: "Recording", name: str) -> float:
    return find_moment(recording, name, "lost")


@measured("s", "since when it lies and does not get up; only of one that does", where=has_points)
def fallen_since(recording: "Recording", name: str) -> float:
    return find_moment(recording, name, "fallen")


@measured("s", "since when it wants to go and does not; only of one that is", where=has_points)
def stuck_since(recording: "Recording", name: str) -> float:
    return find_moment(recording, name, "stuck")


def describe_fates(recording: "Recording", terrain: "Terrain | None" = None) -> list[str]:
    """A line for each creature that is lost, fallen or stuck."""
    try:
        return [str(fate) for fate in find_fates(recording, terrain)]
    except SkitterError:  # a file of the terrain is gone: what is measured says so
        return []
