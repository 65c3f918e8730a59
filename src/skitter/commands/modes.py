"""`skitter modes`: the vibration modes of a worm's body, as a table and as a picture."""

from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING

from skitter.console import print_json, print_rows, say
from skitter.errors import UserError

if TYPE_CHECKING:
    import numpy as np

    from skitter.elastic.modes import Material, Modes
    from skitter.elastic.tet_mesh import TetMesh
    from skitter.elastic.undulation import ModeLook
    from skitter.render.modes import ModePicture
    from skitter.species.worm import WormSpec

SHOWN = 8  # modes in a picture
HEADER = ("mode", "frequency", "plane", "half waves", "")


def show_modes(given: str, output: Path | None, *, count: int, as_json: bool) -> None:
    """Modes of a species or of a mesh, its undulation marked."""
    from skitter.commands.render import check_file
    from skitter.elastic.mode_cache import load_modes
    from skitter.elastic.undulation import describe_modes, find_undulation
    from skitter.render.output import PICTURES, write_picture

    if output is not None:
        check_file(output, PICTURES)
    species = load_worm(given)
    mesh, material = build_material(species)
    modes = load_modes(mesh, material, count)
    looks = describe_modes(mesh.nodes, modes)
    chosen = None
    with suppress(UserError):  # a body that does not undulate has modes too
        chosen = find_undulation(mesh.nodes, modes)
    print_modes(looks, chosen, as_json=as_json)
    if output is not None:
        write_picture(output, draw(mesh, material, modes, looks, chosen, species.title))
        if not as_json:
            say(f"rendered {output}")


def load_worm(given: str) -> "WormSpec":
    """A species by its name or file, or the usual worm with the body of a mesh file."""
    from skitter.elastic.mesh_files import READERS
    from skitter.scene.load import load_scene
    from skitter.species.worm import WormBody, WormSpec

    if Path(given).suffix in READERS:
        name = Path(given).name[:60]
        return WormSpec(kind="worm", title=f"The mesh {name}", body=WormBody(file=given))
    scene = {"title": "modes", "terrain": [], "creatures": [{"species": given, "name": "it"}]}
    found: object = load_scene(scene).species[0]
    if not isinstance(found, WormSpec):
        raise UserError(
            f"{given}: is no worm; valid: a species of kind worm, a .mesh or a .msh file"
        )
    return found


def build_material(species: "WormSpec") -> "tuple[TetMesh, Material]":
    """The body of a species and what it is made of."""
    import numpy as np

    from skitter.creatures.worm.anatomy import load_body
    from skitter.creatures.worm.body import build_mesh, find_stiffness
    from skitter.elastic.modes import Material

    body = species.body
    if body.file is None:
        mesh = build_mesh(body)
    else:
        mesh = load_body(Path(body.file), length=body.length, regions=body.regions)
    mu, lam = find_stiffness(mesh, species)
    return mesh, Material(mu, lam, np.full(len(mesh.tets), species.density))


def print_modes(looks: "list[ModeLook]", chosen: int | None, *, as_json: bool) -> None:
    """A table, or JSON, of all modes; numbers count the six rigid ones, as the paper does."""
    if as_json:
        rows = [look._asdict() | {"chosen": look.number - 1 == chosen} for look in looks]
        print_json({"modes": rows})
        return
    table = [
        (
            str(look.number),
            "0 Hz" if look.plane == "rigid" else f"{look.frequency:.4g} Hz",
            look.plane,
            str(look.half_waves or ""),
            "chosen: one full undulation" if look.number - 1 == chosen else "",
        )
        for look in looks
    ]
    print_rows([HEADER, *table])


def draw(
    mesh: "TetMesh",
    material: "Material",
    modes: "Modes",
    looks: "list[ModeLook]",
    chosen: int | None,
    title: str,
) -> "np.ndarray":
    """The lowest elastic modes as one picture, and the chosen one if it is not among them."""
    from skitter.elastic.modes import RIGID
    from skitter.render.modes import draw_modes

    shown = list(range(RIGID, min(RIGID + SHOWN, len(looks))))
    if chosen is not None and chosen not in shown:
        shown[-1] = chosen
    pictures = [picture_mode(mesh, material, modes.shapes[k], looks[k], k == chosen) for k in shown]
    return draw_modes(pictures, mesh, f"{title}: vibration modes")


def picture_mode(
    mesh: "TetMesh", material: "Material", shape: "np.ndarray", look: "ModeLook", is_chosen: bool
) -> "ModePicture":
    """A mode as it is drawn: far enough to be seen, with its derivative, so that nothing swells."""
    import numpy as np

    from skitter.elastic.mode_cache import load_derivative
    from skitter.render.modes import REACH, ModePicture

    amplitude = REACH * np.ptp(mesh.nodes[:, 0]) / np.linalg.norm(shape, axis=1).max()
    moved = amplitude * shape + amplitude**2 / 2 * load_derivative(mesh, material, shape)
    way = np.linalg.norm(moved, axis=1)
    waves = f"{look.half_waves} half wave{'s' if look.half_waves > 1 else ''}"
    lines = (
        f"{look.frequency:.4g} Hz",
        f"{look.plane}, {waves}" if look.half_waves else look.plane,
        "chosen: one full undulation" if is_chosen else "",
    )
    return ModePicture(mesh.nodes + moved, way / way.max(), f"Mode {look.number}", lines, is_chosen)
