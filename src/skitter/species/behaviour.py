"""What a species file may say about hunting, defence and foraging (Fang 2015 section 7.2).

All of it is data: whom it hunts, when it coils, how it lays a trail. Species meet by their names,
which are those of their files.
"""

from typing import Annotated

from pydantic import Field

from skitter.spec import Fraction, Length, Name, Number, Ordered, Spec

Seconds = Annotated[Number, Field(ge=0, le=1e6)]
Duration = Annotated[Number, Field(ge=0.05, le=1e3)]  # s, of a movement
Delays = Annotated[tuple[Seconds, Seconds], Field(strict=False), Ordered]  # s, from and to
Far = Annotated[Number, Field(ge=0, le=1e4)]  # cm; 0: not at all
Pair = Annotated[tuple[Length, Length], Field(strict=False)]


class HuntSpec(Spec):
    """A predator: it smells prey, runs after it, bites and eats it."""

    prey: Annotated[list[Name], Field(min_length=1, max_length=64)]  # names of species
    range: Length = 25.0  # cm, from which it smells prey
    speed: Annotated[Number, Field(gt=0, le=1e3)] | None = None  # cm/s of a chase; the walk's
    bite_time: Seconds = 0.3  # s that its jaws must hold on
    probe_time: Seconds = 5.0  # s that it tries at a coiled one
    stamina: Seconds = 20.0  # s of a chase
    forget_time: Seconds = 30.0  # s for which it leaves one alone that it gave up
    meal_time: Seconds = 8.0  # s that it eats
    rest_time: Seconds = 15.0  # s without hunger after that


class DefendSpec(Spec):
    """Prey: what it does about those who hunt its species; nothing, where both ranges are 0."""

    flee_range: Far = 0.0  # cm, within which it runs away; 0: never
    coil_range: Far = 6.0  # cm, within which it coils; 0: never
    reaction: Delays = (0.1, 0.6)  # s until it does, drawn anew each time
    wind_time: Duration = 1.2  # s in which it coils
    calm_time: Seconds = 4.0  # s without danger, after which it uncoils
    tightness: Annotated[Number, Field(gt=0, le=0.9)] = 0.7  # of the soft blocks that bends use up
    spacing: Annotated[Number, Field(ge=1.0, le=3)] = 1.2  # body heights from turn to turn


class ForageSpec(Spec):
    """One that brings food to the scene's nest, and lays and follows trails."""

    food_range: Length = 3.0  # cm, from which it smells food
    lay: Annotated[Number, Field(ge=0, le=1e3)] = 1.0  # pheromone a second, on the way home
    threshold: Annotated[Number, Field(ge=1e-9, le=1e3)] = 0.01  # 1/cm²: less is no trail
    gain_deg: Annotated[Number, Field(ge=0, le=180)] = 60.0  # towards the stronger side, at most
    outward: Fraction = 0.35  # how much it minds, on a trail, to go away from the nest
    roam: Length = 60.0  # cm from the nest, beyond which it turns back
    feelers: Pair | None = None  # cm ahead and aside of its middle; by its size where left out
