"""A look at a surface: `sample`, with the commonest terrain, one plane, answered on the spot."""

from skitter.compiled import inlined
from skitter.terrain.ray import sample_from
from skitter.terrain.surface import PLANE, sample


@inlined
def look(terrain, x, y, z):
    """Signed distance, outward normal (three numbers) and index of the closest primitive."""
    if len(terrain.kind) == 1 and terrain.kind[0] == PLANE:
        nx, ny, nz = terrain.axes[0, 0, 1], terrain.axes[0, 1, 1], terrain.axes[0, 2, 1]
        px, py, pz = terrain.centre[0, 0], terrain.centre[0, 1], terrain.centre[0, 2]
        return nx * (x - px) + ny * (y - py) + nz * (z - pz), nx, ny, nz, 0
    return sample(terrain, x, y, z)


@inlined
def look_from(terrain, ox, oy, oz, x, y, z):
    """The same for what reaches there from a point o, which is on its side of what is thin."""
    if len(terrain.kind) == 1 and terrain.kind[0] == PLANE:
        return look(terrain, x, y, z)
    return sample_from(terrain, ox, oy, oz, x, y, z)


@inlined
def height_over(planes, b, x, y, z):
    """Distance of a point from a plane that is kept as a point and a normal."""
    return (
        (x - planes[b, 0]) * planes[b, 3]
        + (y - planes[b, 1]) * planes[b, 4]
        + (z - planes[b, 2]) * planes[b, 5]
    )
