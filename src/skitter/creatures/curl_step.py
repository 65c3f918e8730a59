"""A frame of steps of a creature that keeps a shape instead of walking, in one compiled call.

The step is that of `creatures/step.py`, with `hold_shape` in the place of steering, before contact:
the ground has the last word. It is a kernel of its own, so that nothing changes for those who walk.
"""

from skitter.compiled import kernel
from skitter.control.curl import hold_shape
from skitter.control.switcher import settle_legs, update_legs
from skitter.creatures.step import (
    SPEED_LIMIT,
    TANGLE_CHECK,
    mark_carried,
    meet_terrain,
    move_bodies,
    move_nodes,
    push_bodies,
)
from skitter.creatures.wet import LEVEL_STEPS, look_at_surface
from skitter.elastic.untangle import find_tangled_blocks


@kernel
def advance_curled(
    steps, dt, gravity, terrain, soft, soft_state, soft_scratch, body, body_state, body_scratch,
    walker_model, walker_state, water, wet, wet_scratch, curl, clock,
):  # fmt: skip
    """Advance a creature by so many steps; returns the step that blew up, or -1. Its legs are
    tucked: all its bodies count as submerged."""
    interval = max(1, int(TANGLE_CHECK / dt))
    is_tangled, is_wet = False, water.density > 0.0
    frame, real = body_scratch.frame, body_state.rows.dtype.type
    step_time = 1.0 * dt
    mark_carried(walker_state.supported, body_scratch.carried)
    goal = walker_model.goal
    for step in range(steps):
        if step % interval == 0:
            is_tangled = find_tangled_blocks(soft, soft_state, soft_scratch)
        if is_wet and step % LEVEL_STEPS == 0:
            look_at_surface(water, soft, soft_state, body_state, body.body_count, wet_scratch)
        push_bodies(
            dt, is_tangled, gravity, soft, soft_state, soft_scratch, body_state, body_scratch,
            water, wet, wet_scratch, clock,
        )  # fmt: skip
        hold_shape(
            curl, goal.inertia, goal.free, (step + 1.0) / steps, steps * step_time, step_time,
            gravity, body_state, frame,
        )  # fmt: skip
        meet_terrain(dt, gravity, terrain, body, body_state, body_scratch, clock)
        speeds = move_bodies(dt, body, body_state, body_scratch)
        speeds += move_nodes(
            dt, terrain, soft, soft_state, soft_scratch, body_state, body_scratch, clock
        )
        walker_state.clock[0] += step_time
        update_legs(terrain, walker_model, walker_state, step_time, body_state, frame)
        mark_carried(walker_state.supported, body_scratch.carried)
        if not speeds < real(SPEED_LIMIT) * real(SPEED_LIMIT):
            return step
    settle_legs(walker_model, walker_state, body_state, frame)
    return -1
