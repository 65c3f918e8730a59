"""What a climber can stand on: ground, obstacles and movable objects, asked as one."""

from skitter.compiled import kernel
from skitter.terrain.ray import cast_ray, sample_from
from skitter.terrain.surface import AXES, CENTRE, FAR, sample

NONE = -2  # of a host: there is nothing
WORLD = -1  # of a host: something that never moves


@kernel
def ask_from(surfaces, ox, oy, oz, x, y, z):
    """Signed distance, normal and friction of the closest surface, and which object it is of, for
    what comes from a point o and keeps to its side of ground that is thin."""
    distance, nx, ny, nz, k = sample_from(surfaces.ground, ox, oy, oz, x, y, z)
    friction, host = 0.8, NONE
    if k >= 0:
        friction, host = surfaces.ground.friction[k], WORLD
    if len(surfaces.barrier.row) > 0:
        d, ax, ay, az, k = sample_from(surfaces.barrier, ox, oy, oz, x, y, z)
        if d < distance:
            distance, nx, ny, nz = d, ax, ay, az
            friction, host = surfaces.barrier.friction[k], WORLD
    if len(surfaces.blocks.row) > 0:
        d, ax, ay, az, k = sample(surfaces.blocks, x, y, z)
        if d < distance:
            distance, nx, ny, nz = d, ax, ay, az
            friction, host = surfaces.blocks.friction[k], k
    return distance, nx, ny, nz, friction, host


@kernel
def ask(surfaces, x, y, z):
    """The same at a point alone."""
    return ask_from(surfaces, x, y, z, x, y, z)


@kernel
def look(surfaces, ox, oy, oz, dx, dy, dz):
    """Distance along a ray to the first surface, and its normal there."""
    distance, nx, ny, nz, _ = cast_ray(surfaces.ground, ox, oy, oz, dx, dy, dz)
    if len(surfaces.barrier.row) > 0:
        d, ax, ay, az, _ = cast_ray(surfaces.barrier, ox, oy, oz, dx, dy, dz)
        if d < distance:
            distance, nx, ny, nz = d, ax, ay, az
    if len(surfaces.blocks.row) > 0:
        d, ax, ay, az, _ = cast_ray(surfaces.blocks, ox, oy, oz, dx, dy, dz)
        if d < distance:
            distance, nx, ny, nz = d, ax, ay, az
    return min(distance, FAR), nx, ny, nz


@kernel
def to_host(blocks, host, x, y, z):
    """A point of the world in the frame of what it is on."""
    if host < 0:
        return x, y, z
    row = blocks.row
    p = (x - row[host, CENTRE], y - row[host, CENTRE + 1], z - row[host, CENTRE + 2])
    return (
        row[host, AXES] * p[0] + row[host, AXES + 3] * p[1] + row[host, AXES + 6] * p[2],
        row[host, AXES + 1] * p[0] + row[host, AXES + 4] * p[1] + row[host, AXES + 7] * p[2],
        row[host, AXES + 2] * p[0] + row[host, AXES + 5] * p[1] + row[host, AXES + 8] * p[2],
    )


@kernel
def from_host(blocks, host, x, y, z):
    """The other way."""
    if host < 0:
        return x, y, z
    row = blocks.row
    return (
        row[host, CENTRE] + row[host, AXES] * x + row[host, AXES + 1] * y + row[host, AXES + 2] * z,
        row[host, CENTRE + 1]
        + row[host, AXES + 3] * x
        + row[host, AXES + 4] * y
        + row[host, AXES + 5] * z,
        row[host, CENTRE + 2]
        + row[host, AXES + 6] * x
        + row[host, AXES + 7] * y
        + row[host, AXES + 8] * z,
    )
