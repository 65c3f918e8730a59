"""`python -m skitter` is the command `skitter`."""

import sys

from skitter.cli import main

sys.exit(main())
