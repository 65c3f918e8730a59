#!/bin/sh
# Rewrites constraints.txt with the newest versions that pyproject.toml allows, for every Python it
# admits (tools/lock.py), with the extras named, e.g.  sh tools/lock.sh render view study dev
set -eu
cd "$(dirname "$0")/.."
place=$(mktemp -d)
trap 'rm -rf "$place"' EXIT INT TERM

"${PYTHON:-python3}" -m venv "$place/venv"
"$place/venv/bin/python" -m pip install -q --upgrade pip
"$place/venv/bin/python" tools/lock.py "$@"
