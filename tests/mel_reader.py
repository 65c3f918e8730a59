"""A small reader of Maya's MEL, enough to run the scripts that we export, without Maya.

It knows procedures, `if`, `for`, variables, arrays and the commands that set up and animate joints.
Everything else is refused, so that a script cannot rely on what has not been thought of.
"""

import re
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Any

import numpy as np

TOKEN = re.compile(
    r'//[^\n]*|\s+|("(?:[^"\\]|\\.)*")|(\d+\.\d+|\d+)|(\$\w+)|([A-Za-z_][\w.]*)'
    r"|(&&|\|\||==|!=|<=|>=|\+\+|[-+*<>!=(){}\[\];,`])"
)
TYPES = ("string", "int", "float")
LONGEST_LINE = 1000


@dataclass
class Joint:
    parent: str
    values: dict[str, float] = field(default_factory=dict)
    keys: dict[str, dict[float, float]] = field(default_factory=dict)

    def at(self, channel: str, frame: float) -> float:
        """Straight lines between keys, held before and after."""
        keys = self.keys.get(channel)
        if not keys:
            return self.values.get(channel, 0.0)
        times = sorted(keys)
        return float(np.interp(frame, times, [keys[time] for time in times]))


class Return(Exception):
    pass


class Maya:
    """A scene of joints."""

    def __init__(self) -> None:
        self.joints: dict[str, Joint] = {}
        self.spaces: set[str] = set()
        self.units: dict[str, str] = {}
        self.procs: dict[str, tuple[list[tuple[str, bool]], int]] = {}
        self.warnings: list[str] = []

    def run(self, text: str) -> None:
        assert text.isascii()
        assert max(len(line) for line in text.splitlines()) < LONGEST_LINE
        self.tokens, end = [], 0
        while end < len(text):
            found = TOKEN.match(text, end)
            assert found, f"cannot read: {text[end : end + 40]!r}"
            if found.lastindex:
                self.tokens.append((found.lastindex, found[0]))
            end = found.end()
        self.place, self.scope = 0, {}
        while self.place < len(self.tokens):
            self.statement(True)

    # --- words

    def peek(self) -> str:
        return self.tokens[self.place][1]

    def kind(self) -> int:
        return self.tokens[self.place][0]

    def next(self, expected: str | None = None) -> str:
        word = self.tokens[self.place][1]
        assert expected is None or word == expected, f"{word} instead of {expected}"
        self.place += 1
        return word

    # --- statements; those that are not to be done are only passed over

    def statement(self, done: bool) -> None:
        word = self.peek()
        if word == "global":
            self.define()
        elif word == "{":
            self.next()
            while self.peek() != "}":
                self.statement(done)
            self.next()
        elif word == "if":
            self.choose(done)
        elif word == "for":
            self.repeat(done)
        elif word == "return":
            self.next(), self.next(";")
            if done:
                raise Return
        else:
            self.simple(done)
            self.next(";")

    def define(self) -> None:
        self.next("global"), self.next("proc")
        name, params = self.next(), []
        self.next("(")
        while self.peek() != ")":
            assert self.next() in TYPES
            params.append(self.next())
            if self.peek() == "[":
                self.next(), self.next("]")
            if self.peek() == ",":
                self.next()
        self.next()
        self.procs[name] = (params, self.place)
        self.statement(False)

    def choose(self, done: bool) -> None:
        self.next("if"), self.next("(")
        answer = self.expression(done)
        self.next(")")
        self.statement(done and bool(answer))
        if self.peek() == "else":
            self.next()
            self.statement(done and not answer)

    def repeat(self, done: bool) -> None:
        self.next("for"), self.next("(")
        self.simple(done), self.next(";")
        test = self.place
        while True:
            self.place = test
            goes_on = bool(self.expression(done)) and done
            self.next(";")
            step = self.place
            self.simple(False), self.next(")")
            self.statement(goes_on)
            if not goes_on:
                return
            self.place = step
            self.simple(True)

    def simple(self, done: bool) -> None:
        if self.peek() in TYPES:
            self.next()
            name = self.next()
            assert name.startswith("$")
            value = 0
            if self.peek() == "=":
                self.next()
                value = self.expression(done)
            if done:
                self.scope[name] = value
        elif self.kind() == 3:
            name = self.next()
            if self.next() == "++":
                value = self.scope[name] + 1 if done else 0
            else:
                value = self.expression(done)
            if done:
                self.scope[name] = value
        elif self.peek() in self.procs:
            self.call(done)
        else:
            self.command(done)

    # --- values

    def expression(self, done: bool, level: int = 0) -> Any:
        levels = (("&&", "||"), ("==", "!=", "<", ">", "<=", ">="), ("+", "-"))
        if level == len(levels):
            return self.primary(done)
        left = self.expression(done, level + 1)
        while self.peek() in levels[level]:
            sign = self.next()
            right = self.expression(done and not (sign == "&&" and not left), level + 1)
            left = combine(sign, left, right) if done else 0
        return left

    def primary(self, done: bool) -> Any:
        word = self.peek()
        if word == "!":
            self.next()
            return not self.primary(done)
        if word == "-":
            self.next()
            return -self.primary(done)
        if word == "(":
            self.next()
            value = self.expression(done)
            self.next(")")
            return value
        if word == "{":
            return self.array(done)
        if word == "`":
            self.next()
            value = self.command(done)
            self.next("`")
            return value
        if self.kind() == 1:
            return self.next()[1:-1]
        if self.kind() == 2:
            return float(word) if "." in self.next() else int(word)
        if self.kind() == 3:
            return self.variable(done)
        return self.call(done)

    def array(self, done: bool) -> list[float]:
        self.next("{")
        values = []
        while self.peek() != "}":
            values.append(self.expression(done))
            if self.peek() == ",":
                self.next()
        self.next()
        assert all(isinstance(value, float) for value in values), "Maya would make it int[]"
        return values

    def variable(self, done: bool) -> Any:
        name = self.next()
        if self.peek() != "[":
            return self.scope[name] if done else 0
        self.next()
        index = self.expression(done)
        self.next("]")
        return self.scope[name][index] if done else 0

    def call(self, done: bool) -> Any:
        name, values = self.next(), []
        self.next("(")
        while self.peek() != ")":
            values.append(self.expression(done))
            if self.peek() == ",":
                self.next()
        self.next()
        if not done:
            return 0
        if name == "size":
            return len(values[0])
        params, body = self.procs[name]
        place, scope = self.place, self.scope
        self.place, self.scope = body, dict(zip(params, values, strict=True))
        with suppress(Return):
            self.statement(True)
        self.place, self.scope = place, scope
        return 0

    # --- commands

    def command(self, done: bool) -> Any:
        name, flags, words = self.next(), {}, []
        while self.peek() not in (";", "`"):
            if self.peek() == "-" and self.tokens[self.place + 1][0] == 4:
                self.next()
                flag = self.next()
                flags[flag] = self.word(done)
            else:
                words.append(self.word(done))
        return getattr(self, f"do_{name}")(flags, words) if done else 0

    def word(self, done: bool) -> Any:
        return self.next() if self.kind() == 4 else self.primary(done)

    def do_currentUnit(self, flags: dict, words: list) -> None:
        assert not words
        self.units |= flags

    def do_playbackOptions(self, flags: dict, words: list) -> None:
        self.units |= flags

    def do_namespace(self, flags: dict, words: list) -> bool:
        if "exists" in flags:
            return flags["exists"] in self.spaces
        self.spaces.add(flags["add"])
        return True

    def do_substitute(self, flags: dict, words: list) -> str:
        return re.sub(words[0], words[2], words[1], count=1)

    def do_objExists(self, flags: dict, words: list) -> bool:
        return words[0] in self.joints

    def do_createNode(self, flags: dict, words: list) -> None:
        assert words == ["joint"]
        name, parent = flags["name"], flags.get("parent", "")
        assert name not in self.joints
        assert ":" not in name or name.split(":")[0] in self.spaces
        assert not parent or parent in self.joints
        self.joints[name] = Joint(parent)

    def do_setAttr(self, flags: dict, words: list) -> None:
        plug, *values = words
        name, attribute = plug.rsplit(".", 1)
        if flags.get("type") == "double3":
            values = [float(value) for value in values]
            self.joints[name].values |= dict(
                zip((attribute + axis for axis in "XYZ"), values, strict=True)
            )
        else:
            self.joints[name].values[attribute] = values[0]

    def do_getAttr(self, flags: dict, words: list) -> float:
        name, attribute = words[0].rsplit(".", 1)
        return self.joints[name].values.get(attribute, 0)

    def do_setKeyframe(self, flags: dict, words: list) -> None:
        assert flags["inTangentType"] == flags["outTangentType"] == "linear"
        name, channel = words[0].rsplit(".", 1)
        self.joints[name].keys.setdefault(channel, {})[flags["time"]] = flags["value"]

    def do_warning(self, flags: dict, words: list) -> None:
        self.warnings.append(words[0])

    # --- where joints are

    def place_at(self, name: str, frame: float) -> np.ndarray:
        """From a joint to the world; rotations about x, then y, then z."""
        joint = self.joints[name]
        x, y, z = (np.radians(joint.at(f"rotate{axis}", frame)) for axis in "XYZ")
        matrix = np.eye(4)
        matrix[:3, :3] = about(2, z) @ about(1, y) @ about(0, x)
        matrix[:3, 3] = [joint.at(f"translate{axis}", frame) for axis in "XYZ"]
        return self.place_at(joint.parent, frame) @ matrix if joint.parent else matrix


def combine(sign: str, left: Any, right: Any) -> Any:
    if sign == "+":
        return left + right
    if sign == "-":
        return left - right
    known = {"&&": bool(left and right), "||": bool(left or right), "==": left == right}
    known |= {"!=": left != right}
    if sign in known:
        return known[sign]
    return {"<": left < right, ">": left > right, "<=": left <= right, ">=": left >= right}[sign]


def about(axis: int, angle: float) -> np.ndarray:
    """The rotation about an axis."""
    c, s = np.cos(angle), np.sin(angle)
    one, other = (axis + 1) % 3, (axis + 2) % 3
    turn = np.eye(3)
    turn[one, one] = turn[other, other] = c
    turn[one, other], turn[other, one] = -s, s
    return turn
