"""`skitter compile`: all kernels ahead, so that no scene waits for the compiler."""

import time
from contextlib import closing

from skitter.compiled.ahead import compile_all, read_own_list
from skitter.compiled.store import cache_folder
from skitter.compiled.target import find_processor
from skitter.console import print_json, say
from skitter.progress import Progress, format_seconds


def compile_kernels(*, jobs: int | None, as_json: bool) -> None:
    """Compile what is missing, and say what there is and where."""
    began = time.perf_counter()
    with closing(Progress()) as progress:
        progress.prepare()
        compiled = compile_all(workers=jobs)
    report = {
        "kernels": len(read_own_list()),
        "compiled": compiled,
        "seconds": time.perf_counter() - began,
        "target": find_processor().name,
        "folder": str(cache_folder()),
    }
    print_json({"compile": report}) if as_json else say(describe(report))


def describe(report: dict[str, object]) -> str:
    where = f"for {report['target']} in {report['folder']}"
    if not report["compiled"]:
        return f"nothing to compile: all {report['kernels']} kernels are kept {where}"
    took = format_seconds(float(str(report["seconds"])))
    return f"compiled {report['compiled']} of {report['kernels']} kernels in {took}, kept {where}"
