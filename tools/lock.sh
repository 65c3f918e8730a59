#!/bin/sh
# Rewrites constraints.txt from a clean install of the newest versions pyproject.toml allows,
# with the extras named, e.g.  sh tools/lock.sh render view study dev
set -eu
cd "$(dirname "$0")/.."
place=$(mktemp -d)
trap 'rm -rf "$place"' EXIT INT TERM

"${PYTHON:-python3}" -m venv "$place/venv"
pip="$place/venv/bin/python -m pip"
$pip install -q --upgrade pip hatchling
$pip install -q --no-build-isolation --editable ".[$(echo "$@" | tr ' ' ',')]"
{
    echo "# The versions Skitter is tested with on Python $("${PYTHON:-python3}" -c \
        'import sys; print("%d.%d" % sys.version_info[:2])'). Written by \`make lock\`; not edited by hand."
    $pip freeze --all --exclude-editable --exclude setuptools
} >"$place/constraints.txt"
cp "$place/constraints.txt" constraints.txt
echo "skitter: constraints.txt holds $(grep -c == constraints.txt) versions"
