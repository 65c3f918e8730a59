"""A process that compiles kernels for another: reads their names and types, answers when done."""

import os
import signal
import sys

from skitter.compiled.signatures import find, read_types


def main() -> None:
    signal.signal(signal.SIGINT, signal.SIG_DFL)  # whoever started it tells what Ctrl-C means
    for line in sys.stdin:
        name, types = line.rstrip("\n").split("\t")
        find(name).compile(read_types(types))
        sys.stdout.write("done\n")
        sys.stdout.flush()
    os._exit(0)  # nothing is left to tidy up, and tidying up takes seconds


if __name__ == "__main__":
    main()
