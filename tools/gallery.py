"""Pictures of every built-in species and scene, and docs/gallery.md, which shows them.

`gallery.py` makes all; names after it make only those anew. With `--films` it also leaves a
recording and a film of each scene in out/gallery. What the tables below do not know, such as a new
species, is shown in a plain way.
"""

import argparse
import tempfile
import time
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from PIL import Image

import skitter
from skitter.record import Recording
from skitter.render import render_picture, render_video
from skitter.render.output import replacing
from skitter.scene.catalogue import list_scenes, list_species

PAGE, PICTURES, FILMS = Path("docs/gallery.md"), Path("docs/pictures"), Path("out/gallery")
QUALITY = 74  # of the JPEG files
SPECIES_SIZE, SCENE_SIZE = (960, 540), (1280, 720)
HEAD = """# Gallery

Every built-in species and scene; `make gallery` makes the pictures and this page.
"""


@dataclass(frozen=True)
class View:
    """The moment and the camera of a scene's picture; what is not said is the scene's own."""

    time: float | None = None  # s; none: amid the motion
    camera: dict[str, Any] = field(default_factory=dict)
    seed: int = 0


@dataclass(frozen=True)
class Portrait:
    """A small scene that shows one species."""

    look_at: str = ""  # one line on what to look at
    time: float = 2.0  # s
    creature: dict[str, Any] = field(default_factory=dict)
    camera: dict[str, Any] = field(default_factory=dict)
    ground: dict[str, Any] = field(default_factory=dict)
    gravity: float = 981.0  # cm/s2
    settings: dict[str, Any] = field(default_factory=dict)  # of the scene, besides


def lead(speed: float, turn_deg: float = 0.0) -> list[dict[str, float]]:
    """Commands that keep a walker on a line or an arc, cm/s and degrees/s."""
    return [{"time": 0, "speed": speed, "turn_deg": turn_deg}]


VIEWS = {
    "block_pile": View(7.5, {"azimuth_deg": -110, "elevation_deg": 24, "zoom": 1.3}),
    # On its way between stumps and food.
    "centipede": View(8.5, {"azimuth_deg": 125, "elevation_deg": 22, "zoom": 1.0}),
    "cylinders": View(8),  # between the logs, with more ahead
    "dropped": View(0.1),  # one has landed, one is about to, one is in the air
    "hills": View(10, {"elevation_deg": 18, "zoom": 0.9}),  # down from a ridge
    # One has coiled before its jaws, side by side with it; the others go on behind.
    "hunt": View(
        4.75,
        {"azimuth_deg": 205, "elevation_deg": 30, "at": [-3, 0, -25], "width": 44},
        seed=1,
    ),
    "jelly_drop": View(0.76, {"zoom": 1.2}),  # the softest are flat, the firmest up again
    "puppet": View(
        6.5, {"azimuth_deg": 115, "elevation_deg": 30, "zoom": 1.1}
    ),  # between the two arcs
    "roach_drop": View(1.0),  # two stand, and one does not
    "roach_lesion": View(0.9),  # before it has turned
    "roach_wires": View(1.15),  # one wire on its back, the next before its legs
    "sca_letters": View(24),  # when the word is complete
    # Its head in an eye; the whole skull, which a camera that follows is too near for.
    "skull": View(6, {"azimuth_deg": 82, "elevation_deg": 12, "zoom": 0.48, "follow": "false"}),
    "trail": View(35.5),  # two trails, ants on them, and three that bring something
    "two_millipedes": View(9),  # turned away, still side by side
    # The smallest in front, before all have gone their ways.
    "zoo": View(2.0, {"at": [0, 0, -9], "width": 62}),
}
PORTRAITS = {
    "ant": Portrait(
        "A waist of one scale, elbowed antennae, and a tripod of feet.",
        time=1.0,
        creature={"at": [0, 1, 0], "commands": lead(1.5, -30)},
        camera={"azimuth_deg": 52, "elevation_deg": 20},
    ),
    "beetle": Portrait(
        "Wing cases that meet along the back, and jaws like antlers.",
        time=1.2,
        creature={"commands": lead(4, -20)},
        camera={"azimuth_deg": 55, "elevation_deg": 28},
        ground={"colour": "#8d8a78"},
    ),
    "crab": Portrait(
        "A toothed shell, eyes on stalks, and a pincer on either side.",
        time=1.5,
        creature={"commands": lead(4)},
        camera={"azimuth_deg": 48, "elevation_deg": 22},
        ground={"colour": "#cbb88f"},
    ),
    "house_spider": Portrait(
        "Chevrons on the abdomen, and legs far longer than the body.",
        time=1.2,
        creature={"commands": lead(6, -30)},
        camera={"azimuth_deg": 50, "elevation_deg": 26, "zoom": 1.15},
    ),
    "huntsman": Portrait(
        "Legs turned forward like those of a crab, and eyes in two rows.",
        time=1.2,
        creature={"commands": lead(8, -30)},
        camera={"azimuth_deg": 40, "elevation_deg": 30, "zoom": 1.1},
        ground={"colour": "#8f958a"},
    ),
    "scorpion": Portrait(
        "Plates down the back, a tail arched over it, and pincers held out.",
        time=1.2,
        creature={"commands": lead(5, -20)},
        camera={"azimuth_deg": 55, "elevation_deg": 18},
        ground={"colour": "#c9b48a"},
    ),
    "skitterling": Portrait(
        "Ten legs, golden knees and a tail: no such animal lives.",
        time=1.4,
        creature={"commands": lead(6, -30)},
        camera={"azimuth_deg": 52, "elevation_deg": 24},
    ),
    "stick_insect": Portrait(
        "A green twig with knots, on six thin legs.",
        time=1.2,
        creature={"commands": lead(3, -15)},
        camera={"azimuth_deg": 40, "elevation_deg": 26, "zoom": 1.1},
    ),
    "tarantula": Portrait(
        "Orange knees, a carapace with its pit, eight eyes on one mound, and hair all over.",
        time=1.6,
        creature={"commands": lead(7, -25)},
        camera={"azimuth_deg": 38, "elevation_deg": 26},
        ground={"colour": "#b3a588"},
    ),
    "block": Portrait("The rings of the trunk that it was cut from.", time=0.5),
    "log": Portrait("Bark around, and rings at its ends.", time=0.5),
    "pebble": Portrait("Grey and a little uneven.", time=0.5),
    "plank": Portrait("Grain along its length.", time=0.5),
    "c_elegans": Portrait(
        "A glassy skin; in it a pharynx with two bulbs, a gut of granules, and eggs beside it.",
        time=3.0,
        creature={"at": [0, 0, 0]},
        camera={"azimuth_deg": 20, "elevation_deg": 56},
        settings={"frame_rate": 50, "time_step": 0.02},
    ),
    "ceiling_light": Portrait(
        "Four arms that sag under their lamps, on a stem that stretches.",
        time=0.6,
        creature={"at": [0, 4.2, 0]},
        camera={"azimuth_deg": 18, "elevation_deg": 24},
        gravity=9.8,
    ),
    "centipede18": Portrait(
        "The wave of steps, and the amber skin between the plates.",
        creature={"commands": lead(5, -25)},
        camera={"azimuth_deg": 45, "elevation_deg": 24, "zoom": 1.15},
    ),
    "chain": Portrait(
        "The blocks between the boxes bend where the first box has met the ground.",
        time=1.05,
        creature={"at": [2.5, 9, 0], "turn_deg": [25, 10, 62]},
        camera={"azimuth_deg": 25, "elevation_deg": 14},
        ground={"friction": 0.15},
        gravity=9.8,
    ),
    "eel": Portrait(
        "A fin along back and belly, a pair behind the head, and a blotched back.",
        camera={"azimuth_deg": 48, "elevation_deg": 20, "zoom": 1.2},
    ),
    "giant_centipede": Portrait(
        "Legs of the two sides by turns, in waves that run from head to tail.",
        creature={"commands": lead(8, -25)},
        camera={"azimuth_deg": 50, "elevation_deg": 24, "zoom": 1.1},
    ),
    "house_centipede": Portrait(
        "Legs that grow longer towards the tail, and stripes along the back.",
        time=1.15,
        creature={"commands": lead(14, -60)},
        # Near: its antennae, as long as its body, may leave the picture.
        camera={"azimuth_deg": 50, "elevation_deg": 28, "zoom": 1.8},
        ground={"colour": "#a8a296"},
    ),
    "jelly_cube": Portrait(
        "Heavy for its stiffness: the floor makes it flat, and it springs up again.",
        time=0.05,
        creature={"at": [0, 0.95, 0], "turn_deg": [24, 8, 0]},
        camera={"azimuth_deg": 25, "elevation_deg": 14, "zoom": 0.75},
    ),
    "millipede": Portrait(
        "Short legs in several waves, which run from tail to head.",
        time=7.0,
        creature={"commands": lead(2.1, -18), "with": {"walk": {"turn_deg": 25}}},
        camera={"azimuth_deg": 35, "elevation_deg": 20, "zoom": 1.2},
    ),
    "pauropod": Portrait(
        "Stout legs, soft domed plates and a few bristles.",
        creature={"commands": lead(5, -30)},
        camera={"azimuth_deg": 45, "elevation_deg": 24, "zoom": 1.1},
        ground={"colour": "#7f8778"},
    ),
    "robot": Portrait(
        "Housings with hinges, rubber between them, and lenses for eyes.",
        creature={"commands": lead(6, -20)},
        camera={"azimuth_deg": 45, "elevation_deg": 24, "zoom": 1.15},
    ),
    "roach": Portrait(
        "Shields and wing pads, spines along the tibiae, and three feet on the ground.",
        time=1.4,
        camera={"azimuth_deg": 52, "elevation_deg": 26},
        ground={"friction": 0.7},
    ),
    "wire": Portrait(
        "Rods that meet at their joints, hung up at both ends.",
        time=1.0,
        creature={"at": [-3.3, 2.2, 0]},
        camera={"azimuth_deg": 20, "elevation_deg": 14, "zoom": 0.8},
    ),
    "waterfall_centipede": Portrait(
        "Smooth dark plates, and claws below the head.",
        creature={"commands": lead(7, -25)},
        camera={"azimuth_deg": 50, "elevation_deg": 24, "zoom": 1.1},
    ),
}


def show_species(name: str) -> Path:
    """A portrait, from a scene made here."""
    portrait = PORTRAITS.get(name, Portrait())
    scene = {
        "title": f"A portrait of {name}",
        "seconds": portrait.time,
        "gravity": portrait.gravity,
        "terrain": [{"shape": "plane", **portrait.ground}],
        "creatures": [{"species": name, "at": [0, 2, 0], **portrait.creature}],
        "camera": {"azimuth_deg": 50, "elevation_deg": 24, **portrait.camera},
        **portrait.settings,
    }
    path = picture_of("species", name)
    write_jpeg(skitter.run(scene), path, time=portrait.time, size=SPECIES_SIZE)
    return path


def show_scene(name: str, *, film: bool) -> Path:
    """A picture of a scene and, if wished, its recording and film."""
    view = VIEWS.get(name, View())
    path = picture_of("scenes", name)
    camera = [f"camera.{key}={value}" for key, value in view.camera.items()]
    # A picture needs no more of the run than what comes before it.
    recording = skitter.run(name, seconds=view.time, seed=view.seed, overrides=camera)
    write_jpeg(recording, path, time=view.time, size=SCENE_SIZE)
    if film:
        whole = skitter.run(name, output=FILMS / name, overwrite=True)
        render_video(whole, FILMS / f"{name}.mp4")
    return path


def picture_of(kind: str, name: str) -> Path:
    return PICTURES / kind / f"{name}.jpg"


def write_jpeg(
    recording: Recording, path: Path, *, time: float | None, size: tuple[int, int]
) -> None:
    """A picture small enough for the repository."""
    with tempfile.TemporaryDirectory() as room:
        full = Path(room) / "full.png"
        render_picture(recording, full, time=time, size=size)
        path.parent.mkdir(parents=True, exist_ok=True)
        with Image.open(full) as image, replacing(path) as draft:
            image.convert("RGB").save(
                draft, "JPEG", quality=QUALITY, optimize=True, progressive=True
            )


def write_page() -> None:
    """docs/gallery.md, from the catalogue."""
    species = "".join(describe_species(*one) for one in list_species())
    scenes = "".join(describe_scene(*one) for one in list_scenes())
    PAGE.write_text(f"{HEAD}\n## Species\n{species}\n## Scenes\n{scenes}")


def describe_species(name: str, title: str) -> str:
    look_at = PORTRAITS.get(name, Portrait()).look_at
    return describe("species", name, title) + (f"\n{look_at}\n" if look_at else "")


def describe_scene(name: str, title: str) -> str:
    commands = f"skitter run {name} -o out/{name}\nskitter view {name}"
    return f"{describe('scenes', name, title)}\n```sh\n{commands}\n```\n"


def describe(kind: str, name: str, title: str) -> str:
    picture = picture_of(kind, name).relative_to(PAGE.parent).as_posix()
    return f"\n### {name}\n\n{title}.\n\n![{title}]({picture})\n"


def remove_strays() -> None:
    """Pictures of what is no longer built in."""
    wanted = {picture_of("species", name) for name, _ in list_species()}
    wanted |= {picture_of("scenes", name) for name, _ in list_scenes()}
    for path in sorted({*PICTURES.glob("*/*.jpg")} - wanted):
        print(f"{path}: removed, it shows nothing that is built in")
        path.unlink()


def make_gallery(names: list[str], *, films: bool) -> None:
    """All pictures, or those of the names given, and the page."""
    began = time.perf_counter()
    for name, _ in list_species():
        if not names or name in names:
            report(show_species(name), began)
    for name, _ in list_scenes():
        if not names or name in names:
            report(show_scene(name, film=films), began)
    remove_strays()
    write_page()
    report(PAGE, began)


def report(path: Path, began: float) -> None:
    kilobytes, seconds = path.stat().st_size / 1000, time.perf_counter() - began
    print(f"{path}: {kilobytes:.0f} kB, {seconds:.0f} s since the start", flush=True)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("names", nargs="*", help="species and scenes; none: all")
    parser.add_argument("--films", action="store_true", help=f"also films, in {FILMS}")
    given = parser.parse_args()
    known = sorted({name for name, _ in [*list_species(), *list_scenes()]})
    if unknown := sorted({*given.names} - {*known}):
        parser.error(f"there is no {', '.join(unknown)}; valid: {', '.join(known)}")
    make_gallery(given.names, films=given.films)
