import os
import signal
import subprocess
import sys
from collections import Counter
from pathlib import Path

# Before NumPy is loaded, here and in every worker: matrices of tests are small, and threads of one
# worker that wait for each other by spinning take the cores from the others.
os.environ.setdefault("OMP_NUM_THREADS", "1")
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
os.environ.setdefault("MKL_NUM_THREADS", "1")

# The terminal that tests assume, here and in what they start, whatever this one is.
os.environ.update(TERM="xterm", COLUMNS="80", LINES="24")
os.environ.pop("NO_COLOR", None)
os.environ.pop("FORCE_COLOR", None)
os.environ.pop("TTY_COMPATIBLE", None)

# A run that outlives its terminal (nohup) hears no SIGHUP; tests of endings send some.
if hasattr(signal, "SIGHUP") and signal.getsignal(signal.SIGHUP) == signal.SIG_IGN:
    signal.signal(signal.SIGHUP, signal.SIG_DFL)

sys.path.insert(0, str(Path(__file__).parent))

import hypothesis
import pytest

from corpus import recorded  # noqa: F401  a fixture for all

# The first example of a test may have to wait for the compiler.
hypothesis.settings.register_profile("tests", deadline=None)
hypothesis.settings.load_profile("tests")


def pytest_configure(config):
    """Compile the kernels before any test and any worker, once for all."""
    if not hasattr(config, "workerinput"):
        subprocess.run([sys.executable, "-m", "skitter", "compile"], check=True)


@pytest.hookimpl(trylast=True)
def pytest_collection_modifyitems(items):
    """Files with slow tests first, then those with many tests: a worker gets a file at a time, and
    one that begins a long file when the others are through works alone."""
    sizes = Counter(item.path for item in items)
    slow = {item.path for item in items if item.get_closest_marker("slow")}
    items.sort(key=lambda item: (item.path not in slow, -sizes[item.path]))
