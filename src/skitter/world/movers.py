"""Who moves in one job: a creature by itself, or a company whose members push each other."""

from collections.abc import Sequence
from typing import NamedTuple

from skitter.creatures.creature import Around, Creature


class Mover(NamedTuple):
    """One creature, or a company, that moves in one job."""

    places: tuple[int, ...]  # among all creatures
    members: list[Creature]
    arounds: list[Around]

    def advance(self) -> None:
        if self.members[0].company:
            type(self.members[0]).advance_together(self.members, self.arounds)
        else:
            self.members[0].advance_frame(self.arounds[0])

    def count_parts(self) -> int:
        """The parts that the frame must come in for those who are near others, at least."""
        pairs = zip(self.members, self.arounds, strict=True)
        return max(one.count_parts(around) for one, around in pairs if around.near)

    def start(self, parts: int = 1) -> None:
        self.arounds[:] = [around._replace(parts=parts) for around in self.arounds]
        type(self.members[0]).start_together(self.members, self.arounds)

    def advance_part(self, part: int, parts: int) -> None:
        type(self.members[0]).advance_part_together(self.members, self.arounds, part, parts)


def group_movers(creatures: Sequence[Creature], arounds: Sequence[Around]) -> list[Mover]:
    """A mover for each creature, then one for each company."""
    alone, together = [], dict[str, list[int]]()
    for k, one in enumerate(creatures):
        if one.company:
            together.setdefault(one.company, []).append(k)
        else:
            alone.append([k])
    return [
        Mover(tuple(index), [creatures[k] for k in index], [arounds[k] for k in index])
        for index in [*alone, *together.values()]
    ]
