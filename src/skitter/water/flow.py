"""Shallow water on a staggered grid, row by row (Fang 2015 appendix B).

Depth lies at the middles of cells, velocity along x and z on their faces (the grid of fig. B.1). A
sub-step pushes the water down the slope of its surface (eq. B.23), lets it through the faces,
and what comes through brings its velocity along. The thesis instead traces every velocity and
height back to where it came from (B.22, B.25-B.27) and then corrects heights (B.24). That loses
volume, and momentum as well: on the dam break of Stoker its shock ran 16% too slow on any grid,
water hardly ran onto dry ground, and the bowl of Thacker hardly converged. Here all of these hold,
because what leaves one cell enters the next (the momentum-conserving form of Stelling and
Duinmeijer 2003). Numbers are in docs/decisions/008-water.md.

Rows run along x, columns along z. Arrays have PAD more rows and columns on each side; face i lies
on the low side of cell i. The `ground` is the bed with what floats in the water put on it, and the
surface is ground + depth, so that water under a floating body rests like water over a bump.
"""

from skitter.compiled import kernel

PAD = 2  # rows and columns around the grid
DONOR_SHARE = 0.249  # of a cell's depth that may leave through one of its four faces in a sub-step


@kernel
def gather_row(out, first, second, count, share):
    """What comes in of the mean of two flows; `share` is ½, or -½ where it comes in backwards."""
    zero = share - share  # of the precision of the grid, as 0 is not
    for j in range(count):
        out[j] = max(share * (first[j] + second[j]), zero)


@kernel
def average_row(out, first, second, count, half):
    for j in range(count):
        out[j] = half * (first[j] + second[j])


@kernel
def carry_row(out, low, here, high, box, from_low, from_high, before, after, count, least):
    """Velocities of a row of faces, once water has come in from the faces around them.

    The box of a face reaches from the middle of one cell to that of the next and holds `box` of
    depth; from_low, from_high, before and after are what has come into it from four sides. `here`
    begins one column before the first.
    """
    for j in range(count):
        own = here[j + 1]
        brought = from_low[j] * (low[j] - own) + from_high[j] * (high[j] - own)
        brought += before[j] * (here[j] - own) + after[j] * (here[j + 2] - own)
        gain = (from_low[j] + from_high[j]) + (before[j] + after[j])
        out[j] = own + brought / max(max(box[j], gain), least)


@kernel
def push_row(out, low, high, low_ground, high_ground, count, pull, dry, fastest, calm):
    """Fang 2015 eq. B.23, with `pull` = gravity * step / cell, between two rows of surfaces.

    Where a surface lies below the ground on the other side, that ground counts instead: water is
    held by a bank and falls over a weir by no more than its own depth. A face is closed unless one
    of the surfaces stands above both grounds; solid cells have a ground above everything. What is
    slower than `calm` is still: numbers that small would only be slow to compute with.
    """
    zero = dry - dry
    for j in range(count):
        bank = max(low_ground[j], high_ground[j])
        a, b = max(low[j], bank), max(high[j], bank)
        moved = min(max(out[j] - pull * (b - a), -fastest), fastest)
        is_moving = (max(a, b) > bank + dry) & (abs(moved) > calm)
        out[j] = moved if is_moving else zero


@kernel
def flow_row(out, speed, before, low, high, after, count, reach, half, share):
    """Depth that crosses a row of faces in a sub-step, from the four rows of depths around it.

    The depth at a face is that of the side it comes from, with a slope where it is safe (minmod);
    no more leaves than `share` of the donor's depth, so that none is ever less than dry.
    """
    zero = half - half
    for j in range(count):
        u = speed[j]
        middle = high[j] - low[j]
        first, last = low[j] - before[j], after[j] - high[j]
        # minmod: the smaller slope where both have one sign, else none
        rise = max(min(first, middle), zero) + min(max(first, middle), zero)
        fall = max(min(last, middle), zero) + min(max(last, middle), zero)
        face = low[j] + half * rise if u > zero else high[j] - half * fall
        out[j] = min(max(reach * u * face, -share * high[j]), share * low[j])


@kernel
def fill_row(out, depth, first, second, along, count):
    """New depths of a row: what came in through x faces `first`, left through `second`, and both
    through the z faces `along`."""
    for j in range(count):
        out[j] = depth[j] + ((first[j] - second[j]) + (along[j] - along[j + 1]))


@kernel
def raise_row(surface, ground, depth, count):
    for j in range(count):
        surface[j] = ground[j] + depth[j]


@kernel
def lead_row(head, surface, depth, before, count, lead):
    """The surface as it drives the water: some way further on than it is, which stills waves as
    short as a few cells and hardly touches longer ones."""
    for j in range(count):
        head[j] = surface[j] + lead * (depth[j] - before[j])


@kernel
def note_peak(peak, values, count):
    """peak = max(peak, |values|), column by column."""
    for j in range(count):
        peak[j] = max(peak[j], abs(values[j]))
