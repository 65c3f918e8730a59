"""A recording, with what one does with it: measure it, take it into other programs."""

from pathlib import Path
from typing import TYPE_CHECKING, Any

from skitter import record
from skitter.record.doubt import doubting

if TYPE_CHECKING:
    from skitter.export.summary import Summary


class Recording(record.Recording):
    """A recording of a run, as `skitter.run` returns it and `skitter.Recording.open` opens it."""

    def measure(self) -> dict[str, Any]:
        """Gait, speed, energy and more, as named numbers."""
        from skitter.measure import measure

        with doubting(self, "measured"):
            return measure(self)

    def export(self, output: str | Path, **options: Any) -> "Summary":
        """Write a file for another program, by its ending; options as in `skitter export`."""
        from skitter.export.write import export_recording

        return export_recording(self, output, **options)
