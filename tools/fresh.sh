#!/bin/sh
# Does in a bare Debian what README asks of a newcomer: `make demo`, then the start of `make test`
# (everything installed, style, types, a test or two of each folder), from a clean clone of HEAD; and
# the wheel of it in an environment of its own. Says how long each part took, and how much of that
# was downloading.
#
# The Debian is the release of this machine, with the packages that README names and no others. What
# reaches the network is copied in: apt sources, resolver, certificates, pip settings. It has mounts
# and processes of its own (unshare), so nothing outlives this script, however it ends.
#
# Needs root and Debian; elsewhere it says why not, and that is no failure. Keeps the bare system and
# the downloads in ~/.cache/skitter-fresh; KEEP=1 keeps the folder it worked in, too, ALL=1 runs all
# of make test.
set -eu
cd "$(dirname "$0")/.."
. tools/packages.sh
needed=python3,make,git,ca-certificates # as README has it
cache=${XDG_CACHE_HOME:-$HOME/.cache}/skitter-fresh
place=${FRESH_PLACE:-$PWD/out/fresh}
root=$place/root

refuse() {
    say "no bare Debian here: $*"
    exit 0
}

# --- may it run here?
[ "$(uname)" = Linux ] || refuse "this is not Linux"
[ "$(. /etc/os-release 2>/dev/null && echo "${ID:-}")" = debian ] || refuse "this machine is no Debian"
[ "$(id -u)" = 0 ] || refuse "only root may make one (try: sudo make fresh)"
unshare --mount --pid --fork true 2>/dev/null || refuse "mounts of its own are not allowed (unshare)"
command -v debootstrap >/dev/null || (install_packages debootstrap) || refuse "there is no debootstrap"
release=$(. /etc/os-release && echo "$VERSION_CODENAME")

# --- the bare system
now() { date +%s; }

# Lines "URI SUITE COMPONENT", of Debian itself only.
apt_sources() {
    apt-get indextargets --format '$(REPO_URI) $(RELEASE) $(COMPONENT)' 'Created-By: Packages' |
        grep -E "^[^ ]+ $release(-updates|-security)? "
}

make_bare() {
    bare=$cache/$release.tar
    [ -z "$(find "$bare" -mtime -14 2>/dev/null)" ] || return 0
    say "making a bare Debian ($release), which is then kept for two weeks ..."
    mirror=$(apt_sources | sed -n "s/ $release main\$//p" | head -n 1)
    debootstrap --variant=minbase --include=$needed "$release" "$root" "$mirror" \
        >"$place/debootstrap.log" 2>&1 ||
        { tail -n 15 "$place/debootstrap.log" >&2; die "debootstrap failed (above)"; }
    rm -f "$root"/var/cache/apt/archives/*.deb
    tar -C "$root" -cf "$bare.part" . && mv "$bare.part" "$bare"
}

# What reaches the network on this machine reaches it in there.
copy_settings() {
    apt_sources | sed 's/^/deb /' >"$root/etc/apt/sources.list"
    apt-config dump | grep -E '^Acquire::(https?|ftp|Check-Valid-Until|Languages|Retries|ForceIPv.)\b' \
        >"$root/etc/apt/apt.conf.d/90machine" || true
    for file in /etc/apt/auth.conf /etc/apt/auth.conf.d /etc/resolv.conf /etc/hosts /etc/pip.conf; do
        [ ! -e $file ] || cp -rL $file "$root${file%/*}/"
    done
    for file in .config/pip/pip.conf .pip/pip.conf; do
        [ ! -e "$HOME/$file" ] || install -D -m 600 "$HOME/$file" "$root/root/$file"
    done
    cp -rL /usr/local/share/ca-certificates/. "$root/usr/local/share/ca-certificates/"
    chroot "$root" update-ca-certificates >/dev/null 2>&1
    # When apt has the packages it installs, and when they are installed: downloads end at the first.
    cat >"$root/etc/apt/apt.conf.d/91times" <<'END'
APT::Update::Pre-Invoke {"echo asked $(date +%s) >>/root/apt.times";};
DPkg::Pre-Install-Pkgs {"cat >/dev/null; echo got $(date +%s) >>/root/apt.times";};
END
}

# The settings of the shell that pip, curl and node read.
list_settings() {
    env | grep -E '^(PIP_[A-Z_]+|SSL_CERT_(FILE|DIR)|REQUESTS_CA_BUNDLE|CURL_CA_BUNDLE|NODE_EXTRA_CA_CERTS|(https?|no|all|HTTPS?|NO|ALL)_(proxy|PROXY))=' || true
}

# Folders that pip settings name: an index on disk, wheels.
list_pip_folders() {
    { list_settings; cat /etc/pip.conf "$HOME/.config/pip/pip.conf" "$HOME/.pip/pip.conf" 2>/dev/null; } |
        grep -iE 'find.links|index.url' | tr ' =,' '\n\n\n' | sed -n 's|^file://||; s|/simple/*$||; /^\//p' |
        sort -u | while read -r folder; do [ ! -d "$folder" ] || echo "$folder"; done
}

# bring FOLDER OPTIONS: the same folder in there; no file of it is copied
bring() {
    mkdir -p "$root$1"
    mount --bind "$1" "$root$1"
    mount -o "remount,bind,$2" "$root$1"
}

# In a namespace of its own: what a running system has, and the commands given.
enter() {
    list_pip_folders >"$place/folders"
    list_settings >"$place/settings"
    mkdir -p "$cache/pip" "$cache/apt/partial" "$root/root/.cache/pip"
    mount -t proc proc "$root/proc"
    bring /sys ro
    mount -t devpts -o newinstance,ptmxmode=0666 devpts "$root/dev/pts"
    mount -t tmpfs tmpfs "$root/dev/shm"
    mount -t tmpfs tmpfs "$root/tmp"
    mount --bind "$cache/pip" "$root/root/.cache/pip"
    mount --bind "$cache/apt" "$root/var/cache/apt/archives"
    while read -r folder; do bring "$folder" ro; done <"$place/folders"
    set -- env -i HOME=/root PATH=/usr/sbin:/usr/bin:/sbin:/bin PIP_LOG=/root/pip.log "$@"
    while read -r setting; do
        shift 2
        set -- env -i "$setting" "$@"
    done <"$place/settings"
    exec chroot "$root" "$@"
}

if [ "${1:-}" = enter ]; then
    shift
    enter "$@"
fi

# --- times
# Seconds so far that apt took from asking to having, and pip from its start to the first package
# that it installs.
seconds_downloading() {
    python3 - "$root/root/apt.times" "$root/root/pip.log" <<'END'
import re, sys
from datetime import datetime
from pathlib import Path

def lines(path):
    return Path(path).read_text(errors="replace").splitlines() if Path(path).exists() else []

total = asked = 0.0
for line in lines(sys.argv[1]):
    what, when = line.split()
    if what == "asked":
        asked = float(when)
    elif asked:
        total, asked = total + float(when) - asked, 0.0

started = before = None
for line in lines(sys.argv[2]):
    found = re.match(r"(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d),(\d{3}) (.*)", line)
    if found is None:
        continue
    when = datetime.fromisoformat(found[1]).timestamp() + int(found[2]) / 1000
    if started is None or found[3].startswith("Using pip"):
        started = when
    if found[3].startswith("Installing collected packages"):
        total += when - started
print(round(total))
END
}

# run_inside COMMAND...: in mounts and processes of its own, which end with it
run_inside() {
    unshare --mount --propagation private --pid --fork --kill-child \
        sh tools/fresh.sh enter sh -c "cd /root/skitter && $*" 2>&1 &
    echo $! >"$place/running"
    wait $! || echo $? >"$place/failed"
    rm "$place/running"
}

# part NAME COMMAND...: each line comes with the seconds since the part began
part() {
    name=$1
    shift
    say "$name"
    begun=$(now)
    loaded=$(seconds_downloading)
    run_inside "$@" |
        while IFS= read -r line; do printf '%5d s  %s\n' $(($(now) - begun)) "$line"; done &
    wait $! # in the background, so that a signal is heard at once
    took=$(($(now) - begun))
    loaded=$(($(seconds_downloading) - loaded))
    printf '%-30s %5d s, of which downloads %d s\n' "$name" $took $loaded >>"$place/times"
    if [ -e "$place/failed" ]; then
        cat "$place/times"
        die "$name failed in a bare Debian (above)"
    fi
}

clean_up() {
    if [ -e "$place/running" ]; then
        running=$(cat "$place/running")
        kill -KILL "$running" 2>/dev/null || true
        while kill -0 "$running" 2>/dev/null; do sleep 0.1; done
    fi
    [ -n "${KEEP:-}" ] || rm -rf --one-file-system "$place"
}
# Of each folder a test or two: above all those that a bare system may lack something for.
tests() {
    echo tests/docs/test_commands_front.py::test_what_the_page_says_works[CONTRIBUTING.md]
    echo tests/fuzz/test_fuzz.py::test_changes_leave_the_original_alone
    echo tests/parity/test_rotation.py::test_converged_rotation_is_the_polar_one
    echo tests/property/test_stvk.py::test_kernels_equal_plain_numpy
    echo tests/sweep/test_species_terrain.py::test_is_deterministic[cube-union]
    echo tests/unit/test_oracles.py::test_validator_passes_a_good_file  # Node.js
    echo tests/unit/test_oracles.py::test_povray_is_there
    echo tests/unit/test_progress.py
    echo tests/unit/test_render.py::test_the_whole_creature_is_seen     # OpenGL
    echo tests/verification/test_tree_oracles.py::test_a_nut_on_an_upright_screw # Pinocchio
    echo tests/view/test_browser.py::test_page_opens_and_the_creature_moves      # a browser
}

# --- what a newcomer does; a function, as a shell that reads on while it works would see later changes
main() {
    mkdir -p "$cache"
    exec 9>"$cache/lock" # one at a time: they share what was downloaded
    flock -n 9 || { say "another make fresh is at work; waiting for it ..."; flock 9; }
    trap clean_up EXIT
    trap 'exit 130' INT
    trap 'exit 143' TERM HUP
    started=$(now)
    rm -rf --one-file-system "$place"
    mkdir -p "$root"
    [ -n "$(apt_sources)" ] || apt-get update -qq
    make_bare
    [ -d "$root/etc" ] || tar -C "$root" -xf "$cache/$release.tar"
    copy_settings
    git clone -q --no-hardlinks . "$root/root/skitter"
    printf '%-30s %5d s\n' "a bare Debian" $(($(now) - started)) >"$place/times"

    part "make demo" make demo
    part "everything installed" "make install && sh tools/prepare_oracles.sh validator povray"
    part "style and types" make lint types
    if [ -n "${ALL:-}" ]; then
        part "all of make test" make test
    else
        part "one test of each folder" .venv/bin/python -m pytest -q -p no:cacheprovider $(tests)
    fi
    part "make wheel, in another clone" "git clone -q . ../wheel && cd ../wheel && make wheel"
    part "the wheel by itself" "cd .. && python3 -m venv plain && \
        plain/bin/pip install -qq --progress-bar off -c wheel/constraints.txt wheel/dist/*.whl && rm -r wheel skitter && \
        plain/bin/skitter run worm_muscles --seconds 0.05 -o worm"
    cat "$place/times"
    say "a bare Debian ($release) does all of it, in $(($(now) - started)) s"
}

main; exit
