"""What a species file of kind worm may say: one soft body with muscles along it.

After Mujika 2018: a body of St. Venant-Kirchhoff material, with friction of its own each way, that
is driven by a vibration mode; past the paper, by its muscles.
"""

from typing import Annotated, ClassVar, Literal

from pydantic import Field, model_validator

from skitter.spec import Friction, Length, Number, Positive, Source, Spec, Title
from skitter.species.crawl import ReflexDrive, WaveDrive
from skitter.species.look import WormLook
from skitter.species.spec import Density, Species, Stiffness

Sides = Annotated[int, Field(ge=8, le=64, multiple_of=4)]
File = Annotated[str, Field(min_length=1, max_length=400)]
Drag = Annotated[Number, Field(ge=0, le=1e6)]  # g/(cm s)
Seconds = Annotated[Number, Field(ge=0, le=100)]
Share = Annotated[Number, Field(gt=0, le=1)]


class WormBody(Spec):
    """The mesh: built, or any labelled tetrahedral mesh."""

    length: Length = 0.1  # cm; that of a mesh file is made so long
    radius: Length = 0.004  # cm, the largest; a file's own
    slabs: Annotated[int, Field(ge=8, le=2000)] = 58  # along the body
    around: Sides = 12  # nodes around the body
    rings: Annotated[int, Field(ge=3, le=16)] = 3  # of nodes from the middle to the skin
    file: File | None = None  # .mesh or .msh instead; x along the body, the head at +x
    regions: dict[str, str] = Field(default_factory=dict)  # of the file: which names mean what


class Tissue(Spec):
    """What a region of the body is made of."""

    young: Stiffness = 1.1e6  # dyn/cm²
    poisson: Annotated[Number, Field(ge=0, le=0.49)] = 0.4
    source: Source = ""


class Tissues(Spec):
    """All regions: what is not a muscle or the cuticle is the interior."""

    interior: Tissue = Tissue()
    cuticle: Tissue = Tissue()
    muscle: Tissue = Tissue()


class WormGrip(Spec):
    """Contact with the ground; friction of its own each way, times the ground's."""

    forward: Friction = 0.1  # mu of slipping towards the head
    backward: Friction = 1.0
    across: Friction = 1.0
    film: Annotated[Number, Field(ge=0, le=1e6)] = 0.0  # dyn/cm of length: water pulls it down
    sink: Share = 0.02  # of the radius, how deep it lies in the ground under its load


class Medium(Spec):
    """What the body moves through: drag for each cm of its length, per speed."""

    along: Drag = 0.033  # g/(cm s), of water
    across: Drag = 0.052  # g/(cm s)
    density: Annotated[Number, Field(ge=0, le=100)] = 0.0  # g/cm³, by which it is lighter


class ModalDrive(Spec):
    """Bent by the forces that hold a vibration mode's shape (Mujika 2018 section 5)."""

    drive: Literal["mode"] = "mode"
    alpha: Annotated[Number, Field(ge=0, le=100)] = 5.0  # strength of the forces
    period: Annotated[Number, Field(ge=0.05, le=100)] = 1.0  # s
    mode: Annotated[int, Field(ge=1, le=60)] | None = None  # elastic; None: the undulation
    amplitude: Share = 0.02  # of the length, largest way of a point in the shape held at alpha 1


AnyDrive = Annotated[ModalDrive | WaveDrive | ReflexDrive, Field(discriminator="drive")]


class WormSpec(Species):
    """A worm."""

    can_be_led: ClassVar[bool] = True
    can_back: ClassVar[bool] = True
    can_stand: ClassVar[bool] = True
    kind: Literal["worm"]
    title: Title
    source: Source = ""
    body: WormBody = WormBody()
    tissues: Tissues = Tissues()
    density: Density = 1.08  # g/cm³
    damping: Seconds = 0.02  # s, of internal friction: viscosity over stiffness
    grip: WormGrip = WormGrip()
    medium: Medium = Medium()
    crawl: AnyDrive = ModalDrive()
    pace: Positive = 0.02  # cm/s, the speed for which a command asks for the crawl as it is
    stress: Positive = 3e6  # dyn/cm², of a muscle that is fully active
    time_step: Annotated[Number, Field(ge=1e-5, le=0.1)] = 0.02  # s, the longest
    solver: Literal["cholesky", "cg"] = "cholesky"
    look: WormLook = WormLook()

    @model_validator(mode="after")
    def check_shape(self) -> "WormSpec":
        if self.body.file is None and self.body.radius > self.body.length / 4:
            raise ValueError("has a radius of more than a quarter of its length; a worm is slender")
        return self
