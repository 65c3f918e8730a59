"""What bodies do to the water: they displace it, and they draw it along.

Bodies are rounded bars (`list_stirrers` of creatures). Fang 2015 section 5.3 sets the height of the
water under a body and makes the velocity at its outline that of the body along the normal (eq. 5.3,
5.4). Here, so that no volume is lost:

- a bar puts its height on the bed, by the share of a cell that it covers: the water above flows
  away by itself, and the surface under a floating body is where it was (steps 3 and 4);
- a bar draws the water along its normal by its drag, a force that grows with the square of their
  relative speed and with the part of the water's depth that the bar takes up. A bar from the bed to
  the surface moves all of the water, as in eq. 5.3; water can pass below a low one. What is thinner
  than a cell counts by its width.
"""

import numpy as np

from skitter.compiled import inlined, kernel
from skitter.water.flow import PAD
from skitter.water.grid import DRAW, NORMAL_X, NORMAL_Z, SOLID, SPEED

A, B, HALF_WIDTH, HALF_HEIGHT, VELOCITY_A, VELOCITY_B, BAR_SIZE = 0, 3, 6, 7, 8, 11, 14
DRAG = 8.0  # of a bar across the flow, times ρ v² H: strong, as only the top of the water is seen
GAP = 0.05  # of the depth: with less room under a bar than this, water is moved as if by a wall
SOFT = 2.0  # cells over which an outline is blurred, so that it moves smoothly over the grid
THIN = 1e-3  # of a cell: narrower bars count as this wide


@kernel
def lift_row(ground, bed, begin, end, count, share):
    """Ground of a row: the bed, and bodies on their way from where they were to where they are."""
    rest = share / share - share  # of the way; at the end they arrive to the last bit
    for j in range(count):
        ground[j] = bed[j] + (end[j] - rest * (end[j] - begin[j]))


@kernel
def draw_row(out, near, far, draw, along, across, speed, count, step):
    """Fang 2015 eq. 5.4 for a row of faces, by a share that the drag gives.

    `along` is the component of the normal along the velocities `out`, `across` the other one; near
    and far hold the other velocity around. The drag is implicit, so no step is too long for it.
    """
    one = step / step
    quarter = one / (one + one + one + one)
    for j in range(count):
        other = quarter * (near[j] + near[j + 1] + far[j] + far[j + 1])
        missing = speed[j] - along[j] * out[j] - across[j] * other
        pull = step * draw[j] * abs(missing)
        out[j] += pull / (one + pull) * missing * along[j]


@inlined
def cover(distance, half, cell):
    """Share of a cell's width that is covered by what reaches `half` to both sides."""
    reach = 0.5 * SOFT * cell
    low, high = max(distance - half, -reach), min(distance + half, reach)
    return min(max((high - low) / (SOFT * cell), 0.0), 1.0)


@inlined
def overlap(low, high, bottom, top):
    return max(min(high, top) - max(low, bottom), 0.0)


@inlined
def meet_bar(bar, x, z, cell):
    """How a bar meets the cell around (x, z): share of it covered, bottom and top of the bar and
    how thick it is there, and the nearest place of its axis (0 to 1)."""
    ax, az = bar[B] - bar[A], bar[B + 2] - bar[A + 2]
    length = np.sqrt(ax * ax + az * az)
    rise = bar[B + 1] - bar[A + 1]
    wide, high = max(bar[HALF_WIDTH], THIN * cell), bar[HALF_HEIGHT]
    dx, dz = x - bar[A], z - bar[A + 2]
    if length > 1e-9:
        place = (dx * ax + dz * az) / length  # cm along the axis
        near = min(max(place, 0.0), length) / length
        away = np.sqrt((dx - near * ax) ** 2 + (dz - near * az) ** 2)
        ends = cover(place - 0.5 * length, 0.5 * length + wide, cell)
        first = min(max((place - 0.5 * cell) / length, 0.0), 1.0)
        last = min(max((place + 0.5 * cell) / length, 0.0), 1.0)
        thick = 2 * high * np.sqrt(1 + (rise / length) ** 2)
    else:
        near, away = 0.5, np.sqrt(dx * dx + dz * dz)
        ends = cover(0.0, wide, cell)
        first, last, thick = 0.0, 1.0, abs(rise) + 2 * high
    covered = cover(away, wide, cell) * ends
    bottom = bar[A + 1] + min(first * rise, last * rise) - high
    top = bar[A + 1] + max(first * rise, last * rise) + high
    return covered, bottom, top, thick, near


@inlined
def find_normal(bar, x, z, near, vx, vz):
    """Normal of the outline nearest to a point, either way round: across the axis beside the bar,
    away from an end beyond it, and along the velocity at an end itself."""
    ax, az = bar[B] - bar[A], bar[B + 2] - bar[A + 2]
    if 0.0 < near < 1.0 and ax * ax + az * az > 1e-18:
        nx, nz = -az, ax
    else:
        nx, nz = x - bar[A] - near * ax, z - bar[A + 2] - near * az
        if nx * nx + nz * nz < 1e-18:
            nx, nz = vx, vz
    size = np.sqrt(nx * nx + nz * nz)
    if size < 1e-12:
        return 1.0, 0.0
    return nx / size, nz / size


@inlined
def stir_face(stir, bar, r, c, x, z, bottom, surface, numbers):
    """Let a bar draw a face at (x, z), over water from `bottom` to `surface`, unless another one
    draws it more."""
    depth = surface - bottom
    covered, low, high, thick, near = meet_bar(bar, x, z, numbers.cell)
    if covered <= 0.0 or depth <= numbers.dry or bottom > 0.5 * SOLID:
        return
    share = min(overlap(low, high, bottom, surface), thick) / depth
    width = 2 * max(bar[HALF_WIDTH], THIN * numbers.cell)
    draw = DRAG * covered / width * share / (1.0 - share + GAP) ** 2
    if draw <= stir[DRAW, r, c]:
        return
    vx = bar[VELOCITY_A] + near * (bar[VELOCITY_B] - bar[VELOCITY_A])
    vz = bar[VELOCITY_A + 2] + near * (bar[VELOCITY_B + 2] - bar[VELOCITY_A + 2])
    nx, nz = find_normal(bar, x, z, near, vx, vz)
    stir[DRAW, r, c], stir[NORMAL_X, r, c], stir[NORMAL_Z, r, c] = draw, nx, nz
    speed = vx * nx + vz * nz
    stir[SPEED, r, c] = min(max(speed, -numbers.fastest), numbers.fastest)


@kernel
def forget_bodies(sheet):
    """Before bodies are put in anew: those of the last frame are where a frame begins."""
    first, last = sheet.stirred[0], sheet.stirred[1]
    # only rows in which something still is have to be looked at again
    sheet.stirred[0], sheet.stirred[1] = len(sheet.bed), -1
    for r in range(first, last + 1):
        for c in range(sheet.bed.shape[1]):
            sheet.body[0, r, c] = sheet.body[1, r, c]
            sheet.body[1, r, c] = 0
            sheet.stir_x[DRAW, r, c] = sheet.stir_z[DRAW, r, c] = 0
            if sheet.body[0, r, c] != 0:
                sheet.stirred[0], sheet.stirred[1] = min(sheet.stirred[0], r), r


@kernel
def put_in_bodies(sheet, numbers, bars, x0, z0):
    """Displace and draw by bars [n, BAR_SIZE]; x0, z0 is the middle of cell 0, 0."""
    for k in range(len(bars)):
        put_in_bar(sheet, numbers, bars[k], x0, z0)


@kernel
def put_in_bar(sheet, numbers, bar, x0, z0):
    """One bar; only cells in its bounding box are looked at."""
    cell, room = numbers.cell, bar[HALF_WIDTH] + SOFT * numbers.cell
    i0 = (min(bar[A], bar[B]) - room - x0) / cell
    i1 = (max(bar[A], bar[B]) + room - x0) / cell
    j0 = (min(bar[A + 2], bar[B + 2]) - room - z0) / cell
    j1 = (max(bar[A + 2], bar[B + 2]) + room - z0) / cell
    rows, columns = numbers.rows, numbers.columns
    if not (i1 >= 0 and j1 >= 0 and i0 <= rows - 1 and j0 <= columns - 1):
        return
    first, last = max(int(np.floor(i0)), 0), min(int(np.ceil(i1)), rows - 1)
    left, right = max(int(np.floor(j0)), 0), min(int(np.ceil(j1)), columns - 1)
    sheet.stirred[0] = min(sheet.stirred[0], first + PAD)
    sheet.stirred[1] = max(sheet.stirred[1], last + PAD)
    for i in range(first, last + 1):
        for j in range(left, right + 1):
            put_in_cell(sheet, numbers, bar, i, j, x0 + i * cell, z0 + j * cell)


@kernel
def put_in_cell(sheet, numbers, bar, i, j, x, z):
    """A bar in one cell and on its low faces."""
    r, c, half = i + PAD, j + PAD, 0.5 * numbers.cell
    bed, surface = float(sheet.bed[r, c]), float(sheet.surface[r, c])
    covered, low, high, thick, _ = meet_bar(bar, x, z, numbers.cell)
    displaced = covered * min(overlap(low, high, bed, numbers.level), thick)
    sheet.body[1, r, c] = max(float(sheet.body[1, r, c]), displaced)
    if i > 0:
        bottom = max(bed, float(sheet.bed[r - 1, c]))
        middle = 0.5 * (surface + float(sheet.surface[r - 1, c]))
        stir_face(sheet.stir_x, bar, r, c, x - half, z, bottom, middle, numbers)
    if j > 0:
        bottom = max(bed, float(sheet.bed[r, c - 1]))
        middle = 0.5 * (surface + float(sheet.surface[r, c - 1]))
        stir_face(sheet.stir_z, bar, r, c, x, z - half, bottom, middle, numbers)
