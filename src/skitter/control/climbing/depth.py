"""How deep parts of a climber are in what it stands on, to be recorded."""

from skitter.compiled import kernel
from skitter.control.climbing.surface import ask


@kernel
def find_depths(surfaces, middle, turn, size, tapers, depth):
    """How deep the deepest of some balls in each part is below a surface, cm."""
    for b in range(len(middle)):
        depth[b] = 0.0
        thick = 0.5 * min(size[b, 1], size[b, 2])
        for k in range(-1, 2):
            radius = thick * (1.0 - 0.4 * abs(k)) if tapers[b] else thick
            off = k * max(0.5 * size[b, 0] - (radius if tapers[b] else 0.0), 0.0)
            x = middle[b, 0] + off * turn[b, 0, 0]
            y = middle[b, 1] + off * turn[b, 1, 0]
            z = middle[b, 2] + off * turn[b, 2, 0]
            depth[b] = max(depth[b], radius - ask(surfaces, x, y, z)[0])
