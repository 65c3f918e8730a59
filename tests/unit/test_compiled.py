"""How kernels are compiled and kept: once, whole, for the processor that is asked for."""

import os
import shutil
import subprocess
import sys
import time
from pathlib import Path

import numba
import numpy as np
import pytest
from llvmlite.binding import Linkage

from skitter.compiled import ahead, kernel, store
from skitter.compiled.dispatch import InnerKernel, Kernel
from skitter.compiled.listing import Entry, read_list, write_list
from skitter.compiled.signatures import read_types, write_types
from skitter.compiled.target import LEVELS, find_processor
from skitter.control.leg import compute_tip
from skitter.rigid.bodies import BodyState
from skitter.water.together import wait_for_all

NAMES = ("rigid.contact", "water.flow")  # modules with kernels
# A small kernel of the package, called; what was compiled for it, and what it gave.
CALL = """
from skitter.compiled import store
from skitter.control.leg import compute_tip
found = compute_tip(0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7)
print(sum(root.seconds > 0 for root in store.roots), store.SHIPPED.exists(), found)
"""


def call_kernel(cache: Path, **variables: str) -> tuple[int, str]:
    """In a process of its own: how many kernels it compiled, and the result."""
    environment = {**os.environ, "NUMBA_CACHE_DIR": str(cache), **variables}
    said = subprocess.check_output([sys.executable, "-c", CALL], env=environment, text=True)
    compiled, _, result = said.split(maxsplit=2)
    return int(compiled), result


@pytest.fixture(scope="module")
def kept(tmp_path_factory):
    """A cache with one kernel in it, and what that gave when it was compiled."""
    cache = tmp_path_factory.mktemp("cache")
    compiled, result = call_kernel(cache)
    assert compiled == 1
    return cache, result


def list_kept(cache: Path) -> list[Path]:
    return [*(cache / "kernels").glob(f"*{store.ENDING}")]


def test_a_kernel_is_compiled_once_for_all_processes(kept):
    cache, result = kept
    assert len(list_kept(cache)) == 1
    assert call_kernel(cache) == (0, result)
    assert not [*(cache / "kernels").glob(".draft*")]


@pytest.mark.parametrize("damage", ["flip", "cut", "empty", "foreign"])
def test_a_damaged_kernel_is_compiled_again(kept, tmp_path, damage):
    cache, result = kept
    (tmp_path / "kernels").mkdir(mode=0o700)
    (source,) = list_kept(cache)
    content = bytearray(source.read_bytes())
    if damage == "flip":
        content[len(content) // 2] ^= 1
    elif damage == "foreign":
        content[:] = b"\x80\x04N." * 100
    else:
        del content[len(content) // 2 if damage == "cut" else 0 :]
    (tmp_path / "kernels" / source.name).write_bytes(content)
    assert call_kernel(tmp_path) == (1, result)
    assert call_kernel(tmp_path) == (0, result)


@pytest.mark.skipif(not hasattr(os, "getuid"), reason="folders have no owner here")
def test_a_folder_that_others_can_write_is_not_read(kept, tmp_path):
    cache, result = kept
    (source,) = list_kept(cache)
    (tmp_path / "kernels").mkdir()
    (tmp_path / "kernels").chmod(0o777)
    (tmp_path / "kernels" / source.name).write_bytes(source.read_bytes())
    assert call_kernel(tmp_path, TMPDIR=str(tmp_path)) == (1, result)


def test_another_processor_has_kernels_of_its_own(kept):
    cache, result = kept
    other = "native" if find_processor().needs else "x86-64-v3"
    assert call_kernel(cache, SKITTER_TARGET=other) == (1, result)


def test_a_kernel_is_named_after_all_that_it_is_made_of(monkeypatch):
    function, arguments = compute_tip.py_func, (numba.types.float64,) * 7
    name = store.name_file(function, arguments)
    assert name.startswith("compute_tip-")
    assert store.name_file(function, (numba.types.float32,) * 7) != name
    with monkeypatch.context() as change:
        change.setattr(store, "describe_compiler", lambda: "another one")
        assert store.name_file(function, arguments) != name
    assert store.name_file(function, arguments) == name


def test_an_edit_of_an_imported_file_names_a_kernel_anew(monkeypatch, tmp_path):
    def hash_two() -> list[str]:
        store.read_source.cache_clear()
        return [store.hash_sources.__wrapped__(f"skitter.{name}") for name in NAMES]

    plain, package = hash_two(), tmp_path / "elsewhere"
    shutil.copytree(store.PACKAGE, package, ignore=shutil.ignore_patterns("*.pyc", "*.yaml"))
    monkeypatch.setattr(store, "PACKAGE", package)
    try:
        assert hash_two() == plain, "where a package lies does not matter"
        with (package / "rigid/bodies.py").open("a") as file:
            file.write("# edited\n")
        edited = hash_two()
        assert edited[0] != plain[0], "contact imports bodies"
        assert edited[1] == plain[1], "water does not"
    finally:
        store.read_source.cache_clear()


def test_old_kernels_are_thrown_away(tmp_path):
    young, old, draft = (tmp_path / name for name in ("a.kernel", "b.kernel", ".draft-c"))
    for path, age in ((young, 86400.0), (old, store.KEPT_FOR + 60), (draft, 7200.0)):
        path.write_bytes(b"")
        os.utime(path, (time.time() - age,) * 2)
    store.throw_away(tmp_path)
    assert [*tmp_path.iterdir()] == [young]


def test_types_can_be_written_and_read():
    floats, constant = np.zeros((2, 3), np.float32), np.zeros(4)
    constant.flags.writeable = False
    values = (
        1, 2.5, True, None, floats, floats.T, floats[:, ::2], constant, (1, 2.0), (1.0, 2.0),
        BodyState(floats, np.zeros((2, 3, 4), np.float32)), np.uint8(3),
    )  # fmt: skip
    found = (*(numba.typeof(value) for value in values), numba.types.Dispatcher(wait_for_all))
    assert read_types(write_types(found)) == found
    assert write_types(found[:5]) == "i8 f8 b1 none f4[2]"


def test_the_list_can_be_written_and_read():
    state = f"{BodyState.__module__}.BodyState(f4[2] f4[3])"
    entries = [
        Entry(frozenset({"a", "b"}), 1.5, "skitter.x.f", f"i8 {state} (f8 {state})"),
        Entry(frozenset(), 0.1, "skitter.x.g", ""),
    ]
    text = write_list(entries)
    assert text.count("BodyState") == 1
    assert read_list(text) == entries


def test_inner_kernels_are_only_part_of_a_root():
    @kernel
    def inner(value):
        return 2.0 * value

    @kernel
    def outer(value):
        return inner(value) + inner(value + 1.0)

    assert outer(1.0) == 6.0
    assert isinstance(inner, Kernel) and isinstance(inner.inner, InnerKernel)
    assert not inner.overloads, "nobody has called it from Python"
    (library,) = (found.library for found in inner.inner.overloads.values())
    assert not library._finalized
    (library,) = (found.library for found in outer.overloads.values())
    defined = [*library.get_defined_functions()]
    visible = [each.name for each in defined if each.linkage == Linkage.external]
    assert visible == [library.wrapper]


def test_functions_of_users_are_left_alone():
    @numba.njit
    def own(value):
        return np.sqrt(value) + 1

    assert own(9.0) == 4.0
    assert not isinstance(own, Kernel)
    codegen = own.targetctx.codegen()
    assert codegen is not compute_tip.targetctx.codegen()
    assert codegen._get_host_cpu_name() == numba.core.codegen.ll.get_host_cpu_name()


def test_the_target_is_a_level_that_this_processor_has():
    features = numba.core.codegen.ll.get_host_cpu_features()
    found = find_processor()
    fitting = [level for level in LEVELS if all(features.get(name) for name in level.needs)]
    if fitting and "SKITTER_TARGET" not in os.environ:
        assert found == fitting[0]


ENTRY = Entry(frozenset({"test"}), 5.0, "skitter.control.leg.compute_tip", " ".join(["f8"] * 7))


@pytest.fixture
def empty_cache(tmp_path, monkeypatch):
    """An empty cache, for this process and for those that it starts."""
    monkeypatch.setenv("NUMBA_CACHE_DIR", str(tmp_path))
    store.cache_folder.cache_clear()
    yield tmp_path
    store.cache_folder.cache_clear()


def test_kernels_are_compiled_ahead_by_other_processes(empty_cache, monkeypatch):
    told: list[ahead.Compiling] = []
    monkeypatch.setattr(ahead, "listeners", [told.append])
    stale = Entry(frozenset(), 5.0, "skitter.control.leg.gone", "f8")
    before = len(store.roots)
    assert ahead.compile_all([ENTRY, stale]) == 1
    assert len(store.roots) == before, "not by this one"
    assert len(list_kept(empty_cache)) == 1
    assert told[0].total == 1 and told[0].seconds_left > 0
    assert any(state.names == ("compute_tip",) for state in told)
    assert ahead.compile_all([ENTRY, stale]) == 0


def test_a_worker_that_dies_leaves_the_rest_to_be_compiled_later(empty_cache, monkeypatch):
    def start_dying() -> "subprocess.Popen[str]":
        return subprocess.Popen(
            [sys.executable, "-c", "input()"], stdin=-1, stdout=-1, stderr=-3, text=True
        )

    monkeypatch.setattr(ahead, "start_worker", start_dying)
    ahead.compile_all([ENTRY])
    assert list_kept(empty_cache) == []
    assert call_kernel(empty_cache)[0] == 1


def test_only_what_a_scene_has_is_compiled_for_it(empty_cache):
    assert ahead.list_missing({"test", "more"}, [ENTRY]) == [ENTRY]
    assert ahead.list_missing({"more"}, [ENTRY]) == []
    assert ahead.list_missing(None, [ENTRY]) == [ENTRY]


@pytest.mark.parametrize(
    "name", ["centipede", "swimmer", "worm_muscles", "roach_tripod", "tarantula", "jelly_drop"]
)
def test_all_that_a_scene_calls_is_listed(name):
    """Else people wait for one core: `make kernels` writes the list anew."""
    program = f"""
import skitter
from skitter.compiled.signatures import write_types
from skitter.compiled.store import roots
world = skitter.World.from_scene({name!r})
world.advance()
world.read()
for root in roots:
    print(root.name, write_types(root.arguments), sep="|")
"""
    said = subprocess.check_output([sys.executable, "-c", program], text=True)
    listed = {(entry.name, entry.types) for entry in ahead.read_own_list()}
    called = {tuple(line.split("|")) for line in said.splitlines()}
    assert called and called <= listed


def test_every_listed_kernel_exists():
    for entry in ahead.read_own_list():
        assert isinstance(entry.find_kernel(), Kernel), entry.name
        assert write_types(entry.find_types()) == entry.types
