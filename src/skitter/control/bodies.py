"""Reading a rigid body out of its lanes, in float64 whatever the precision."""

from skitter.compiled import LANES, inlined, kernel
from skitter.rigid.bodies import MATRIX, POSITION, VELOCITY


@inlined
def read_vector(rows, first, b):
    """Three numbers of body b that begin at row `first`."""
    pack, at = b // LANES, first + b % LANES
    return (
        float(rows[pack, at]),
        float(rows[pack, at + LANES]),
        float(rows[pack, at + 2 * LANES]),
    )


@inlined
def read_position(bodies, b):
    return read_vector(bodies.rows, POSITION, b)


@inlined
def read_velocity(bodies, b):
    return read_vector(bodies.rows, VELOCITY, b)


@inlined
def read_spin(frame, b):
    return read_vector(frame, 0, b)


@inlined
def read_axes(frame, b):
    """Rotation matrix of body b, row by row; its columns are the body's axes in the world."""
    ax, bx, cx = read_vector(frame, MATRIX, b)
    ay, by, cy = read_vector(frame, MATRIX + 3 * LANES, b)
    az, bz, cz = read_vector(frame, MATRIX + 6 * LANES, b)
    return ax, bx, cx, ay, by, cy, az, bz, cz


@inlined
def write_vector(rows, first, b, x, y, z):
    pack, at = b // LANES, first + b % LANES
    real = rows.dtype.type
    rows[pack, at] = real(x)
    rows[pack, at + LANES] = real(y)
    rows[pack, at + 2 * LANES] = real(z)


@inlined
def to_body(R, x, y, z):
    """A vector of the world in the body's axes."""
    return (
        R[0] * x + R[3] * y + R[6] * z,
        R[1] * x + R[4] * y + R[7] * z,
        R[2] * x + R[5] * y + R[8] * z,
    )


@inlined
def from_body(R, x, y, z):
    """A vector of the body's axes in the world."""
    return (
        R[0] * x + R[1] * y + R[2] * z,
        R[3] * x + R[4] * y + R[5] * z,
        R[6] * x + R[7] * y + R[8] * z,
    )


@kernel
def read_axes_of(frame, bodies, b):
    """Axes and centre of body b, for callers outside kernels."""
    return read_axes(frame, b), read_position(bodies, b)
