"""Compiling the kernels, once per machine and version, in a process of its own.

A process that compiles a kernel may go on to use copies of its parts that were optimised apart from
it, while one that loads it from the cache uses those inside it; their rounding differs in the last
bit. So no simulation runs in the process that compiles: it is started, compiles, ends, and everyone
loads the same code from the cache. That is what makes the first run equal to the second.
"""

import os
import signal
import subprocess
import sys
from typing import Any

from skitter.compiled import cache_folder

COMPILING = "SKITTER_COMPILING"  # set in the process that compiles
TOUCHES_EVERY_KERNEL: dict[str, Any] = {
    "title": "What has to be compiled",
    "frame_rate": 1000,
    "terrain": [{"shape": "plane"}, {"shape": "sphere", "at": [30, 0, 0], "radius": 1}],
    "creatures": [
        {"species": "chain", "at": [0, 5, 0]},
        {"species": "jelly_cube", "at": [0, 9, 0]},
    ],
    "gravity": 9.8,
}


def are_compiled(precision: str) -> bool:
    return (cache_folder() / f"ready-{precision}").exists()


def start_compiling(precision: str) -> "subprocess.Popen[bytes]":
    """Start the process that compiles the kernels of float32 or float64."""
    command = [sys.executable, "-m", "skitter.kernels", precision]
    return subprocess.Popen(command, env={**os.environ, COMPILING: "1"})


def ensure_compiled(precision: str) -> None:
    """Compile the kernels unless they are. Where that fails, each kernel is compiled when it is
    first called, which only costs the equality of the first run."""
    if not are_compiled(precision) and COMPILING not in os.environ:
        start_compiling(precision).wait()


def compile_kernels(precision: str) -> None:
    """Call every kernel once, and leave a mark that this has been done."""
    from skitter.world import World

    world = World.from_scene({**TOUCHES_EVERY_KERNEL, "precision": precision})
    world.advance()
    world.read()
    world.terrain.cast([[0, 1, 0]], [[0, -1, 0]])
    (cache_folder() / f"ready-{precision}").touch()


if __name__ == "__main__":
    signal.signal(signal.SIGINT, signal.SIG_DFL)  # Ctrl-C ends this process without a word
    compile_kernels(sys.argv[1])
