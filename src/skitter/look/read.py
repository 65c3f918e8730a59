"""The look of a recording, which may be older than some keys or newer than this program."""

from typing import Any, TypeVar

from pydantic import ValidationError

from skitter.errors import UserError
from skitter.species.look import Look

Kind = TypeVar("Kind", bound=Look)


def read_look(kind: type[Kind], look: dict[str, Any]) -> Kind:
    """What is known of a look; the rest is as it is by default."""
    fields = kind.model_fields
    known = {key: value for key, value in look.items() if key in fields and value is not None}
    try:
        return kind.model_validate(known)
    except ValidationError as error:
        key = ".".join(str(part) for part in error.errors()[0]["loc"])
        raise UserError(f"the recording has a look that cannot be shown: {key}") from None
