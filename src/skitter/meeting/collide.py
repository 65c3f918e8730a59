"""How far two shapes are apart, and where they are closest.

The cores are convex, so the algorithm of Gilbert, Johnson and Keerthi 1988 finds their closest
points: it walks towards the origin in the set of differences of their points, keeping at most four
corners of it. Radii are taken off afterwards; while less than both radii overlap, the cores are
still apart, and the normal is exact. Where even the cores overlap, the way out is along the axis of
least overlap among those that can separate two boxes (Gottschalk, Lin and Manocha 1996).
"""

import numpy as np

from skitter.compiled import inlined, kernel
from skitter.meeting.shapes import (
    AXES,
    CENTRE,
    CORE,
    CYLINDER_CORE,
    ELLIPSOID_CORE,
    HALF,
    RADIUS,
)

ROUNDS = 40  # of the walk; boxes need less than ten
CLOSE = 1e-9  # of the distance: closer than this the walk is at its end
SAME = 1e-10  # of the size of the shapes: cores closer than this overlap
# columns of a corner of the simplex: difference of two points, the point of the first, its weight
W, A, WEIGHT, CORNER = 0, 3, 6, 7


@inlined
def dot(a, b):
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]


@inlined
def cross(a, b):
    return a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]


@inlined
def axis_of(row, k):
    """Axis k of a shape, in the world."""
    return row[AXES + k], row[AXES + 3 + k], row[AXES + 6 + k]


@inlined
def support(row, core, d):
    """The point of a core that is farthest along a direction."""
    x, y, z = axis_of(row, 0), axis_of(row, 1), axis_of(row, 2)
    u = np.copysign(row[HALF], dot(x, d))
    v, w = dot(y, d), dot(z, d)
    if core == CYLINDER_CORE:
        length = np.sqrt(v * v + w * w)
        scale = row[HALF + 1] / length if length > 0.0 else 0.0
        v, w = scale * v, scale * w
    elif core == ELLIPSOID_CORE:
        a, b, c = row[HALF] * dot(x, d), row[HALF + 1] * v, row[HALF + 2] * w
        length = np.sqrt(a * a + b * b + c * c)
        scale = 1.0 / length if length > 0.0 else 0.0
        u, v, w = scale * a * row[HALF], scale * b * row[HALF + 1], scale * c * row[HALF + 2]
    else:
        v, w = np.copysign(row[HALF + 1], v), np.copysign(row[HALF + 2], w)
    return (
        row[CENTRE] + u * x[0] + v * y[0] + w * z[0],
        row[CENTRE + 1] + u * x[1] + v * y[1] + w * z[1],
        row[CENTRE + 2] + u * x[2] + v * y[2] + w * z[2],
    )


@inlined
def corner(simplex, k):
    return simplex[k, W], simplex[k, W + 1], simplex[k, W + 2]


@inlined
def less(a, b):
    return a[0] - b[0], a[1] - b[1], a[2] - b[2]


@inlined
def mix(simplex, i, j, k, wi, wj, wk):
    """Weighted sum of three corners."""
    a, b, c = corner(simplex, i), corner(simplex, j), corner(simplex, k)
    return (
        wi * a[0] + wj * b[0] + wk * c[0],
        wi * a[1] + wj * b[1] + wk * c[1],
        wi * a[2] + wj * b[2] + wk * c[2],
    )


@inlined
def write_weights(keep, i, j, k, wi, wj, wk):
    """Weights of three corners, which may be the same one with no weight; no others have any."""
    for m in range(4):
        keep[m] = 0.0
    keep[k], keep[j], keep[i] = wk, wj, wi


@inlined
def try_corners(simplex, count, keep):
    """The corner that is closest to the origin, and the square of its distance."""
    best, point = np.inf, (0.0, 0.0, 0.0)
    for i in range(count):
        p = corner(simplex, i)
        size = dot(p, p)
        if size < best:
            best, point = size, p
            write_weights(keep, i, i, i, 1.0, 1.0, 1.0)
    return best, point


@inlined
def try_edges(simplex, count, keep, best, point):
    """A point inside an edge that is closer than the best one so far."""
    for i in range(count):
        for j in range(i + 1, count):
            p, q = corner(simplex, i), corner(simplex, j)
            e = less(q, p)
            length = dot(e, e)
            t = -dot(p, e) / length if length > 0.0 else -1.0
            if 0.0 < t < 1.0:
                r = mix(simplex, i, j, j, 1.0 - t, t, 0.0)
                size = dot(r, r)
                if size < best:
                    best, point = size, r
                    write_weights(keep, i, j, j, 1.0 - t, t, t)
    return best, point


@inlined
def try_triangles(simplex, count, keep, best, point):
    """A point inside a triangle that is closer than the best one so far."""
    for skip in range(count if count == 4 else 1 if count == 3 else 0):
        i, j, k = 0, 1, 2
        if count == 4:
            i, j, k = (skip + 1) % 4, (skip + 2) % 4, (skip + 3) % 4
        p, q, s = corner(simplex, i), corner(simplex, j), corner(simplex, k)
        e, f = less(q, p), less(s, p)
        n = cross(e, f)
        area = dot(n, n)
        if area > 0.0:
            # weights by areas, of the origin's projection
            u, v = dot(cross(f, p), n) / area, dot(cross(p, e), n) / area
            if u > 0.0 and v > 0.0 and u + v < 1.0:
                r = mix(simplex, i, j, k, 1.0 - u - v, u, v)
                size = dot(r, r)
                if size < best:
                    best, point = size, r
                    write_weights(keep, i, j, k, 1.0 - u - v, u, v)
    return best, point


@inlined
def holds_origin(simplex):
    """Whether the origin is in a tetrahedron: for each face on the side of the fourth corner."""
    is_inside = True
    for skip in range(4):
        p = corner(simplex, (skip + 1) % 4)
        q, s = corner(simplex, (skip + 2) % 4), corner(simplex, (skip + 3) % 4)
        n = cross(less(q, p), less(s, p))
        is_inside &= dot(n, less(corner(simplex, skip), p)) * -dot(n, p) > 0.0
    return is_inside


@kernel
def reduce_simplex(simplex, count, keep):
    """The point of the hull of some corners that is closest to the origin, and whether the origin
    is inside the hull. `keep` [4] becomes the weights of the corners for that point: none where a
    corner is not needed.

    Of all corners, edges and triangles whose own closest point lies within them, that with the
    closest one.
    """
    best, point = try_corners(simplex, count, keep)
    best, point = try_edges(simplex, count, keep, best, point)
    best, point = try_triangles(simplex, count, keep, best, point)
    return point, count == 4 and holds_origin(simplex)


@kernel
def find_closest(a, a_core, b, b_core, simplex, keep):
    """From the closest point of core b to that of core a, and the latter; and whether the cores are
    apart. `simplex` [4, CORNER] and `keep` [4] are room."""
    v = (a[CENTRE] - b[CENTRE], a[CENTRE + 1] - b[CENTRE + 1], a[CENTRE + 2] - b[CENTRE + 2])
    size = 0.0
    for k in range(3):
        size += a[HALF + k] + b[HALF + k]
    near = (SAME * (size + a[RADIUS] + b[RADIUS])) ** 2
    if dot(v, v) <= near:
        v = (1.0, 0.0, 0.0)
    count, at = 0, (0.0, 0.0, 0.0)
    for _ in range(ROUNDS):
        p = support(a, a_core, (-v[0], -v[1], -v[2]))
        q = support(b, b_core, v)
        w = less(p, q)
        gain = dot(v, v) - dot(v, w)
        if count > 0 and gain <= CLOSE * dot(v, v):
            break
        is_known = False
        for k in range(count):
            c = less(corner(simplex, k), w)
            is_known |= dot(c, c) == 0.0
        if is_known:
            break
        simplex[count, W], simplex[count, W + 1], simplex[count, W + 2] = w
        simplex[count, A], simplex[count, A + 1], simplex[count, A + 2] = p
        count += 1
        v, is_inside = reduce_simplex(simplex, count, keep)
        if is_inside or dot(v, v) <= near:
            return v, at, False
        # keep only the corners that matter
        many, at = 0, (0.0, 0.0, 0.0)
        for k in range(count):
            if keep[k] > 0.0:
                for m in range(CORNER - 1):
                    simplex[many, m] = simplex[k, m]
                at = (
                    at[0] + keep[k] * simplex[k, A],
                    at[1] + keep[k] * simplex[k, A + 1],
                    at[2] + keep[k] * simplex[k, A + 2],
                )
                many += 1
        count = many
        if count == 4:
            return v, at, False
    return v, at, True


@inlined
def extend(row, n):
    """How far a core, taken as a box, reaches from its middle along a direction."""
    return (
        abs(row[HALF] * dot(axis_of(row, 0), n))
        + abs(row[HALF + 1] * dot(axis_of(row, 1), n))
        + abs(row[HALF + 2] * dot(axis_of(row, 2), n))
    )


@kernel
def find_way_out(a, b):
    """The direction along which overlapping cores come apart soonest, and how far that is."""
    c = (a[CENTRE] - b[CENTRE], a[CENTRE + 1] - b[CENTRE + 1], a[CENTRE + 2] - b[CENTRE + 2])
    least, way = np.inf, (0.0, 1.0, 0.0)
    for i in range(4):
        for j in range(4):
            # faces of the one, faces of the other, and both their edges
            if i == 3 and j == 3:
                continue
            if j == 3:
                n = axis_of(a, i)
            elif i == 3:
                n = axis_of(b, j)
            else:
                n = cross(axis_of(a, i), axis_of(b, j))
            length = np.sqrt(dot(n, n))
            if length > 1e-3:
                sign = np.copysign(1.0 / length, dot(n, c))
                n = (sign * n[0], sign * n[1], sign * n[2])
                depth = extend(a, n) + extend(b, n) - dot(n, c)
                if depth < least:
                    least, way = depth, n
    return least, way


@kernel
def meet_shapes(a, a_tag, b, b_tag, simplex, keep):
    """The gap between two shapes (negative: they overlap), the normal from b to a, and the point
    between them, halfway through the gap."""
    v, at, is_apart = find_closest(a, a_tag[CORE], b, b_tag[CORE], simplex, keep)
    both = a[RADIUS] + b[RADIUS]
    if is_apart:
        distance = np.sqrt(dot(v, v))
        n = (v[0] / distance, v[1] / distance, v[2] / distance)
        gap = distance - both
    else:
        depth, n = find_way_out(a, b)
        gap = -depth - both
        at = support(a, a_tag[CORE], (-n[0], -n[1], -n[2]))
        other = support(b, b_tag[CORE], n)
        # of a face many points are farthest: take the middle between both cores' points
        at = (
            0.5 * (at[0] + other[0] - n[0] * depth),
            0.5 * (at[1] + other[1] - n[1] * depth),
            0.5 * (at[2] + other[2] - n[2] * depth),
        )
    back = a[RADIUS] + 0.5 * gap
    return gap, n, (at[0] - back * n[0], at[1] - back * n[1], at[2] - back * n[2])
