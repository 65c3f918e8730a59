"""Random cylinders that lie on the ground."""

import numpy as np

from skitter.scene.spec import CylinderTerrain, LogsTerrain


def expand_logs(spec: LogsTerrain) -> list[CylinderTerrain]:
    """The cylinders, each at a random place and turned about y; the same for the same seed."""
    rng = np.random.default_rng(spec.seed)
    draws = rng.random((spec.count, 5))  # one row for each: a longer list begins like a shorter one
    radius = spread(draws[:, 0], spec.radius)
    length = spread(draws[:, 1], spec.length)
    x = spec.at[0] + (draws[:, 2] - 0.5) * spec.area[0]
    z = spec.at[2] + (draws[:, 3] - 0.5) * spec.area[1]
    surface = {name: getattr(spec, name) for name in ("friction", "restitution", "colour")}
    return [
        CylinderTerrain(
            shape="cylinder",
            at=(float(x[k]), float(spec.at[1] + radius[k]), float(z[k])),
            radius=float(radius[k]),
            length=float(length[k]),
            turn_deg=(90.0, float(360 * draws[k, 4]), 0.0),
            **surface,
        )
        for k in range(spec.count)
    ]


def spread(share: np.ndarray, span: tuple[float, float]) -> np.ndarray:
    """Shares 0..1 of a span."""
    return span[0] + share * (span[1] - span[0])
