"""What a species file of kind swimmer may say: a body in a row that swims by its muscles."""

from typing import Literal

from skitter.species.look import SwimmerLook
from skitter.species.row import RowSpec, SegmentSpec
from skitter.species.spec import AnyPart, BoxPart
from skitter.species.swim import EyesSpec, SwimSpec


class SwimmerSpec(RowSpec):
    """A legless body whose soft blocks are muscles (Fang 2015 chapter 5)."""

    kind: Literal["swimmer"]
    swim: SwimSpec = SwimSpec()
    eyes: EyesSpec | None = None  # without, it swims straight on
    look: SwimmerLook = SwimmerLook()

    def hang(self, number: int, name: str, parent: AnyPart, part: SegmentSpec) -> BoxPart:
        """Every second block is turned, or the body would be driven a little to one side."""
        box = super().hang(number, name, parent, part)
        joint = box.joint.model_copy(update={"turned": number % 2 == 1})
        return box.model_copy(update={"joint": joint})
