"""A process that compiles kernels for another: reads their names and types, answers when done."""

import os
import sys

from skitter.compiled.signatures import find, read_types
from skitter.endings import end_without_a_word


def main() -> None:
    end_without_a_word()
    for line in sys.stdin:
        name, types = line.rstrip("\n").split("\t")
        find(name).compile(read_types(types))
        sys.stdout.write("done\n")
        sys.stdout.flush()
    os._exit(0)  # nothing is left to tidy up, and tidying up takes seconds


if __name__ == "__main__":
    main()
