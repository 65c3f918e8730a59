"""What a species file may say about looks. Colours and patterns are data; shapes are families."""

from typing import Annotated, Literal

from pydantic import Field

from skitter.spec import Colour, Fraction, Number, Spec

Few = Annotated[int, Field(ge=0, le=6)]


class Look(Spec):
    """Colours of the body."""

    rigid: Colour = "#5b6770"
    soft: Colour = "#f2b134"
    soft_opacity: Fraction = 0.62


class MyriapodLook(Look):
    """What a myriapod wears. A colour that is left out follows another one."""

    leg: Colour = "#d98e32"
    antenna: Colour = "#b5672a"
    head: Colour = "#7d3b20"
    shape: Literal["centipede", "millipede", "shield", "machine"] = "centipede"  # of the plates
    overlap: Annotated[Number, Field(ge=0, le=4)] = 0.1  # of a plate's length: its rim, backwards
    alternate: Colour | None = None  # every second plate; else all alike
    rim: Colour | None = None  # the back edge of a plate; else a darker plate
    belly: Colour | None = None  # the underside; else as the plates
    stripe: Colour | None = None  # lines along the back; else none
    stripes: Annotated[int, Field(ge=1, le=5)] = 3
    grooves: Few = 0  # sunken lines along the back
    bristles: Annotated[int, Field(ge=0, le=24)] = 0  # on a plate
    bristle: Colour | None = None  # else as the legs
    eyes: Few = 1  # on each side
    eye: Colour = "#0d0b0a"
    eye_size: Annotated[Number, Field(ge=0.02, le=0.5)] = 0.13  # radius, of the head's height
    jaws: Literal["none", "mandibles", "claws"] = "mandibles"
    jaw: Colour | None = None  # else as the head
    knuckle: Colour | None = None  # the joints of legs; else as the legs
    band: Colour | None = None  # rings around the legs; else none
    bands: Annotated[int, Field(ge=1, le=6)] = 2  # on a link of a leg
    claw: Colour | None = None  # the ends of legs and jaws; else dark
    articles: Annotated[int, Field(ge=1, le=8)] = 1  # beads to a link of an antenna
    cerci: Annotated[Number, Field(ge=0, le=100)] = 0.0  # cm, the pair that trails behind
    cercus: Colour | None = None  # else as the legs


class SwimmerLook(Look):
    """The skin of a swimmer. A colour that is left out follows those of the body."""

    skin: bool = True  # else the rigid parts and the soft blocks are shown as they are
    back: Colour | None = None  # else as the rigid parts
    belly: Colour | None = None  # else a pale form of the soft blocks
    fin: Colour | None = None  # along back and tail; else between back and belly
    eye: Colour = "#12100c"
    pattern: Literal["plain", "mottled", "banded"] = "mottled"


class WormLook(Look):
    """A glassy worm and what is seen through its skin."""

    soft: Colour = "#9a8660"  # the cuticle
    soft_opacity: Fraction = 0.5
    muscles: bool = False  # shows the muscles, coloured by activation, instead of the organs
    relaxed: Colour = "#ecd9c4"  # a muscle at rest
    contracted: Colour = "#c3121f"  # one that is fully active
    organs: bool = True
    pharynx: Colour = "#96774f"
    gut: Colour = "#54432e"
    gonad: Colour = "#c2ab7c"


class ArticulatedLook(Look):
    """What a body of rigid links is drawn as. All sizes follow its boxes."""

    style: Literal["plain", "roach", "wire"] = "plain"  # plain: boxes in the colour `rigid`
    back: Colour = "#3d180a"  # of a roach: the plates above
    rim: Colour = "#8f5226"  # their edges
    belly: Colour = "#54270f"
    leg: Colour = "#753a18"
    foot: Colour = "#9a6232"  # tarsi, palps and the tips of antennae and cerci
    spine: Colour = "#43200f"  # of legs, and claws
    antenna: Colour = "#4e2511"
    eye: Colour = "#0d0b0a"
    antennae: Annotated[Number, Field(ge=0, le=4)] = 0.85  # their length, of the body's
    cerci: Fraction = 0.2  # their length, of the abdomen's
    pads: Fraction = 0.6  # of wings, of the thorax' length; 0: none
    tergites: Annotated[int, Field(ge=1, le=12)] = 7  # plates of the abdomen
    spines: Annotated[int, Field(ge=0, le=12)] = 5  # in each of three rows on a tibia
    wire: Colour = "#9aa5ae"  # of a wire


class ClimberLook(Look):
    """What a climber is drawn as. Shapes follow its bodies; a colour left out follows another."""

    style: Literal["spider", "scorpion", "insect", "beetle", "stick", "crab", "plain"] = "plain"
    back: Colour = "#2b211c"  # the upper side of the thorax; all of a plain one
    rim: Colour | None = None  # the edge of the thorax, seams of plates; else a paler back
    belly: Colour | None = None  # the lower side; else a darker back
    abdomen: Colour | None = None  # its upper side; else as the back
    head: Colour | None = None  # else as the back
    mark: Colour | None = None  # the pattern on the abdomen; else as the rim
    pattern: Literal["none", "chevrons", "leaf", "spots", "stripe", "rings"] = "none"
    leg: Colour | None = None  # else as the back
    knee: Colour | None = None  # the patella; else as the leg
    band: Colour | None = None  # rings at the ends of leg segments; else none
    foot: Colour | None = None  # the last segment of a leg; else as the leg
    claw: Colour = "#120d0a"  # claws, fangs, sting and horns
    limb: Colour | None = None  # palps, antennae, pincers, tail; else as the leg
    eye: Colour = "#060505"
    eyes: Literal["none", "tubercle", "rows", "simple", "compound", "stalks"] = "none"
    eye_size: Annotated[Number, Field(ge=0, le=4)] = 1.0  # of the usual
    hair: Colour | None = None  # else a paler leg
    hairiness: Fraction = 0.0  # how dense the hair is; 0: none
    hair_length: Annotated[Number, Field(ge=0, le=4)] = 1.0  # of the usual, half a leg's width
    tergites: Annotated[int, Field(ge=0, le=12)] = 0  # plates across the abdomen
    horns: Annotated[int, Field(ge=0, le=3)] = 0  # of a beetle, on head and pronotum
    spines: Annotated[int, Field(ge=0, le=12)] = 0  # in each of two rows on a leg segment
    is_glossy: bool = False  # polished, as a beetle is


class ObjectLook(Look):
    """What a movable object is made of, as it is seen."""

    style: Literal["wood", "stone", "plain"] = "plain"
    colour: Colour = "#b58a5a"
    grain: Colour | None = None  # lines of wood, specks of stone; else a darker colour
