"""A recording as USD: UsdSkel rigs, exact soft surfaces, water and things, over time.

Units are centimetres, said in the file, and y is up; a frame of the clip is a time code, the first
is 0. What is where in the file is told in usd/creature.py and usd/scene.py.
"""

from skitter.errors import UserError
from skitter.export.order import Order
from skitter.export.summary import Summary
from skitter.render.output import replacing

INSTALL = "pip install 'skitter[export]'"


def export_usd(order: Order) -> Summary:
    """Writes some creatures of a recording, and what is around them.

    A `cache` of soft surfaces has skinned ones as another variant; those alone make a small file.
    A .usd is binary, as a .usdc is.
    """
    try:
        from skitter.export.usd.file import convert
        from skitter.export.usd.scene import write_scene
    except ImportError as error:
        if not (error.name or "").startswith("pxr"):
            raise
        raise UserError(f"USD needs usd-core, which is not installed: {INSTALL}") from error
    with replacing(order.output) as draft, convert(draft) as binary:
        actors, notes = write_scene(order, binary)
    return Summary(order.output, "usd", order.clip.fps, len(order.clip.times), actors, notes)
