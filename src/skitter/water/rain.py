"""Rain: every drop leaves a crater with a rim of the same volume, which becomes rings of waves."""

import numpy as np

from skitter.compiled import kernel
from skitter.water.flow import PAD

DEEP = 0.5  # depth of a crater, as a share of its radius
SPREAD = 3.0  # radii to which a crater and its rim reach


@kernel
def next_random(state):
    """A number from 0 to 1 (SplitMix64, Steele 2014); state holds one uint64."""
    state[0] += np.uint64(0x9E3779B97F4A7C15)
    x = state[0]
    x = (x ^ (x >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    x = (x ^ (x >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return np.float64((x ^ (x >> np.uint64(31))) >> np.uint64(11)) / 9007199254740992.0


@kernel
def let_drops_fall(sheet, numbers, now, random, count, radius):
    """So many drops at random places; those on land leave nothing."""
    for _ in range(count):
        i = int(next_random(random) * numbers.rows)
        j = int(next_random(random) * numbers.columns)
        add_crater(sheet, numbers, now, i, j, max(radius / numbers.cell, 1.0))


@kernel
def add_crater(sheet, numbers, now, i, j, radius):
    """Take water from around cell (i, j) and put it on the rim; `radius` is in cells."""
    depth, reach = sheet.depth[now], int(np.ceil(SPREAD * radius))
    deep = DEEP * radius * numbers.cell
    first, last = max(i - reach, 0) + PAD, min(i + reach, numbers.rows - 1) + PAD
    left, right = max(j - reach, 0) + PAD, min(j + reach, numbers.columns - 1) + PAD
    hollow, rim = 0.0, 0.0
    for r in range(first, last + 1):
        for c in range(left, right + 1):
            if depth[r, c] > numbers.dry:
                square = ((r - PAD - i) ** 2 + (c - PAD - j) ** 2) / radius**2
                hollow += np.exp(-square)
                rim += square * np.exp(-square)
                deep = min(deep, 0.5 * float(depth[r, c]) / np.exp(-square))
    if rim <= 0.0 or depth[i + PAD, j + PAD] <= numbers.dry:
        return
    for r in range(first, last + 1):
        for c in range(left, right + 1):
            if depth[r, c] > numbers.dry:
                square = ((r - PAD - i) ** 2 + (c - PAD - j) ** 2) / radius**2
                depth[r, c] += deep * np.exp(-square) * (hollow / rim * square - 1.0)
