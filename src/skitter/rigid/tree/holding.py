"""What holds links: sticky pads under feet, and springs that close loops.

McKenna 1990 section 4.2 and figure 9. Both break when they are pulled too hard: a pad slides and
catches again, a closure is gone.
"""

import numpy as np

from skitter.compiled import inlined, kernel
from skitter.rigid.tree.algebra import add, dot, load3, load9, turn_in, turn_out
from skitter.rigid.tree.springs import STEEPEST, point_speed, push_point
from skitter.rigid.tree.system import (
    AT,
    BREAKS,
    CLOSURE_DAMPING,
    CLOSURE_LINK,
    CLOSURE_OTHER,
    FOOT_LINK,
    FOOT_OWNER,
    PAD_BREAKS,
    PAD_DAMPING,
    PAD_PULL,
    PAD_SHARPNESS,
    PAD_STIFFNESS,
    STICKY,
    STIFFNESS,
    TO,
)
from skitter.rigid.tree.touching import local, push_pair
from skitter.terrain.surface import sample

PAD_REACH = 0.03  # cm from a surface, within which the middle of a pad catches
ANY = (1.0, 0.0, 0.0)  # the direction of a spring that is as stiff in all


@kernel
def hold_pads(system, state, place, axes, seconds, work, touches, count):
    """Sticky pads: exponential springs to where each holds."""
    flat = axes.reshape(len(axes), 9)
    for leg in range(len(system.foot)):
        if state.stuck[leg] == 0:
            continue
        i, touch = system.foot[leg, FOOT_LINK], system.touch[system.foot[leg, FOOT_OWNER]]
        R, x = load9(flat[i], 0), load3(system.foot_at[leg], 0)
        s = local(R, load3(place[i], 0), load3(state.anchor[leg], 0))
        s = (s[0] - x[0], s[1] - x[1], s[2] - x[2])  # from the foot to where it holds
        size, c, v = np.sqrt(dot(s, s)), touch[PAD_DAMPING], point_speed(work[i], x)
        b = touch[PAD_SHARPNESS]
        e = np.exp(min(b * size, STEEPEST))
        k = touch[PAD_STIFFNESS] * ((e - 1.0) / (b * size) if b * size > 1e-6 else 1.0)
        speed, steep = np.sqrt(dot(v, v)), touch[PAD_STIFFNESS] * e
        # what it would bear by the end of the step, and no more than it can
        most = k * size + (c + seconds * steep) * speed
        part = touch[PAD_BREAKS] / most if most > touch[PAD_BREAKS] else 1.0
        k, c, steep = part * k, part * c, part * steep
        force = (k * s[0] - c * v[0], k * s[1] - c * v[1], k * s[2] - c * v[2])
        iso = (steep, c)
        push_point(work, i, x, force, v, ANY, iso, iso, seconds, leg, 0.0, touches, count)


@kernel
def settle_pads(system, state, terrain, barrier, place, axes):
    """After a step: pads of standing feet catch where they touch, slide where they are torn."""
    flat = axes.reshape(len(axes), 9)
    for leg in range(len(system.foot)):
        i, touch = system.foot[leg, FOOT_LINK], system.touch[system.foot[leg, FOOT_OWNER]]
        if touch[STICKY] == 0.0 or state.standing[leg] == 0:
            state.stuck[leg] = 0
            continue
        at = add(load3(place[i], 0), turn_out(load9(flat[i], 0), load3(system.foot_at[leg], 0)))
        if state.stuck[leg] == 0:
            near = sample(terrain, at[0], at[1], at[2])[0]
            near = min(near, sample(barrier, at[0], at[1], at[2])[0])
            if near <= PAD_REACH:
                state.stuck[leg] = 1
                for k in range(3):
                    state.anchor[leg, k] = at[k]
            continue
        tear_pad(state, leg, at, touch, terrain)


@inlined
def tear_pad(state, leg, at, touch, terrain):
    """A pad whose spring pulls too hard slides to where the foot is; pulled off, it lets go."""
    anchor = load3(state.anchor[leg], 0)
    s = (anchor[0] - at[0], anchor[1] - at[1], anchor[2] - at[2])
    size, b = np.sqrt(dot(s, s)), touch[PAD_SHARPNESS]
    force = touch[PAD_STIFFNESS] * (
        (np.exp(min(b * size, STEEPEST)) - 1.0) / b if b > 0.0 else size
    )
    _, nx, ny, nz, _ = sample(terrain, at[0], at[1], at[2])
    pull = -force * (s[0] * nx + s[1] * ny + s[2] * nz) / size if size > 0.0 else 0.0
    if pull > touch[PAD_PULL]:
        state.stuck[leg] = 0
    elif force > touch[PAD_BREAKS]:
        for k in range(3):
            state.anchor[leg, k] = at[k]


@kernel
def close_loops(system, state, place, axes, seconds, again, work, touches, count, felt):
    """Springs that close loops, or hold a link to a point of the world; `again`: only these."""
    flat = axes.reshape(len(axes), 9)
    for k in range(len(system.closure)):
        number = system.closure_number[k]
        i, j = system.closure[k, CLOSURE_LINK], system.closure[k, CLOSURE_OTHER]
        if again and j >= 0:
            continue
        felt.closure_force[k] = 0.0
        if state.intact[k] == 0:
            continue
        R, x, y = load9(flat[i], 0), load3(number, AT), load3(number, TO)
        p, q, v = add(load3(place[i], 0), turn_out(R, x)), y, turn_out(R, point_speed(work[i], x))
        Q = R
        if j >= 0:
            Q = load9(flat[j], 0)
            q, u = add(load3(place[j], 0), turn_out(Q, y)), turn_out(Q, point_speed(work[j], y))
            v = (v[0] - u[0], v[1] - u[1], v[2] - u[2])
        s, c = number[STIFFNESS], number[CLOSURE_DAMPING]
        force = (
            s * (q[0] - p[0]) - c * v[0],
            s * (q[1] - p[1]) - c * v[1],
            s * (q[2] - p[2]) - c * v[2],
        )
        felt.closure_force[k] = np.sqrt(dot(force, force))
        if j >= 0:
            push_pair(
                work, (i, j), (R, Q), (x, y), force, v, ANY, (s, c), (s, c), seconds, (-1, -1),
                0.0, touches, count,
            )  # fmt: skip
        else:
            f, u = turn_in(R, force), turn_in(R, v)
            push_point(work, i, x, f, u, ANY, (s, c), (s, c), seconds, -1, 0.0, touches, count)


@kernel
def break_loops(system, state, felt):
    """After a step: closures whose force was too large are gone (McKenna 1990 figure 9)."""
    for k in range(len(system.closure)):
        if felt.closure_force[k] > system.closure_number[k, BREAKS]:
            state.intact[k] = 0
