"""What a scene file may say about a nest and the pheromone on its ground."""

from typing import Annotated

from pydantic import Field, model_validator

from skitter.spec import Finite, Length, Number, Spec, Vector3

CELLS = (4, 1000)  # fewest and most along an edge
STABLE = 0.25  # D dt / cell² of an explicit step in two dimensions, at most


class NestSpec(Spec):
    """Where food is brought to, on the ground near `at`."""

    at: Vector3 = (0.0, 0.0, 0.0)
    radius: Length = 2.0  # cm


class TrailsSpec(Spec):
    """Pheromone on the ground, seen from above: it evaporates and spreads."""

    at: Annotated[tuple[Finite, Finite], Field(strict=False)] = (0.0, 0.0)  # cm, x, z of the middle
    area: Annotated[tuple[Length, Length], Field(strict=False)] = (80.0, 80.0)  # cm along x and z
    cell: Length = 0.5  # cm
    half_life: Annotated[Number, Field(gt=0, le=1e9)] = 60.0  # s in which half is gone
    diffusion: Annotated[Number, Field(ge=0, le=1e4)] = 0.01  # cm²/s

    @property
    def shape(self) -> tuple[int, int]:
        """Cells along x and z."""
        return round(self.area[0] / self.cell), round(self.area[1] / self.cell)

    @model_validator(mode="after")
    def check_grid(self) -> "TrailsSpec":
        rows, columns = self.shape
        if min(rows, columns) < CELLS[0] or max(rows, columns) > CELLS[1]:
            raise ValueError(
                f"has {rows:,} x {columns:,} cells; valid: from {CELLS[0]} to {CELLS[1]:,} each"
                " way, by another cell or area"
            )
        return self
