# System packages, for the scripts beside this one to source: say, die, is_installed,
# missing_libraries and install_packages. Asks apt only for what is named, and only if we may; else it
# says what to run.

say() { printf 'skitter: %s\n' "$*"; }
die() { printf 'skitter: %s\n' "$*" >&2; exit 1; }

is_installed() { [ "$(dpkg-query -W -f '${db:Status-Status}' "$1" 2>/dev/null)" = installed ]; }

# missing_libraries PYTHON LIBRARY=PACKAGE...: the packages of those libraries that do not load
missing_libraries() {
    [ "$(uname)" = Linux ] || return 0
    by=$1
    shift
    "$by" - "$@" <<'END'
import ctypes, sys

for pair in sys.argv[1:]:
    library, package = pair.split("=")
    try:
        ctypes.CDLL(library)
    except OSError:
        print(package, end=" ")
END
}

install_packages() {
    get="apt-get install -y --no-install-recommends $*"
    if ! command -v apt-get >/dev/null; then
        die "this machine lacks what Debian calls: $* - please install these first"
    elif [ "$(id -u)" = 0 ]; then
        as_root=
    elif sudo -n true 2>/dev/null; then
        as_root="sudo -n"
    else
        command -v sudo >/dev/null && by="sudo sh -c" || by="su -c"
        die "system packages are missing and only root may install them. Please run
    $by 'apt-get update && $get'
and then this again."
    fi
    say "installing the system packages $* ..."
    system_log=$(mktemp)
    if ! { $as_root apt-get update && $as_root env DEBIAN_FRONTEND=noninteractive $get; } \
        >"$system_log" 2>&1; then
        tail -n 15 "$system_log" >&2
        die "apt-get failed (above). To try it by hand: apt-get update && $get"
    fi
    rm -f "$system_log"
}
