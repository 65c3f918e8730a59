"""Python as another system has it, for Skitter alone; `PYTHONPATH` with this folder switches it on.

    ELSEWHERE=win32|darwin python ...

What Windows or macOS lacks is hidden from every module of Skitter: whole modules, functions of `os`
and `signal`, libraries of C, and the files in /proc. Other packages keep what they have: each has
its own ways on each system. Processes that Skitter starts come here as well. What only those
systems can show (how they rename and lock files, which compilers they have) stays untried.
"""

import builtins
import ctypes
import io
import multiprocessing
import os
import signal
import sys
from types import ModuleType

LACKS = {
    "win32": {
        "modules": {"fcntl", "resource", "pwd", "grp", "termios", "tty", "pty", "posix", "syslog"},
        "os": """fork forkpty wait killpg getpgid getpgrp setpgid setsid getuid geteuid getgid
            getegid getgroups getloadavg nice mkfifo mknod statvfs chown lchown uname sysconf
            sched_getaffinity sched_setaffinity sched_yield posix_fadvise pread pwrite preadv
            pwritev O_DIRECTORY O_NOFOLLOW O_CLOEXEC O_NONBLOCK O_SYNC fchmod fchown""",
        "signal": """SIGKILL SIGHUP SIGQUIT SIGALRM SIGUSR1 SIGUSR2 SIGCHLD SIGPIPE SIGSTOP SIGCONT
            SIGWINCH SIGTSTP pthread_sigmask sigwait sigtimedwait pause alarm setitimer""",
    },
    "darwin": {
        "modules": set(),
        "os": "sched_getaffinity sched_setaffinity posix_fadvise",
        "signal": "sigtimedwait SIGPWR SIGRTMIN",
    },
}
NAME = os.environ["ELSEWHERE"]
HIDDEN = LACKS[NAME]["modules"]


def hide(module: ModuleType, lacks: str, **other) -> ModuleType:
    """The module without some of its names, and with others of its own."""
    face = ModuleType(module.__name__)
    lacking = set(lacks.split())
    face.__dict__.update({key: one for key, one in vars(module).items() if key not in lacking})
    face.__dict__.update(other)
    return face


class OwnLibraries(ctypes.CDLL):
    """No `renameat2` in the library of C; Windows has no library without a name."""

    def __init__(self, name, *args, **kwargs):
        if name is None and NAME == "win32":
            raise TypeError("argument of type 'NoneType' is not iterable")
        super().__init__(name, *args, **kwargs)

    def __getattr__(self, name):
        if name == "renameat2":
            raise AttributeError(name)
        return super().__getattr__(name)


def get_context(method=None):
    """Processes are started anew: forking is not offered there, or crashes."""
    if method != "spawn":
        raise ValueError(f"cannot find context for {method!r}")
    return multiprocessing.context._concrete_contexts[method]


FACES = {
    "os": hide(os, LACKS[NAME]["os"], name="nt" if NAME == "win32" else "posix"),
    "signal": hide(signal, LACKS[NAME]["signal"]),
    "sys": hide(sys, "", platform=NAME),
    "ctypes": hide(ctypes, "", CDLL=OwnLibraries),
    "multiprocessing": hide(multiprocessing, "fork Process Pool", get_context=get_context),
}
plain_import = builtins.__import__


def import_as_there(name, globals=None, locals=None, fromlist=(), level=0):
    """What a module of Skitter gets when it imports; all others get what there is."""
    asking = (globals or {}).get("__name__") or ""
    if level or asking.partition(".")[0] != "skitter":
        return plain_import(name, globals, locals, fromlist, level)
    if name in HIDDEN:
        raise ModuleNotFoundError(f"No module named {name!r}", name=name)
    found = plain_import(name, globals, locals, fromlist, level)
    return FACES.get(name, found)


def who_asks() -> str:
    """The package that called, maybe by way of pathlib."""
    frame = sys._getframe(2)
    while frame.f_back and frame.f_globals.get("__name__", "").partition(".")[0] == "pathlib":
        frame = frame.f_back
    return frame.f_globals.get("__name__", "").partition(".")[0]


def closed(function):
    """The function, which finds nothing in /proc for Skitter."""

    def ask(path, *args, **kwargs):
        named = isinstance(path, str | bytes | os.PathLike) and os.fsdecode(path)
        if named and named.startswith("/proc") and who_asks() == "skitter":
            raise FileNotFoundError(2, "No such file or directory", path)
        return function(path, *args, **kwargs)

    return ask


builtins.__import__ = import_as_there
builtins.open = io.open = closed(io.open)
for name in ("open", "stat", "lstat", "listdir", "scandir", "readlink"):
    setattr(os, name, closed(getattr(os, name)))
    setattr(FACES["os"], name, getattr(os, name))
