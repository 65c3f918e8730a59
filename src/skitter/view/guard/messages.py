"""What a page may tell the studio: which messages, of what shape, and which values of an input.

The shapes are read off viser's own message classes and given bounds, so they follow whichever
viser is installed. A message that passes is encoded anew: viser then reads exactly what was
checked, however oddly the original was put together.
"""

from dataclasses import MISSING, fields
from functools import reduce
from math import isfinite
from operator import or_
from types import NoneType, UnionType
from typing import Annotated, Any, Literal, Protocol, Union, get_args, get_origin, get_type_hints

import msgspec
import viser
from msgspec import Meta
from viser import _messages as viser_messages

from skitter.errors import SkitterError

# All that a page may send. Left out on purpose: uploads (they fill memory), share links (they
# open a tunnel to the internet), forms (their echoes are kept for good) and local storage.
ALLOWED = (
    "ViewerCameraMessage",  # where the camera is; the first one introduces the client
    "GuiUpdateMessage",  # an input was changed or a button pressed
    "GuiButtonHoldMessage",  # a button is held down
    "CommandTriggerMessage",  # a hotkey or a line of the command palette
    "ScenePointerMessage",  # a click or a rectangle anywhere in the scene
    "SceneNodeClickMessage",  # a click on a thing
    "SceneNodeDragMessage",  # a thing is dragged
    "TransformControlsDragStartMessage",  # a gizmo is taken, moved and let go
    "TransformControlsUpdateMessage",
    "TransformControlsDragEndMessage",
    "GetRenderResponseMessage",  # the picture that was asked for
)
# Without these two no page could be used at all; the others came with later releases of viser.
REQUIRED = ("ViewerCameraMessage", "GuiUpdateMessage")

LONGEST_TEXT = 200  # characters, for names and for what is typed into an input
LONGEST_VALUE = 64  # numbers of one input
# A slider rounds to a few decimals, which may end just outside of its range.
RANGE_SLACK = 1e-6

Number = Annotated[float, Meta(ge=-1e9, le=1e9)]  # msgspec's bounds refuse nan as well
Count = Annotated[int, Meta(ge=0, le=2**31)]
Text = Annotated[str, Meta(max_length=LONGEST_TEXT)]


class Updates(msgspec.Struct, forbid_unknown_fields=True):
    """What a page may change of an input: its value and nothing else."""

    value: bool | int | float | str | Annotated[list[int | float], Meta(max_length=LONGEST_VALUE)]


class Refusal(Exception):
    """A message that goes no further.

    `strike` is set when no honest page would have sent it. A page may well send a number outside
    of its range while it is being typed, or change an input that was removed a moment ago.
    """

    def __init__(self, reason: str, *, strike: bool) -> None:
        super().__init__(reason)
        self.strike = strike


class Page(Protocol):
    """What the checks need to know about the page that sent a message."""

    def find_input(self, uuid: str) -> Any:
        """The handle of an input, None when there is none."""

    def awaits_render(self) -> bool:
        """Whether the server asked this page for a picture."""


def build_decoder() -> msgspec.msgpack.Decoder[Any]:
    """Decodes the allowed messages and raises on anything else."""
    known = {kind.__name__: kind for kind in viser_messages.Message.get_subclasses()}
    missing = [name for name in REQUIRED if name not in known]
    if missing:
        raise SkitterError(f"viser {viser.__version__} has no {missing[0]}; the studio needs it")
    shapes = [build_shape(known[name]) for name in ALLOWED if name in known]
    return msgspec.msgpack.Decoder(reduce(or_, shapes))


def build_shape(kind: type[Any]) -> Any:
    """The fields of one of viser's messages, with bounds."""
    hints = get_type_hints(kind)
    shape: list[Any] = []
    for field in fields(kind):
        if not field.init:
            continue
        bounded = Updates if field.name == "updates" else add_bounds(hints[field.name], kind)
        optional = field.default is not MISSING
        shape.append((field.name, bounded, field.default) if optional else (field.name, bounded))
    return msgspec.defstruct(
        kind.__name__,
        shape,
        tag=kind.__name__,
        tag_field="type",
        forbid_unknown_fields=True,
        kw_only=True,
    )


def add_bounds(hint: Any, kind: type[Any]) -> Any:
    """The same type, its numbers finite and its texts and tuples short."""
    simple = {float: Number, int: Count, str: Text, bool: bool, bytes: bytes, NoneType: None}
    if hint in simple:
        return simple[hint]
    origin, parts = get_origin(hint), get_args(hint)
    if origin is Literal:
        return hint
    if origin in (Union, UnionType):
        return reduce(or_, (add_bounds(part, kind) for part in parts))
    if origin is tuple and parts[-1] is ...:
        many = tuple.__class_getitem__((add_bounds(parts[0], kind), ...))
        return Annotated[many, Meta(max_length=LONGEST_VALUE)]
    if origin is tuple:
        return tuple.__class_getitem__(tuple(add_bounds(part, kind) for part in parts))
    raise SkitterError(
        f"viser {viser.__version__} has a {kind.__name__} with a field the studio cannot check"
    )


def read_message(raw: bytes, decoder: msgspec.msgpack.Decoder[Any], page: Page) -> Any:
    """The message, checked; raises Refusal."""
    try:
        message = decoder.decode(raw)
    # Values of the wrong kind, bytes that are no text, nesting without end.
    except (ValueError, RecursionError) as error:
        raise Refusal(str(error), strike=True) from None
    check_message(message, page)
    return message


def check_message(message: Any, page: Page) -> None:
    """Raises Refusal for what the page could not have sent as it is now."""
    CHECKS.get(type(message).__name__, check_directions)(message, page)


def write_message(message: Any) -> bytes:
    """The message as viser may have it."""
    return msgspec.msgpack.encode(message)


def check_update(message: Any, page: Page) -> None:
    """Only inputs that are there and open change, and only to values that they can have."""
    handle = find_open_input(message.uuid, page)
    message.updates.value = clean_value(handle, message.updates.value)


def check_hold(message: Any, page: Page) -> None:
    find_open_input(message.uuid, page)


def check_pointer(message: Any, page: Page) -> None:
    """Viser takes for granted that a click has a ray and a rectangle two corners."""
    is_click = message.event_type == "click"
    has_ray = message.ray_origin is not None and message.ray_direction is not None
    if has_ray != is_click or len(message.screen_pos) != (1 if is_click else 2):
        raise Refusal("a pointer message that is neither click nor rectangle", strike=True)
    check_directions(message, page)


def check_render(message: Any, page: Page) -> None:
    """A picture is taken only where one was asked for."""
    if not page.awaits_render():
        raise Refusal("a picture nobody asked for", strike=False)


def check_directions(message: Any, page: Page) -> None:
    """Rotations and rays are unit vectors; what divides by their length may rely on it."""
    for name in ("wxyz", "ray_direction"):
        vector = getattr(message, name, None)
        if vector is not None and not 0.25 < sum(x * x for x in vector) < 4.0:
            raise Refusal(f"{name} is no unit vector", strike=True)


CHECKS = {
    "GuiUpdateMessage": check_update,
    "GuiButtonHoldMessage": check_hold,
    "ScenePointerMessage": check_pointer,
    "GetRenderResponseMessage": check_render,
}


def find_open_input(uuid: str, page: Page) -> Any:
    """An input that the page shows and that can be changed."""
    handle = page.find_input(uuid)
    if handle is None:
        raise Refusal("no such input", strike=False)
    if getattr(handle, "disabled", False) or not getattr(handle, "visible", True):
        raise Refusal("the input is disabled", strike=False)
    return handle


def clean_value(handle: Any, value: Any) -> Any:
    """The value as the input can have it; raises Refusal."""
    current = handle.value
    if isinstance(current, tuple):
        return clean_tuple(handle, current, value)
    low, high = getattr(handle, "min", None), getattr(handle, "max", None)
    if isinstance(current, str):
        return clean_text(handle, value)
    return clean_number(type(current), value, low, high)


def clean_text(handle: Any, value: Any) -> str:
    """A text of sensible length, one of the options where there are some."""
    if not isinstance(value, str):
        raise Refusal("not a text", strike=True)
    options = getattr(handle, "options", None)
    if options is not None and value not in options:
        raise Refusal("not one of the options", strike=False)
    if len(value) > LONGEST_TEXT:
        raise Refusal("too long a text", strike=False)
    return value


def clean_tuple(handle: Any, current: tuple[Any, ...], value: Any) -> list[Any]:
    """Vectors and multi-sliders have bounds of their own; colours go from 0 to 255."""
    if not isinstance(value, list) or len(value) != len(current):
        raise Refusal("not as many numbers as the input has", strike=True)
    is_colour = isinstance(handle, viser.GuiRgbHandle | viser.GuiRgbaHandle)
    low = 0 if is_colour else getattr(handle, "min", None)
    high = 255 if is_colour else getattr(handle, "max", None)
    return [
        clean_number(type(was), item, pick(low, i), pick(high, i))
        for i, (was, item) in enumerate(zip(current, value, strict=True))
    ]


def pick(bound: Any, index: int) -> Any:
    """A bound is one number for all or one for each."""
    return bound[index] if isinstance(bound, tuple) else bound


def clean_number(kind: type[Any], value: Any, low: Any, high: Any) -> Any:
    """A number of this kind within its bounds; also a checkbox, which is a bool."""
    if kind is bool:
        if not isinstance(value, bool):
            raise Refusal("neither on nor off", strike=True)
        return value
    if kind not in (int, float) or isinstance(value, bool) or not isinstance(value, int | float):
        raise Refusal("not a value of this input", strike=True)
    if not isfinite(value) or abs(value) > 1e9:
        raise Refusal("not a finite number", strike=True)
    if kind is int and value != int(value):
        raise Refusal("not a whole number", strike=True)
    slack = RANGE_SLACK * max(1.0, abs(low or 0.0), abs(high or 0.0))
    if (low is not None and value < low - slack) or (high is not None and value > high + slack):
        raise Refusal("outside of the range", strike=False)
    value = value if low is None else max(value, low)
    return kind(value if high is None else min(value, high))
