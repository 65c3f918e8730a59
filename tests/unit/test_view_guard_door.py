"""The door of the studio: who may connect, and what is served to whom."""

import contextlib
import gc
import http.client
import socket
from collections.abc import Iterator
from typing import Any

import pytest

pytest.importorskip("viser")

from guarded import (
    Studio,
    check_answers,
    get_close_code,
    get_status,
    make_handshake,
    open_studio,
)

from skitter.view.guard.door import PAGE_HEADERS
from view.hostile import open_client


@pytest.fixture
def studio() -> Iterator[Studio]:
    with open_studio() as made:
        yield made


def fetch(studio: Studio, path: str = "/", *, method: str = "GET", **headers: str) -> Any:
    line = http.client.HTTPConnection("127.0.0.1", studio.server.get_port(), timeout=5)
    try:
        line.putrequest(method, path, skip_host="Host" in headers)
        for name, value in headers.items():
            line.putheader(name, value)
        line.endheaders()
        response = line.getresponse()
        response.read()
        return response
    finally:
        line.close()


def test_own_page_connects(studio: Studio) -> None:
    check_answers(studio)
    assert studio.count("strike") == 0


@pytest.mark.parametrize("origin", ["http", "https"])
def test_origin_equals_host(studio: Studio, origin: str) -> None:
    place = studio.url.removeprefix("http://")
    assert get_status(studio, origin=f"{origin}://{place}") == 101


@pytest.mark.parametrize(
    "origin",
    [
        None, "null", "", "http://evil.example", "http://127.0.0.1", "http://127.0.0.1:1",
        "http://localhost:1", "file://", "chrome-extension://abc", "http://127.0.0.1.evil.example",
    ],
)  # fmt: skip
def test_strange_origins_are_refused(studio: Studio, origin: str | None) -> None:
    assert get_status(studio, origin=origin) == 403


def open_raw(studio: Studio, host: str, origin: str) -> bytes:
    """The first line of the answer to a handshake with any Host and Origin."""
    with socket.create_connection(("127.0.0.1", studio.server.get_port()), timeout=5) as line:
        line.sendall(make_handshake(host, origin))
        return line.recv(4096).split(b"\r\n")[0]


@pytest.mark.parametrize(
    ("host", "status"),
    [
        ("evil.example:8080", b"403"),  # a name that was made to point here
        ("localhost.evil.example", b"403"),
        ("127.0.0.1.nip.example", b"403"),
        ("[::1]:8080", b"101"),
        ("192.168.0.7:8080", b"101"),
        ("localhost:8080", b"101"),
        ("LOCALHOST", b"101"),
        ("[::1", b"403"),
        ("", b"403"),
        ("localhost:80@evil.example", b"403"),
    ],
)
def test_names_of_the_host(studio: Studio, host: str, status: bytes) -> None:
    assert status in open_raw(studio, host, f"http://{host}")


def test_origin_of_another_known_host_is_refused(studio: Studio) -> None:
    assert b"403" in open_raw(studio, "localhost:8080", "http://127.0.0.1:8080")


def test_two_hosts_or_origins_are_refused(studio: Studio) -> None:
    twice = "127.0.0.1\r\nHost: evil.example"
    assert b"403" in open_raw(studio, twice, "http://127.0.0.1")
    origins = "http://127.0.0.1\r\nOrigin: http://evil.example"
    assert b"403" in open_raw(studio, "127.0.0.1", origins)


def test_page_has_its_headers(studio: Studio) -> None:
    response = fetch(studio)
    assert response.status == 200
    for name, value in PAGE_HEADERS.items():
        assert response.headers.get_all(name) == [value]
    refused = fetch(studio, Host="evil.example")
    assert refused.status == 403
    assert refused.headers["X-Frame-Options"] == "DENY"


def test_pages_of_other_sites_get_nothing(studio: Studio) -> None:
    for site, mode, status in (
        ("cross-site", "no-cors", 403),
        ("same-site", "cors", 403),
        ("cross-site", "navigate", 200),
        ("none", "navigate", 200),
    ):
        headers = {"Sec-Fetch-Site": site, "Sec-Fetch-Mode": mode}
        assert fetch(studio, **headers).status == status


def test_page_is_not_served_without_end(studio: Studio) -> None:
    found = [fetch(studio).status for _ in range(150)]
    assert found[:100] == [200] * 100
    assert 503 in found


@pytest.mark.parametrize(
    "path",
    ["/nothing", "/../../etc/passwd", "/%2e%2e/_viser.py", "/%00", "/" + "a" * 5000, "//x", "*"],
)
def test_odd_paths(studio: Studio, path: str) -> None:
    assert fetch(studio, path).status in (404, 200)
    assert fetch(studio).status == 200


def test_other_methods_and_broken_requests(
    studio: Studio, capfd: pytest.CaptureFixture[str]
) -> None:
    for method in ("POST", "HEAD", "OPTIONS", "DELETE"):
        with contextlib.suppress(http.client.HTTPException, OSError):
            assert fetch(studio, method=method).status >= 400
    for request in (
        b"\r\n\r\n",
        b"GET /\r\n\r\n",
        b"\x16\x03\x01\x02" * 500,
        b"GET " + b"x" * 20000,
    ):
        with socket.create_connection(("127.0.0.1", studio.server.get_port()), timeout=5) as line:
            line.sendall(request)
            with contextlib.suppress(OSError):
                line.recv(100)
    check_answers(studio)
    gc.collect()
    assert capfd.readouterr() == ("", "")


def test_version_mismatch_is_quiet(studio: Studio, capfd: pytest.CaptureFixture[str]) -> None:
    with open_client(studio.url, subprotocols=["viser-v0.0.1"]) as client:
        assert get_close_code(client) == 1002
    assert capfd.readouterr() == ("", "")
