"""Recordings, pictures and pages, all in the chosen folder."""

import io
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from skitter.errors import UserError
from skitter.record import Recording
from skitter.view.keep import check_name, free_path, list_recordings
from skitter.view.live import Take
from skitter.view.replay import open_replay

if TYPE_CHECKING:
    from skitter.view.studio import Studio

PICTURE_HEIGHT = 1080  # pixels
PICTURE_PATIENCE = 90.0  # s; a browser that draws in software takes long


class KeepPanel:
    """What stays when the studio is closed."""

    only_live = False

    def __init__(self, studio: "Studio") -> None:
        self._studio = studio
        gui = studio.server.gui
        gui.add_markdown(f"Everything is kept in `{studio.folder.absolute()}`.")
        self._name = gui.add_text("Name", str(studio.session.frames().scene.get("name", "take")))
        self._busy = threading.Lock()
        self._looking = threading.Lock()  # the studio and a click may look at the same time
        self._take: Take | None = None
        self._record: Any = None
        if studio.live is not None:
            self._record = gui.add_button("Record from here", icon="player-record", color="red")
            self._record.on_click(lambda _: studio.attempt(self._toggle))
        picture = gui.add_button("Save a picture", icon="camera")
        picture.on_click(lambda event: studio.attempt(lambda: self._save_picture(event.client)))
        gui.add_command("Save a picture", hotkey="C").on_trigger(
            lambda event: studio.attempt(lambda: self._save_picture(event.client))
        )
        self._page = gui.add_button("Save a replay as HTML", icon="file-export")
        self._page.on_click(lambda _: studio.attempt(self._save_page))
        if studio.live is not None:
            self._list = gui.add_dropdown("Recording", self._names())
            watch = gui.add_button("Watch the recording", icon="player-play")
            watch.on_click(lambda _: studio.attempt(lambda: studio.watch(self._chosen())))

    def _names(self) -> list[str]:
        return list_recordings(self._studio.folder) or ["none yet"]

    def _toggle(self) -> None:
        live = self._studio.live
        assert live is not None
        if live.take is None:
            path = free_path(self._studio.folder, check_name(self._name.value))
            self._studio.folder.mkdir(parents=True, exist_ok=True)
            live.record(path)
        else:
            live.finish()

    def _tell(self, take: Take) -> None:
        """A recording has ended, for whatever reason."""
        self._studio.tell("Recorded", f"{take.frame_count} frames in {take.folder}")
        names = self._names()
        self._list.options = names
        self._list.value = take.folder.name if take.folder.name in names else names[0]

    def _save_picture(self, client: Any) -> None:
        from PIL import Image

        width = round(PICTURE_HEIGHT * max(0.3, min(client.camera.aspect, 3.0)))
        with self._alone():
            picture = client.get_render(
                height=PICTURE_HEIGHT, width=width, timeout=PICTURE_PATIENCE
            )
        self._studio.folder.mkdir(parents=True, exist_ok=True)
        path = free_path(self._studio.folder, check_name(self._name.value), ".png")
        data = io.BytesIO()
        Image.fromarray(picture[..., :3]).save(data, "PNG")
        path.write_bytes(data.getvalue())
        self._studio.tell("Saved", str(path))

    @contextmanager
    def _alone(self) -> Iterator[None]:
        """One picture or page at a time: both keep a thread of the server busy."""
        if not self._busy.acquire(blocking=False):
            raise UserError("the last picture or page is not done yet; wait for it")
        try:
            yield
        finally:
            self._busy.release()

    def _chosen(self) -> Recording:
        """The recording that is shown, or the one of the list."""
        studio = self._studio
        if studio.replay is not None:
            return studio.replay.recording()
        self.refresh()  # a recording may have ended since the last time
        names = list_recordings(studio.folder)
        if not names:
            raise UserError("there is no recording yet; record one first")
        name = self._list.value if self._list.value in names else names[0]
        return open_replay(studio.folder / name).recording()

    def _save_page(self) -> None:
        from skitter.view.html import save_html

        studio, recording = self._studio, self._chosen()
        studio.folder.mkdir(parents=True, exist_ok=True)
        path = free_path(studio.folder, check_name(self._name.value), ".html")
        with self._alone():
            save_html(recording, path)
        studio.tell("Saved", str(path))

    def refresh(self) -> None:
        if self._record is None or self._studio.live is None:
            return
        with self._looking:
            take, self._take = self._take, self._studio.live.take
            if take is not None and self._take is not take:
                self._tell(take)
        label = "Record from here" if self._take is None else "Finish the recording"
        if self._record.label != label:
            self._record.label = label

    def rebuild(self) -> None:
        self._name.value = str(self._studio.session.frames().scene.get("name", "take"))
