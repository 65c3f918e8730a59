"""One step of a walker's controller, around the step of its bodies.

`steer` comes after contact and before motion: it gives carried bodies their speeds. `react` comes
after motion: the legs, and now and then the antennae and the brain. So what is decided in one step
moves bodies in the next.

What a controller may touch. It reads the terrain, what it is told of its surroundings (`around`),
its model, and the poses and speeds of its own bodies. It writes its own state (`WalkerState`, here
`walker`; `SwimState`), which muscles shall be driven, and the velocities and spins of bodies that
legs or the ground carry, that are near those, or that wade (`targeter.drive_bodies`), but never of
a held one. Positions, soft nodes and everybody else are not its own.
"""

from skitter.clock import ANTENNAE, BRAIN, LOOK, SWITCHER, TARGETER, lap
from skitter.compiled import kernel
from skitter.control.amphibious import choose_body_mode
from skitter.control.antennae import update_antennae
from skitter.control.bodies import read_axes
from skitter.control.brain import think
from skitter.control.switcher import update_legs
from skitter.control.targeter import drive_bodies, find_stretch, look_down

THINK_STEPS = 10  # between two decisions; an antenna moves by little in that time


@kernel
def steer(terrain, around, model, walker, step, dt, gravity, bodies, frame, clock):
    look_down(terrain, around.obstacles, step, dt, bodies, walker)
    lap(clock, LOOK)
    drive_bodies(model, walker, len(around.obstacles.kind) > 0, dt, gravity, bodies, frame)
    lap(clock, TARGETER)


@kernel
def react(terrain, around, model, walker, step, dt, bodies, frame, clock):
    walker.clock[0] += dt
    update_legs(terrain, model, walker, dt, bodies, frame)
    lap(clock, SWITCHER)
    if step % THINK_STEPS == 0:
        pause = dt * THINK_STEPS
        update_antennae(terrain, around, model.antenna, model.goal, walker, pause, bodies, frame)
        lap(clock, ANTENNAE)
        stretch, free = find_stretch(model.goal, bodies), model.goal.free[0]
        walker.body_mode[0] = choose_body_mode(walker)
        think(around, model.walk, walker, stretch, free, read_axes(frame, 0), pause)
        lap(clock, BRAIN)
