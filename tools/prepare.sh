#!/bin/sh
# Prepares .venv with Skitter and the extras named, e.g.  sh tools/prepare.sh render dev
#
# Quick when nothing has changed since the last time. System packages are asked of apt only when
# something is really missing and we may install it; otherwise one message says what to run.
set -eu
cd "$(dirname "$0")/.."
python=${PYTHON:-python3}
venv=.venv
log=$venv/prepare.log
extras=$*
. tools/packages.sh

# --- is there anything to do? One stamp per extra, good for one place and one set of versions.
key=$({ pwd; cat pyproject.toml constraints.txt tools/packages.sh tools/prepare.sh; } | cksum)

is_ready() {
    "$venv/bin/python" -c '' 2>/dev/null || return 1
    for extra in core $extras; do
        [ "$(cat "$venv/ready-$extra" 2>/dev/null)" = "$key" ] || return 1
    done
}

# --- what the machine must have
pythons=$(sed -n 's/^requires-python = ">=3\.\([0-9]*\),<3\.\([0-9]*\)".*/\1 \2/p' pyproject.toml)
oldest=${pythons% *}
newest=$((${pythons#* } - 1))
has_right_python() {
    "$python" -c "import sys; sys.exit(not (3, $oldest) <= sys.version_info[:2] <= (3, $newest))" \
        2>/dev/null
}
can_make_venv() { "$python" -c 'import ensurepip, venv' 2>/dev/null; }
has_venv() { "$venv/bin/python" -m pip --version >/dev/null 2>&1; }

# Drawing without a display needs an OpenGL that starts: EGL with a driver, or OSMesa. VTK crashes
# without either, so this asks EGL itself instead of looking for file names.
has_opengl() {
    [ "$(uname)" = Linux ] || return 0
    EGL_PLATFORM=surfaceless "$python" - 2>/dev/null <<'END'
import ctypes, sys
try:
    egl = ctypes.CDLL("libEGL.so.1")
    egl.eglGetDisplay.restype = ctypes.c_void_p
    egl.eglGetDisplay.argtypes = [ctypes.c_void_p]
    egl.eglInitialize.argtypes = [ctypes.c_void_p] * 3
    sys.exit(not egl.eglInitialize(egl.eglGetDisplay(None), None, None))
except OSError:
    ctypes.CDLL("libOSMesa.so.8")
    ctypes.CDLL("libX11.so.6")
END
}

# The tests of the studio open its page in a real browser.
has_browser() {
    [ -n "${SKITTER_CHROMIUM:-}" ] && return 0
    for name in chromium chromium-browser google-chrome; do
        command -v $name >/dev/null && return 0
    done
    return 1
}

missing_packages() {
    has_venv || can_make_venv || printf 'python3-venv '
    case " $extras " in *" render "*)
        has_opengl || for package in libegl1 libgl1-mesa-dri; do
            is_installed $package || printf '%s ' $package
        done
    esac
    case " $extras " in *" dev "*)
        has_browser || printf 'chromium '
        # Pinocchio asks for the first, the Node.js inside Playwright for the second.
        missing_libraries "$python" libgomp.so.1=libgomp1 libatomic.so.1=libatomic1
    esac
}

prepare_machine() {
    has_right_python || die "Python 3.$oldest to 3.$newest is needed, and $python is not;" \
        "name one that is: make PYTHON=python3.$newest ..."
    packages=$(missing_packages)
    [ -z "$packages" ] || install_packages $packages
}

# --- the virtual environment
pip_install() {
    if ! "$venv/bin/python" -m pip install --constraint constraints.txt "$@" >>"$log" 2>&1; then
        tail -n 15 "$log" >&2
        die "pip failed (above; all of it is in $log)"
    fi
}

prepare_venv() {
    has_venv || "$python" -m venv --clear "$venv"
    : >"$log"
    # The build backend comes from the lock as well, hence no build isolation.
    pip_install pip hatchling
    pip_install --no-build-isolation --editable ".${extras:+[$(echo $extras | tr ' ' ',')]}"
    for extra in core $extras; do echo "$key" >"$venv/ready-$extra"; done
}

is_ready && exit
prepare_machine
say "installing into $venv: skitter $extras (the first time some 450 MB, a few minutes) ..."
prepare_venv
