"""Opening the studio: a guarded server, the session that it shows, and their end."""

import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from skitter.view.guard.server import close_server, open_server
from skitter.view.live import LiveSession
from skitter.view.replay import ReplaySession
from skitter.view.studio import Studio

USUAL_PORT = 8080


@contextmanager
def serving(
    session: LiveSession | ReplaySession,
    *,
    folder: Path,
    host: str = "127.0.0.1",
    port: int = USUAL_PORT,
    token: str | None = None,
    shadows: bool = True,
) -> Iterator[Studio]:
    """Show a session to browsers within a `with` block; at its end nothing is left running."""
    warnings.filterwarnings("ignore", "Queued a .* on a closed connection")  # a page that just left
    server = None
    try:
        server = open_server(host=host, port=port, token=token)
        studio = Studio(server, session, folder=folder, shadows=shadows)
        try:
            studio.start()
            yield studio
        finally:
            studio.close()
    finally:
        try:
            session.close()
        finally:
            if server is not None:
                close_server(server)
