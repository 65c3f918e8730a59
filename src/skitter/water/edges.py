"""The edges of a sheet of water: walls that reflect, or open ones that let waves out.

Open: the first-order condition of Higdon (1994), Fang 2015 eq. B.30. As printed it holds where
waves leave towards +x; where they leave towards -x the sign of c ∂/∂x turns (B.31 has it right).
With the equation of continuity it says that  u ∓ (surface - level) √(g/d)  stays as it is along
an edge, here: zero. In this form it holds the level as well, which B.31 lets drift. The surface is
that of the cell inside, as it was when a wave passed that now reaches the edge, half a cell on.
"""

import numpy as np

from skitter.compiled import inlined, kernel
from skitter.water.flow import PAD


@inlined
def leave(numbers, step, depth, surface, edge, inner):
    """Speed out of an edge; `edge` and `inner` are the last ones there and one face inside."""
    if not numbers.is_open or depth <= numbers.dry:
        return 0.0
    wave = np.sqrt(numbers.gravity * depth)
    lag = 0.5 * (1.0 - wave * step / numbers.cell)
    out = wave / depth * (surface - numbers.level) + lag * (edge - inner)
    return min(max(out, -numbers.fastest), numbers.fastest)


@kernel
def update_x_edge(sheet, numbers, now, step, face, cell, way):
    """The x faces of row `face` at the edge, next to the cells of row `cell`; `way` is 1 where the
    water lies on the far side, else -1."""
    u, depth = sheet.u[now], sheet.depth[now]
    for j in range(PAD, PAD + numbers.columns):
        edge, inner = -way * float(u[face, j]), -way * float(u[face + way, j])
        height = float(sheet.surface[cell, j])
        out = leave(numbers, step, float(depth[cell, j]), height, edge, inner)
        sheet.u[1 - now, face, j] = -way * out


@kernel
def update_z_edges(sheet, numbers, now, step, r):
    """The first and the last z face of row r."""
    w, depth, end = sheet.w[now], sheet.depth[now], PAD + numbers.columns
    edge, inner, height = -float(w[r, PAD]), -float(w[r, PAD + 1]), float(sheet.surface[r, PAD])
    sheet.w[1 - now, r, PAD] = -leave(numbers, step, float(depth[r, PAD]), height, edge, inner)
    edge, inner, height = float(w[r, end]), float(w[r, end - 1]), float(sheet.surface[r, end - 1])
    sheet.w[1 - now, r, end] = leave(numbers, step, float(depth[r, end - 1]), height, edge, inner)
