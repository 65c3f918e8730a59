"""What legs feel after each interval, from forces and angles."""

import numpy as np

from skitter.compiled import kernel

SMOOTH = 0.004  # s, over which a leg feels its load


@kernel
def feel_legs(sense, touch, load, force, angle, swing, root, front, light, now, seconds):
    """Tell legs what they bear, what is in their way and where they are.

    `touch` [leg, 3]: whether it touches, and when it last touched down and came free. `load` [leg]
    and `force` [leg, 3] are dyn; `swing` [leg] is the joint of `angle` that swings it, or -1;
    `root` [3, 3] are the body's axes and `front` [3] its way forward in them. A leg that bears
    less than `light` does not touch.
    """
    x = root[0, 0] * front[0] + root[0, 1] * front[1] + root[0, 2] * front[2]
    z = root[2, 0] * front[0] + root[2, 1] * front[1] + root[2, 2] * front[2]
    size = max(np.sqrt(x * x + z * z), 1e-9)
    share = 1.0 - np.exp(-seconds / SMOOTH)
    for leg in range(len(load)):
        sense.load[leg] += share * (load[leg] - sense.load[leg])
        back = max(-(force[leg, 0] * x + force[leg, 2] * z) / size, 0.0)
        sense.blocked[leg] += share * (back - sense.blocked[leg])
        bears = 1.0 if load[leg] > light else 0.0
        if bears != touch[leg, 0]:
            touch[leg, 1 if bears > 0.0 else 2] = now
        touch[leg, 0] = sense.touching[leg] = bears
        if swing[leg] >= 0:
            sense.angle[leg] = angle[swing[leg]]
