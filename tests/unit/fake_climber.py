"""Recordings of a climber that walks by formula, and of an object."""

import numpy as np
from fake_articulated import Fake, place_body, tell_steps

LENGTH, MASS = 5.0, 16.0
LEG_LENGTH = 8.0
STRIDE = 2.5  # cm between two footholds of a foot


def list_groups(pairs):
    """0 of L1, R2, L3 …, 1 of R1, L2, R3 …; legs are L1, R1, L2, R2 …"""
    leg = np.arange(2 * pairs)
    return (leg // 2 + leg % 2) % 2


def list_group_lifts(pairs=4, *, seconds=6.0, frequency=2.0, apart=0.5, wave=0.0, start=0.1):
    """When each leg begins its steps [leg, step], s: one group `apart` cycles after the other, and
    in each the legs in front `wave` cycles after those behind them."""
    leg = np.arange(2 * pairs)
    phase = apart * list_groups(pairs) + wave * (pairs - 1 - leg // 2)
    count = np.arange(int(seconds * frequency) + 2)
    return start + (phase[:, None] + count) / frequency


def make_climb(pairs=4, *, seconds=6.0, rate=60.0, step=0.125, speed=3.0, **how) -> Fake:
    """It walks along +x on a floor, and holds on with all feet that do not step. Every step of a
    foot leads `STRIDE` further."""
    time = np.arange(round(seconds * rate) + 1) / rate
    lifts = list_group_lifts(pairs, seconds=seconds, **how)
    lift, land, stepping = tell_steps(time, lifts, lifts + step)
    frames, legs = stepping.shape
    count = np.stack([np.searchsorted(one + step, time, "right") for one in lifts], axis=1)
    foot = np.zeros((frames, legs, 3))
    foot[..., 0] = STRIDE * count + np.where(stepping > 0, 0.6, 0.0)
    none = np.zeros((frames, legs), np.int64)
    channels = {
        "lift_time": lift,
        "land_time": land,
        "leg_stepping": stepping,
        "steps": np.stack([np.searchsorted(one, time, "right") for one in lifts], axis=1),
        "step_share": np.full((frames, legs), 0.5),
        "foot_held": 1 - stepping,
        "foot_host": none - 1,
        "foot_position": foot,
        "slip_distance": np.zeros((frames, legs)),
        "slips": none,
        "leg_error": np.zeros((frames, legs, 4), np.int64),
        "leg_searches": none.copy(),
        "leg_found": none.copy(),
        "anchor_force": np.zeros((frames, legs)),
        **list_body_channels(time, speed),
    }
    leg = np.arange(legs)
    statics = {
        "leg_pair": leg // 2,
        "leg_side": leg % 2 * 2 - 1,
        "leg_length": np.full(legs, LEG_LENGTH),
        "total_mass": MASS,
        "body_length": LENGTH,
        "body_segment": np.array([-3, -1]),
    }
    return Fake(time, channels, statics, kind="climber")


def list_body_channels(time, speed):
    frames = len(time)
    body = place_body(time, np.stack([speed * time, 0 * time], axis=1))
    del body["centre_of_mass"]
    return body | {
        "surface_normal": np.tile([0.0, 2.0, 0.0], (frames, 1)),
        "gravity_on": np.zeros(frames, np.uint8),
        "detail": np.zeros(frames, np.uint8),
        "falls": np.zeros(frames, np.int64),
        "recoveries": np.zeros(frames, np.int64),
        "queue_length": np.ones(frames, np.int64),
        "speed": np.full(frames, speed),
        "brake_sense": np.zeros(frames),
        "brake_queue": np.zeros(frames),
        "contact_energy": np.zeros(frames),
        "depth": np.zeros((frames, 2)),
    }


def make_object(path, turn) -> Fake:
    """Its places [frame, 3] and turns [frame, 4], sixty a second."""
    time = np.arange(len(path)) / 60
    velocity = np.gradient(path, time, axis=0)
    channels = {
        "body_position": path[:, None],
        "body_orientation": turn[:, None],
        "velocity": velocity,
        "depth": np.zeros((len(path), 1)),
    }
    statics = {"body_size": np.array([[2.0, 1.0, 1.0]]), "body_shape": np.zeros(1, np.int32)}
    return Fake(time, channels, statics, kind="object")
