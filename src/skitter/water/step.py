"""All sub-steps of a frame: velocities, then depths, each over the rows that a thread has.

The number of sub-steps comes from the fastest wave and current there is, so a frame may be as long
as it likes. Every row is computed from the rows around it as they were, so it does not matter how
rows are shared out among threads.
"""

import numpy as np

from skitter.compiled import kernel
from skitter.water.edges import update_x_edge, update_z_edges
from skitter.water.flow import (
    DONOR_SHARE,
    PAD,
    average_row,
    carry_row,
    fill_row,
    flow_row,
    gather_row,
    lead_row,
    note_peak,
    push_row,
    raise_row,
)
from skitter.water.grid import DRAW, NORMAL_X, NORMAL_Z, SPEED
from skitter.water.stir import draw_row, lift_row
from skitter.water.together import wait_for_all

COURANT = 0.5  # cells that waves and currents may go in a sub-step; currents alone half as far

LOW, HIGH, BEFORE, AFTER, BOX = 0, 1, 2, 3, 4  # rows of scratch
LEAD = 0.2  # of a sub-step, by which the surface that drives water is ahead
CALM = 1e-15  # cm/s, slower water is still


@kernel
def advance_sheet(sheet, numbers, seconds, now, thread, threads):
    """Let water flow for some seconds, one thread's part of it. Returns how many sub-steps."""
    first, last = numbers.rows * thread // threads, numbers.rows * (thread + 1) // threads
    note_peaks(sheet, numbers, now, first, last, thread)
    for r in range(first + PAD, last + PAD):
        ground, depth = sheet.ground[r, PAD:], sheet.depth[now, r, PAD:]
        raise_row(sheet.head[r, PAD:], ground, depth, numbers.columns)
    wait_for_all(sheet.done, thread, threads, 1)
    left, steps = seconds, 0
    while left > 0.0:
        step = choose_step(sheet.peak, numbers, left)
        update_velocities(sheet, numbers, now, step, first, last, thread)
        wait_for_all(sheet.done, thread, threads, 2 * steps + 2)
        left -= step
        update_depths(sheet, numbers, now, step, 1.0 - left / seconds, first, last, thread)
        now = 1 - now
        note_peaks(sheet, numbers, now, first, last, thread)
        wait_for_all(sheet.done, thread, threads, 2 * steps + 3)
        steps += 1
    return steps


@kernel
def choose_step(peak, numbers, left):
    """A whole part of the time left that no wave and no current outruns, s."""
    depth, speed = 0.0, 0.0
    for thread in range(len(peak)):
        depth, speed = max(depth, peak[thread, 0]), max(speed, peak[thread, 1])
    fastest = max(np.sqrt(abs(numbers.gravity) * depth) + speed, 2 * speed)
    count = np.ceil(left * fastest / (COURANT * numbers.cell) - 1e-9)
    return left / max(count, 1.0)


@kernel
def note_peaks(sheet, numbers, now, first, last, thread):
    """The largest depth and speed in some rows."""
    top, columns = sheet.top[thread], numbers.columns
    top[:] = 0
    for i in range(first, last + 1):
        r = i + PAD
        if i < last:
            note_peak(top[0], sheet.depth[now, r, PAD:], columns)
            note_peak(top[1], sheet.w[now, r, PAD:], columns + 1)
        note_peak(top[1], sheet.u[now, r, PAD:], columns)
    sheet.peak[thread] = 0.0
    for kind in range(2):
        for j in range(columns + 1):
            sheet.peak[thread, kind] = max(sheet.peak[thread, kind], float(top[kind, j]))


@kernel
def update_velocities(sheet, numbers, now, step, first, last, thread):
    """The next velocities on the low faces of some rows of cells; of the last row on both."""
    for i in range(first, last):
        r = i + PAD
        if i > 0:
            update_x_row(sheet, numbers, now, step, r, sheet.row[thread])
        else:
            update_x_edge(sheet, numbers, now, step, r, r, 1)
        update_z_row(sheet, numbers, now, step, r, sheet.row[thread])
        update_z_edges(sheet, numbers, now, step, r)
    if last == numbers.rows:
        r = last + PAD
        update_x_edge(sheet, numbers, now, step, r, r - 1, -1)
    copy_around(sheet, numbers, 1 - now, first, last)


@kernel
def update_x_row(sheet, numbers, now, step, r, row):
    """Velocities along x on the faces between rows r - 1 and r; `row` is scratch."""
    real, columns = sheet.surface.dtype.type, numbers.columns
    half, least = real(0.5), real(numbers.dry)
    old, other, out = sheet.u[now], sheet.w[now], sheet.u[1 - now, r, PAD:]
    x, z, depth = sheet.flow_x, sheet.flow_z, sheet.depth[now]
    average_row(row[BOX], depth[r - 1, PAD:], depth[r, PAD:], columns, half)
    gather_row(row[LOW], x[r - 1, PAD:], x[r, PAD:], columns, half)
    gather_row(row[HIGH], x[r, PAD:], x[r + 1, PAD:], columns, -half)
    gather_row(row[BEFORE], z[r - 1, PAD:], z[r, PAD:], columns, half)
    gather_row(row[AFTER], z[r - 1, PAD + 1 :], z[r, PAD + 1 :], columns, -half)
    carry_row(
        out,
        old[r - 1, PAD:],
        old[r, PAD - 1 :],
        old[r + 1, PAD:],
        row[BOX],
        row[LOW],
        row[HIGH],
        row[BEFORE],
        row[AFTER],
        columns,
        least,
    )
    push_row(
        out,
        sheet.head[r - 1, PAD:],
        sheet.head[r, PAD:],
        sheet.ground[r - 1, PAD:],
        sheet.ground[r, PAD:],
        columns,
        real(step * numbers.gravity / numbers.cell),
        real(numbers.dry),
        real(numbers.fastest),
        real(CALM),
    )
    if sheet.stirred[0] <= r <= sheet.stirred[1]:
        stir, near, far = sheet.stir_x[:, r, PAD:], other[r - 1, PAD:], other[r, PAD:]
        along, across = stir[NORMAL_X], stir[NORMAL_Z]
        draw_row(out, near, far, stir[DRAW], along, across, stir[SPEED], columns, real(step))


@kernel
def update_z_row(sheet, numbers, now, step, r, row):
    """Velocities along z on the faces of row r, but for those at the edges; `row` is scratch."""
    real, count, start = sheet.surface.dtype.type, numbers.columns - 1, PAD + 1
    half, least = real(0.5), real(numbers.dry)
    old, other, out = sheet.w[now], sheet.u[now], sheet.w[1 - now, r, start:]
    x, z, depth = sheet.flow_x, sheet.flow_z, sheet.depth[now]
    average_row(row[BOX], depth[r, PAD:], depth[r, start:], count, half)
    gather_row(row[LOW], x[r, PAD:], x[r, start:], count, half)
    gather_row(row[HIGH], x[r + 1, PAD:], x[r + 1, start:], count, -half)
    gather_row(row[BEFORE], z[r, PAD:], z[r, start:], count, half)
    gather_row(row[AFTER], z[r, start:], z[r, start + 1 :], count, -half)
    carry_row(
        out,
        old[r - 1, start:],
        old[r, PAD:],
        old[r + 1, start:],
        row[BOX],
        row[LOW],
        row[HIGH],
        row[BEFORE],
        row[AFTER],
        count,
        least,
    )
    push_row(
        out,
        sheet.head[r, PAD:],
        sheet.head[r, start:],
        sheet.ground[r, PAD:],
        sheet.ground[r, start:],
        count,
        real(step * numbers.gravity / numbers.cell),
        real(numbers.dry),
        real(numbers.fastest),
        real(CALM),
    )
    if sheet.stirred[0] <= r <= sheet.stirred[1]:
        stir, near, far = sheet.stir_z[:, r, start:], other[r, PAD:], other[r + 1, PAD:]
        along, across = stir[NORMAL_Z], stir[NORMAL_X]
        draw_row(out, near, far, stir[DRAW], along, across, stir[SPEED], count, real(step))


@kernel
def copy_around(sheet, numbers, now, first, last):
    """Velocities along an edge go on beyond it as they are: water slips along walls."""
    u, w, end = sheet.u[now], sheet.w[now], PAD + numbers.columns
    for r in range(first + PAD, last + PAD + 1):
        u[r, PAD - 1], u[r, end] = u[r, PAD], u[r, end - 1]
    for c in range(PAD, end + 1):
        if first == 0:
            w[PAD - 1, c] = w[PAD, c]
        if last == numbers.rows:
            w[last + PAD, c] = w[last + PAD - 1, c]


@kernel
def update_depths(sheet, numbers, now, step, share, first, last, thread):
    """The next depths and surfaces of some rows; `share` of the frame has passed with them."""
    for i in range(first, last + 1):
        # the flow into the next thread's rows is kept by that thread
        is_own = i < last or last == numbers.rows
        flow = sheet.flow_x[i + PAD, PAD:] if is_own else sheet.row[thread, 0]
        flow_x_row(sheet, numbers, now, step, i + PAD, flow)
        if i > first:
            update_depth_row(sheet, numbers, now, step, i + PAD - 1, flow)
            lift_surface(sheet, numbers, 1 - now, i + PAD - 1, share)
    fill_around(sheet, numbers, 1 - now, first, last)


@kernel
def flow_x_row(sheet, numbers, now, step, r, flow):
    """Depth that crosses the x faces between rows r - 1 and r."""
    real, d, columns = sheet.surface.dtype.type, sheet.depth[now], numbers.columns
    before, low, high, after = d[r - 2, PAD:], d[r - 1, PAD:], d[r, PAD:], d[r + 1, PAD:]
    reach, half, most = real(step / numbers.cell), real(0.5), real(DONOR_SHARE)
    speed = sheet.u[1 - now, r, PAD:]
    flow_row(flow, speed, before, low, high, after, columns, reach, half, most)


@kernel
def update_depth_row(sheet, numbers, now, step, r, flow_out):
    """The next depths of row r; `flow_out` crosses its far x faces."""
    real, d, columns = sheet.surface.dtype.type, sheet.depth[now, r], numbers.columns
    before, low, high, after = d[PAD - 2 :], d[PAD - 1 :], d[PAD:], d[PAD + 1 :]
    reach, half, most = real(step / numbers.cell), real(0.5), real(DONOR_SHARE)
    speed, flow = sheet.w[1 - now, r, PAD:], sheet.flow_z[r, PAD:]
    flow_row(flow, speed, before, low, high, after, columns + 1, reach, half, most)
    flow_in = sheet.flow_x[r, PAD:]
    fill_row(sheet.depth[1 - now, r, PAD:], high, flow_in, flow_out, flow, columns)


@kernel
def lift_surface(sheet, numbers, now, r, share):
    """Surface of a row from its depth, with bodies where they are after `share` of the frame."""
    ground, columns = sheet.ground[r, PAD:], numbers.columns
    if sheet.stirred[0] <= r <= sheet.stirred[1]:
        bed, begin, end = sheet.bed[r, PAD:], sheet.body[0, r, PAD:], sheet.body[1, r, PAD:]
        lift_row(ground, bed, begin, end, columns, sheet.surface.dtype.type(share))
    surface, depth = sheet.surface[r, PAD:], sheet.depth[now, r, PAD:]
    before = sheet.depth[1 - now, r, PAD:]
    raise_row(surface, ground, depth, columns)
    lead_row(sheet.head[r, PAD:], surface, depth, before, columns, sheet.surface.dtype.type(LEAD))


@kernel
def fill_around(sheet, numbers, now, first, last):
    """Depths beyond the edges: those at them, or still water where edges are open."""
    depth, bed, end = sheet.depth[now], sheet.bed, PAD + numbers.columns
    level = bed.dtype.type(numbers.level)
    for r in range(first + PAD, last + PAD):
        low, high = depth[r, PAD], depth[r, end - 1]
        if numbers.is_open:
            low, high = max(level - bed[r, PAD], 0 * level), max(level - bed[r, end - 1], 0 * level)
        depth[r, PAD - 2 : PAD] = low
        depth[r, end : end + 2] = high
    if first == 0:
        fill_row_beyond(depth, bed, numbers, PAD, -1)
    if last == numbers.rows:
        fill_row_beyond(depth, bed, numbers, last + PAD - 1, 1)


@kernel
def fill_row_beyond(depth, bed, numbers, r, way):
    level = bed.dtype.type(numbers.level)
    for j in range(PAD, PAD + numbers.columns):
        value = max(level - bed[r, j], 0 * level) if numbers.is_open else depth[r, j]
        depth[r + way, j] = depth[r + 2 * way, j] = value
