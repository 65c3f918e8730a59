import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))

from skitter.kernels import are_compiled, start_compiling


def pytest_configure(config):
    """Compile the kernels before any test and any worker, once for all."""
    if not hasattr(config, "workerinput"):
        missing = [p for p in ("float32", "float64") if not are_compiled(p)]
        for process in [start_compiling(precision) for precision in missing]:
            process.wait()
