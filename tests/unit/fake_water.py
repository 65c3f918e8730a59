"""Water made up by formula for made-up recordings: rings, wakes, rain and shores."""

import numpy as np
from fake_recordings import FLOOR, FakeRecording, make_chain

CELL = 0.4  # cm


def ripple(distance, age, speed=12.0, length=2.2, height=0.25):
    """A ring of waves that runs outwards from where a drop fell `age` s ago, cm."""
    front = speed * np.maximum(age, 1e-6)
    packet = np.exp(-(((distance - 0.7 * front) / (0.4 * front + 0.6)) ** 2))
    fade = height * np.exp(-0.9 * age) / np.sqrt(1 + distance)
    return np.where(age > 0, fade * packet * np.cos(2 * np.pi * (distance - front) / length), 0.0)


def add_water(recording: FakeRecording, surface, area=(80, 80), at=(0, 0), cell=CELL, **spec):
    """Water whose height is surface(x, z, time), cm, NaN where dry; None for a flat sheet."""
    recording.scene["water"] = {
        "level": 0.0,
        "depth": 8.0,
        "waves": surface is not None,
        "at": list(at),
        "area": list(area),
        "cell": cell,
        "edges": "open",
    } | spec
    if surface is None:
        return recording
    counts = [round(edge / cell) for edge in area]
    origin = np.array(at) - cell * (np.array(counts) - 1) / 2
    x, z = (start + cell * np.arange(n) for start, n in zip(origin, counts, strict=True))
    grids = np.meshgrid(x, z, indexing="ij")
    frames = [np.float32(surface(*grids, time)) for time in recording.time]
    recording._channels |= {
        "water_surface": np.stack(frames),
        "water_origin": np.tile(origin, (recording.frame_count, 1)),
        "water_volume": np.zeros(recording.frame_count),
    }
    recording._statics["water_cell"] = np.array(cell)
    return recording


def rings(x, z, time):
    """Two drops, one after the other."""
    first = ripple(np.hypot(x - 4, z - 2), time + 0.35)
    return first + 0.6 * ripple(np.hypot(x + 6, z + 5), time + 0.15)


def rain(x, z, time, drops=60, seed=3):
    """Rings of many drops."""
    rng = np.random.default_rng(seed)
    places, born = rng.uniform(-20, 20, (drops, 2)), rng.uniform(-0.6, 1.0, drops)
    total = np.zeros_like(x)
    for (a, b), start in zip(places, born, strict=True):
        age = time - start
        if 0 < age < 1.0:
            total += ripple(np.hypot(x - a, z - b), age, speed=14, length=1.2, height=0.12)
    return total


def wake(x, z, time, speed=10.0, head=4.0):
    """The V behind a body that swims along x: feathers along the arms, and a bow wave."""
    behind = head + speed * time - x
    angle = np.radians(19.5)
    across = np.abs(z)
    arm = across - np.maximum(behind, 0) * np.tan(angle)
    feather = np.exp(-((arm / (0.8 + 0.05 * np.maximum(behind, 0))) ** 2))
    length = 2.0
    phase = 2 * np.pi * (0.82 * behind + 0.57 * across) / length
    strength = 0.22 / np.sqrt(1 + 0.2 * np.maximum(behind, 0)) * np.exp(-behind / 60)
    arms = np.where(behind > 0, strength * feather * np.cos(phase), 0.0)
    bow = 0.25 * np.exp(-((behind / 1.2) ** 2 + (z / 1.5) ** 2))
    return arms + bow


HILL = {
    "shape": "heightfield",
    "at": (0, -5, 0),
    "size": (100.0, 100.0),
    "hills": [{"at": (3, -2), "height": 7.0, "width": 8.0}],
}


def make_swimmer(frames=30, speed=10.0, **spec):
    """A chain that swims at the surface of open water over a floor."""
    floor = FLOOR | {"at": (0, -6, 0)}
    recording = make_chain(frames=frames, boxes=10, speed=speed, terrain=(floor,))
    for name in ("body_position", "node_position"):
        recording._channels[f"chain.{name}"][..., 1] -= 0.55
    recording._channels["chain.body_position"][..., 0] -= 10
    recording._channels["chain.node_position"][..., 0] -= 10
    return add_water(recording, lambda x, z, t: wake(x, z, t, speed=speed), **spec)


class WetRecording:
    """Any recording, with water by formula added to it."""

    def __init__(self, recording, surface, **options) -> None:
        self._dry = recording
        frames = len(recording.time)
        carrier = FakeRecording(1.0, frames, [])
        carrier.time = recording.time
        self._wet = add_water(carrier, surface, **options)
        scene = dict(recording.attributes["scene"]) | {"water": carrier.scene["water"]}
        self.attributes = dict(recording.attributes) | {"scene": scene}
        self.channels = [*recording.channels, *carrier.channels]

    def __getattr__(self, name):
        return getattr(self._dry, name)

    def __len__(self) -> int:
        return len(self._dry)

    def __contains__(self, name) -> bool:
        return name in self._wet._channels or name in self._dry

    def __getitem__(self, name):
        return self._wet[name] if name in self._wet._channels else self._dry[name]

    def static(self, name):
        return self._wet.static(name) if name in self._wet._statics else self._dry.static(name)
