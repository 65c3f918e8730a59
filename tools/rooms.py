"""Draws the rooms of the house and which imports which, as docs/pictures/rooms.svg.

    python tools/rooms.py [--check]    # --check: 1 if the picture is not that of the sources

An arrow that follows from two others is left out: whoever imports `creatures` may import `rigid`.
So are those to the ground floor, which everybody uses.
"""

import ast
import sys
from pathlib import Path

from house import FLOORS, HOME, PACKAGE, link_rooms, list_imports

PICTURE = HOME / "docs" / "pictures" / "rooms.svg"
WIDTH, FLOOR_HEIGHT, BOX_WIDTH, BOX_HEIGHT, MARGIN = 1180, 78, 190, 44, 20
GROUND = (
    "errors", "compiled", "rotation", "spec", "channel", "state", "console", "options", "progress",
    "clock",
)  # fmt: skip
GROUND_WIDTH = 108
COLOURS = (  # by what a frame passes through
    (GROUND, "#eceff1"),
    (("species", "scene", "events"), "#fff3cd"),
    (("terrain", "water", "elastic", "rigid", "things"), "#d6eaf8"),
    (("control", "creatures", "start", "world", "runner"), "#d5f0dc"),
    (("record", "recording", "measure", "claims", "study"), "#f6ddf0"),
)
OTHER_COLOUR = "#fde3d2"  # what shows and takes along
STYLE = "font-family:sans-serif"


def reduce_links(links: dict[str, set[str]]) -> dict[str, set[str]]:
    """Without the arrows that follow from others."""
    reach: dict[str, set[str]] = {}
    for floor in FLOORS:
        for room in floor:
            direct = links.get(room, set())
            reach[room] = direct | {far for other in direct for far in reach.get(other, set())}
    return {
        room: {
            other
            for other in direct
            if not any(other in reach.get(third, set()) for third in direct - {other})
        }
        for room, direct in links.items()
    }


def list_floors() -> list[list[str]]:
    """The floors as they are drawn, from the ground up."""
    upper = [[room for room in floor if room not in GROUND] for floor in FLOORS]
    return [list(GROUND), *(floor for floor in upper if floor)]


def place_rooms() -> dict[str, tuple[float, float]]:
    """Middle of every box, from the top: the highest floor first."""
    places, floors = {}, list_floors()
    for level, floor in enumerate(floors):
        y = MARGIN + FLOOR_HEIGHT * (len(floors) - 1 - level) + BOX_HEIGHT / 2
        for k, room in enumerate(floor):
            # every other floor is shifted, so that fewer arrows run behind boxes
            shift = 0.0 if room in GROUND else 0.12 * (level % 2 - 0.5)
            places[room] = (WIDTH * ((k + 0.5) / len(floor) + shift / len(floor)), y)
    return places


def tell(room: str) -> str:
    """What a room is for: the first words of its docstring."""
    folder = HOME / "src" / PACKAGE / room
    path = folder / "__init__.py" if folder.is_dir() else folder.with_suffix(".py")
    words = (ast.get_docstring(ast.parse(path.read_text())) or "").split("\n")[0]
    return words.split(":")[0].split(",")[0].rstrip(".")


def colour(room: str) -> str:
    return next((shade for rooms, shade in COLOURS if room in rooms), OTHER_COLOUR)


def draw_box(room: str, x: float, y: float) -> str:
    width, most = (GROUND_WIDTH, 19) if room in GROUND else (BOX_WIDTH, 34)
    words = escape(tell(room))
    if len(words) > most:
        words = words[: most - 1].rsplit(" ", 1)[0] + " …"
    left, top = x - width / 2, y - BOX_HEIGHT / 2
    return (
        f'<rect x="{left:.0f}" y="{top:.0f}" width="{width}" height="{BOX_HEIGHT}" rx="8"'
        f' fill="{colour(room)}" stroke="#607d8b"/>'
        f'<text x="{x:.0f}" y="{y - 3:.0f}" text-anchor="middle" font-weight="bold"'
        f' font-size="14">{room}</text>'
        f'<text x="{x:.0f}" y="{y + 13:.0f}" text-anchor="middle" font-size="9.5"'
        f' fill="#455a64">{words}</text>'
    )


def draw_arrow(start: tuple[float, float], end: tuple[float, float]) -> str:
    x0, y0, x1, y1 = start[0], start[1] + BOX_HEIGHT / 2, end[0], end[1] - BOX_HEIGHT / 2
    bend = 0.4 * (y1 - y0)
    return (
        f'<path d="M{x0:.0f},{y0:.0f} C{x0:.0f},{y0 + bend:.0f} {x1:.0f},{y1 - bend:.0f}'
        f' {x1:.0f},{y1:.0f}" fill="none" stroke="#78909c" stroke-width="1.1"'
        f' marker-end="url(#head)"/>'
    )


def escape(text: str) -> str:
    return text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")


def draw() -> str:
    """The picture."""
    places, height = place_rooms(), 2 * MARGIN + FLOOR_HEIGHT * len(list_floors()) - 34
    links = reduce_links(link_rooms(list_imports()))
    arrows = [
        draw_arrow(places[room], places[other])
        for room in sorted(links)
        for other in sorted(links[room])
        if other not in GROUND
    ]
    boxes = [draw_box(room, x, y) for room, (x, y) in places.items()]
    head = (
        '<defs><marker id="head" viewBox="0 0 8 8" refX="7" refY="4" markerWidth="7"'
        ' markerHeight="7" orient="auto"><path d="M0,0 L8,4 L0,8 z" fill="#78909c"/></marker>'
        "</defs>"
    )
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {height:.0f}"'
        f' style="{STYLE}"><rect width="100%" height="100%" fill="white"/>{head}\n'
        + "\n".join(arrows + boxes)
        + "\n</svg>\n"
    )


def main() -> int:
    picture = draw()
    if "--check" in sys.argv:
        is_current = PICTURE.exists() and PICTURE.read_text() == picture
        print("it is that of the sources" if is_current else "it is not: run tools/rooms.py")
        return 0 if is_current else 1
    Path(PICTURE).write_text(picture)
    print(PICTURE.relative_to(HOME))
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
