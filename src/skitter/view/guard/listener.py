"""The socket that the studio listens at."""

import errno
import socket
import sys
from typing import Any

from skitter.errors import UserError


def bind_listener(host: str, port: int) -> socket.socket:
    """A socket that listens at the first free port from `port` on; 0 stands for any."""
    if not 0 <= port <= 65535:
        raise UserError(f"port {port} does not exist; ports go from 0 to 65535")
    family, address = resolve_host(host, port)
    for candidate in range(port, min(port + 1000, 65536)):
        try:
            return listen_at(family, (address[0], candidate, *address[2:]))
        except OSError as error:
            if error.errno != errno.EADDRINUSE:
                reason = error.strerror or error
                raise UserError(f"cannot serve at {host}, port {candidate}: {reason}") from None
    raise UserError(f"no free port at {host} from {port} on")


def resolve_host(host: str, port: int) -> tuple[socket.AddressFamily, tuple[Any, ...]]:
    """One address of the host, IPv4 if it has any."""
    try:
        # An empty name would be every address there is, which nobody asked for.
        found = socket.getaddrinfo(host or ".", port, type=socket.SOCK_STREAM)
    except (OSError, UnicodeError):
        raise UserError(f"cannot serve at {host!r}: no such host") from None
    found.sort(key=lambda entry: entry[0] != socket.AF_INET)
    return found[0][0], found[0][4]


def listen_at(family: socket.AddressFamily, address: tuple[Any, ...]) -> socket.socket:
    """A socket that listens there; the error of the system where that cannot be."""
    listener = socket.socket(family, socket.SOCK_STREAM)
    try:
        if sys.platform != "win32":  # there it would share the port with whoever has it
            listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        if family == socket.AF_INET6:
            listener.setsockopt(socket.IPPROTO_IPV6, socket.IPV6_V6ONLY, 1)
        listener.bind(address)
        listener.listen(128)
    except OSError:
        listener.close()
        raise
    return listener
