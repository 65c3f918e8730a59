"""What the bodies of an animal are called: parts, and segments of legs."""

PARTS = (  # by the numbers of `body_part`
    *("thorax", "abdomen", "head", "trunk", "leg", "palp", "chelicera", "mandible"),
    *("antenna", "claw", "tail", "horn", "other"),
)
TRUNK_PARTS = PARTS[:4]
ROLES = ("coxa", "trochanter", "femur", "patella", "tibia", "metatarsus", "tarsus")
BY_COUNT = {  # which of them a leg has, by how many it has
    1: ("tarsus",),
    2: ("femur", "tarsus"),
    3: ("femur", "tibia", "tarsus"),
    4: ("coxa", "femur", "tibia", "tarsus"),
    5: ("coxa", "femur", "patella", "tibia", "tarsus"),
    6: ("coxa", "femur", "patella", "tibia", "metatarsus", "tarsus"),
}
ALIKE = {"basitarsus": "metatarsus", "merus": "femur", "carpus": "patella", "propodus": "tibia"}
SHORT = {"basis": "trochanter", "ischium": "trochanter", "dactyl": "tarsus", "foot": "tarsus"}


def name_role(name: str) -> str | None:
    """Which segment a word stands for."""
    for word in (*ALIKE, *SHORT, *ROLES[::-1]):  # metatarsus before tarsus
        if word in name and not (word == "tarsus" and "metatarsus" in name):
            return {**ALIKE, **SHORT}.get(word, word)
    return None


def choose_roles(count: int, names: list[str] | None) -> list[str]:
    """What the segments of a leg are."""
    usual = list(BY_COUNT.get(count, ROLES))
    usual += ["tarsus"] * (count - len(usual))
    if names is None or len(names) != count:
        return usual[:count]
    return [name_role(name) or other for name, other in zip(names, usual, strict=False)]
