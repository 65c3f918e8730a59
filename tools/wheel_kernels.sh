#!/bin/sh
# Builds a wheel that carries compiled kernels into dist, for the Python of .venv and for the levels of
# x86-64 that this processor has: with it nothing is compiled at the first run.
set -eu
cd "$(dirname "$0")/.."
. tools/packages.sh
[ "$(uname -sm)" = "Linux x86_64" ] || die "kernels are shipped for Linux on x86-64 only"
kernels=build/kernels
rm -rf $kernels # nothing of older sources
for target in x86-64-v3 x86-64-v4; do
    SKITTER_TARGET=$target NUMBA_CACHE_DIR=$kernels .venv/bin/skitter compile ||
        say "no kernels for $target, which this processor does not have"
done
SOURCE_DATE_EPOCH=$(git log -1 --format=%ct 2>/dev/null || echo 1577836800) \
    SKITTER_WHEEL_KERNELS=$kernels/kernels .venv/bin/python -m hatchling build -t wheel -d dist
