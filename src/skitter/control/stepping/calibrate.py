"""Limits of reflexes from undisturbed walking, beyond what happens there.

McKenna 1990 section 4.1: observe undisturbed walking and set the limits beyond the norm, for each
pair of legs by itself, as pairs move and bear differently. The paper left it undone.
"""

from collections.abc import Sequence

import numpy as np

from skitter.control.stepping.build import name_pair


def calibrate_reflexes(
    leg_name: Sequence[str],
    *,
    stepping: np.ndarray,
    angle: np.ndarray,
    load: np.ndarray,
    blocked: np.ndarray,
    margin: float = 0.2,
    least: float = 1.0,
) -> dict[str, dict[str, dict[str, float]]]:
    """Limits by pair, as `gait.reflexes` of a species file says them.

    All are [moment, leg] of a record of undisturbed walking, one row for each interval of the
    controller: whether a leg steps, its swing angle in rad, its load and what blocks it in dyn. Of
    the angle, the rearmost while it stands counts; of the load, that at which legs are lifted; of
    what blocks, the largest in steps. Limits lie beyond by `margin`: for the angle of its range in
    stance, for forces of their size, and forces are at least `least` dyn. A pair that never steps
    in the record gets no limits.
    """
    steps = np.asarray(stepping) > 0
    lifted = np.zeros_like(steps)
    lifted[:-1] = steps[1:] & ~steps[:-1]  # the last moment in which a leg still stands
    limits: dict[str, dict[str, dict[str, float]]] = {
        "step": {"angle_deg": {}},
        "load": {"most": {}},
        "elevator": {"force": {}},
    }
    pairs = [name_pair(name) for name in leg_name]
    for pair in dict.fromkeys(pairs):
        legs = [leg for leg, name in enumerate(pairs) if name == pair]
        stands, rises = ~steps[:, legs], lifted[:, legs]
        if not rises.any():
            continue
        swing = np.degrees(angle[:, legs][stands])
        rear = swing.min() - margin * np.ptp(swing)
        limits["step"]["angle_deg"][pair] = float(rear)
        borne, met = load[:, legs][rises].max(), blocked[:, legs][steps[:, legs]].max()
        limits["load"]["most"][pair] = float(max((1 + margin) * borne, least))
        limits["elevator"]["force"][pair] = float(max((1 + margin) * met, least))
    return limits
