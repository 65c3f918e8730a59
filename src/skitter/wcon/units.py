"""Units of WCON files: words, abbreviations, prefixes and expressions of them.

Everything is taken to s, mm, degrees Celsius and plain numbers. An offset, which temperatures have,
counts only where a unit stands alone.
"""

import re
from dataclasses import dataclass

PREFIXES = {  # words and abbreviations do not mix
    "centi": 1e-2, "milli": 1e-3, "micro": 1e-6, "nano": 1e-9, "kilo": 1e3, "mega": 1e6, "giga": 1e9
}  # fmt: skip
SHORT_PREFIXES = {
    "c": 1e-2, "m": 1e-3, "u": 1e-6, "µ": 1e-6, "μ": 1e-6, "n": 1e-9,
    "k": 1e3, "K": 1e3, "M": 1e6, "G": 1e9,
}  # fmt: skip
TOKENS = re.compile(r"\s*(\d+\.?\d*(?:[eE][+-]?\d+)?|\.\d+|[A-Za-zµμ%]+|[*/^()-])")


@dataclass(frozen=True)
class Unit:
    """How numbers become those in s, mm and degrees Celsius: times `scale`, plus `offset`."""

    scale: float = 1.0
    time: int = 0  # powers of each
    length: int = 0
    warmth: int = 0
    offset: float = 0.0

    def times(self, other: "Unit", sign: int = 1) -> "Unit":
        """The product, or the ratio where the sign is -1; without offsets."""
        return Unit(
            self.scale * other.scale**sign,
            self.time + sign * other.time,
            self.length + sign * other.length,
            self.warmth + sign * other.warmth,
        )

    def power(self, exponent: int) -> "Unit":
        """The unit so many times; without an offset."""
        powers = (self.time * exponent, self.length * exponent, self.warmth * exponent)
        return self if exponent == 1 else Unit(self.scale**exponent, *powers)

    @property
    def plain(self) -> str:
        """The unit of what it is taken to, as WCON writes it."""
        parts = [("mm", self.length), ("s", self.time), ("C", self.warmth)]
        above = "*".join(_raise(name, n) for name, n in parts if n > 0)
        below = "".join(f"/{_raise(name, -n)}" for name, n in parts if n < 0)
        return (above or "1") + below


def _raise(name: str, power: int) -> str:
    return name if power == 1 else f"{name}^{power}"


WORDS = {
    "second": Unit(1.0, time=1),
    "minute": Unit(60.0, time=1),
    "hour": Unit(3600.0, time=1),
    "day": Unit(86400.0, time=1),
    "metre": Unit(1e3, length=1),
    "meter": Unit(1e3, length=1),
    "inch": Unit(25.4, length=1),
    "micron": Unit(1e-3, length=1),
    "fahrenheit": Unit(5 / 9, warmth=1, offset=-160 / 9),
    "centigrade": Unit(1.0, warmth=1),
    "celsius": Unit(1.0, warmth=1),
    "kelvin": Unit(1.0, warmth=1, offset=-273.15),
    "percent": Unit(0.01),
}
SHORT = {
    "s": WORDS["second"],
    "sec": WORDS["second"],
    "min": WORDS["minute"],
    "h": WORDS["hour"],
    "d": WORDS["day"],
    "m": WORDS["metre"],
    "in": WORDS["inch"],
    "F": WORDS["fahrenheit"],
    "C": WORDS["celsius"],
    "K": WORDS["kelvin"],
    "%": WORDS["percent"],
}
PLURALS = {f"{word}s": unit for word, unit in WORDS.items()} | {"inches": WORDS["inch"]}
LONG = WORDS | PLURALS


def parse_unit(text: str) -> Unit:
    """The unit of an expression such as `mm/s^2` or `0.04*s`; ValueError where it is none."""
    tokens, end = [], 0
    while end < len(text.rstrip()):
        found = TOKENS.match(text, end)
        if found is None:
            raise ValueError(f"'{text}' is no unit")
        tokens.append(found[1])
        end = found.end()
    if not tokens:
        return Unit()
    unit, rest = _parse_product(tokens, text)
    if rest:
        raise ValueError(f"'{text}' is no unit")
    return unit


def _parse_product(tokens: list[str], text: str) -> tuple[Unit, list[str]]:
    unit, tokens = _parse_power(tokens, text)
    while tokens and tokens[0] in "*/":
        other, rest = _parse_power(tokens[1:], text)
        unit, tokens = unit.times(other, 1 if tokens[0] == "*" else -1), rest
    return unit, tokens


def _parse_power(tokens: list[str], text: str) -> tuple[Unit, list[str]]:
    unit, tokens = _parse_one(tokens, text)
    if not tokens or tokens[0] != "^":
        return unit, tokens
    sign = -1 if tokens[1:2] == ["-"] else 1
    rest = tokens[2:] if sign < 0 else tokens[1:]
    if not rest or not rest[0].isdecimal() or int(rest[0]) > 9:
        raise ValueError(f"'{text}' is no unit: powers are whole numbers up to 9")
    return unit.power(sign * int(rest[0])), rest[1:]


def _parse_one(tokens: list[str], text: str) -> tuple[Unit, list[str]]:
    if not tokens:
        raise ValueError(f"'{text}' is no unit: something is missing")
    first, rest = tokens[0], tokens[1:]
    if first == "(":
        unit, rest = _parse_product(rest, text)
        if rest[:1] != [")"]:
            raise ValueError(f"'{text}' is no unit: a bracket is open")
        return unit, rest[1:]
    if first[0].isdecimal() or first[0] == ".":
        if not 0 < float(first) < 1e300:
            raise ValueError(f"'{text}' is no unit: {first} times nothing can be told from it")
        return Unit(float(first)), rest
    return find_unit(first), rest


def find_unit(name: str) -> Unit:
    """The unit of one word or abbreviation, perhaps with a prefix; ValueError if there is none."""
    for known, prefixes in ((LONG, PREFIXES), (SHORT, SHORT_PREFIXES)):
        if name in known:
            return known[name]
        for prefix, factor in prefixes.items():
            unit = known.get(name.removeprefix(prefix)) if name.startswith(prefix) else None
            if unit is not None:
                return Unit(factor * unit.scale, unit.time, unit.length, unit.warmth, unit.offset)
    valid = ", ".join((*SHORT, *WORDS))
    raise ValueError(f"'{name}' is no unit of WCON; valid: {valid}, with prefixes")
