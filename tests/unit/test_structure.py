"""The house keeps its order: arrows that go one way, sizes, citations, species that are data."""

import ast
import re
import sys
from pathlib import Path

import pytest
import yaml

import skitter
from skitter import events
from skitter.compiled import store
from skitter.creatures.creature import Creature
from skitter.creatures.kinds import CREATURES
from skitter.scene.catalogue import SPECIES_LIBRARY
from skitter.species.kinds import KINDS

HOME = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(HOME / "tools"))

import house  # noqa: E402
import rooms  # noqa: E402

LEVEL = {room: level for level, floor in enumerate(house.FLOORS) for room in floor}
FILE_LIMIT, FUNCTION_LIMIT = 400, 45  # lines
LONG_FILES: dict[str, str] = {}
LONG_FUNCTIONS = {
    "creatures/step.py:advance_creature": "the table of contents of a step: calls and arguments",
    "elastic/tets.py:build_tet_kernel": "one formula: the element kernel, written out for lanes",
    "elastic/tets.py:add_tet_forces": "one formula: the element kernel, written out for lanes",
}
SIMULATING = (  # rooms that bring a species to life, record it and measure it
    *("scene", "terrain", "water", "elastic", "rigid", "things", "control", "creatures", "start"),
    *("world", "runner", "record", "recording", "measure", "render", "gltf"),
)
CITATION = re.compile(r"\b([A-Z][A-Za-z]+)(?: et al\.)?,? \(?((?:19|20)\d\d)\b")
ENTRY = re.compile(r"@\w+\{(\w+),(.*?)\n\}", re.DOTALL)


def read_package() -> dict[str, str]:
    """Text of all sources and species files."""
    folder = HOME / "src" / "skitter"
    paths = [*folder.rglob("*.py"), *folder.rglob("*.yaml")]
    return {str(path.relative_to(folder)): path.read_text() for path in sorted(paths)}


def test_every_room_has_a_floor():
    found = {house.name_room(path) for path in house.list_sources()} - {*house.DOORS}
    assert found == {*LEVEL}


def test_arrows_go_down():
    up = [one for one in house.list_imports() if LEVEL[one.other] >= LEVEL[one.room]]
    assert not up


def test_an_arrow_upwards_would_be_seen(tmp_path):
    room = tmp_path / "src" / "skitter" / "elastic"
    room.mkdir(parents=True)
    (room / "soft.py").write_text("def f():\n    from skitter.control import brain\n")
    assert [(one.room, one.other) for one in house.list_imports(tmp_path)] == [
        ("elastic", "control")
    ]
    assert LEVEL["control"] > LEVEL["elastic"]


def test_the_picture_of_the_rooms_is_that_of_the_sources():
    assert rooms.PICTURE.read_text() == rooms.draw(), "run tools/rooms.py"


def test_files_are_short():
    long = {house.name_place(path) for path in house.list_sources() if lines(path) > FILE_LIMIT}
    assert long == {*LONG_FILES}, "split it, or name the exception and why"


def lines(path):
    return house.count_lines(path)


def test_functions_are_short():
    long = {one.place for one in house.list_functions() if one.lines > FUNCTION_LIMIT}
    assert long == {*LONG_FUNCTIONS}, "split it, or name the exception and why"


def test_citations_have_an_entry():
    entries = dict(ENTRY.findall((HOME / "docs" / "references.bib").read_text()))
    missing = [
        (place, name, year)
        for place, text in read_package().items()
        for name, year in CITATION.findall(text)
        if f"{name.lower()}{year}" not in entries
        and not any(key.endswith(year) and name in entry for key, entry in entries.items())
    ]
    assert not missing


def test_equations_say_of_which_paper():
    """ "eq. 5.2" alone is worth nothing; a module's docstring may name the paper for all of it."""
    alone = []
    for place, text in read_package().items():
        for match in re.finditer(r"\beqs?\. [A-Z]?\.?\d", text):
            before = text[: match.start()]
            if not CITATION.search(before):
                alone.append((place, text[match.start() : match.end() + 10]))
    assert not alone


def test_species_are_data_only():
    """A species is a YAML file of a known kind, and nothing that simulates knows it by name."""
    files = [path for path in SPECIES_LIBRARY.iterdir() if path.name != "__pycache__"]
    assert files and all(path.suffix == ".yaml" for path in files)
    kinds = {path.stem: yaml.safe_load(path.read_text())["kind"] for path in files}
    assert {*kinds.values()} <= {*KINDS}
    names = [name for name, kind in kinds.items() if kind != "object"]  # a block is also a word
    known = [
        (place, name)
        for place, text in read_package().items()
        if place.endswith(".py") and place.split("/")[0].removesuffix(".py") in SIMULATING
        for name in names
        if re.search(rf"""["']{name}["']""", text)
    ]
    assert not known


def test_every_kind_of_species_has_a_creature():
    assert {*CREATURES} == {*KINDS}
    for kind, creature in CREATURES.items():
        assert issubclass(creature, Creature) and creature.kind == kind


def test_creatures_of_the_world_are_known_by_their_interface_alone():
    """World, acting and start import no kind of creature, and ask for none by its name."""
    classes = {creature.__name__ for creature in CREATURES.values()} | {"Animal", "School"}
    for path in house.list_sources():
        if house.name_room(path) not in ("world", "start"):
            continue
        for node in ast.walk(ast.parse(path.read_text())):
            if isinstance(node, ast.ImportFrom):
                names = {name.name for name in node.names}
                assert not names & classes, (path, names)
                assert node.module != "skitter.creatures", (path, names)
            if isinstance(node, ast.Constant):
                assert node.value not in KINDS, (path, node.value)


def test_imports_name_their_module_in_full():
    """So that the tests of the arrows, and the hash of the kernels, see them all."""
    for path in house.list_sources():
        for node in ast.walk(ast.parse(path.read_text())):
            assert not (isinstance(node, ast.ImportFrom) and node.level), path


def test_kernels_are_keyed_by_all_that_they_import():
    step = HOME / "src/skitter/creatures/step.py"
    sources = store.list_sources("skitter.creatures.step")
    assert step in sources
    assert HOME / "src/skitter/creatures/figure.py" not in sources, "it holds no kernel"
    assert HOME / "src/skitter/compiled/library.py" in sources, "it decides on machine code"
    for path in sources:
        for node in ast.walk(ast.parse(path.read_text())):
            for module in house.list_modules(node):
                if module.partition(".")[0] == "skitter":
                    assert store.locate(module.removeprefix("skitter.")) in sources, (path, module)


@pytest.mark.parametrize("path", house.list_sources(), ids=house.name_place)
def test_modules_and_classes_say_what_they_are(path):
    tree = ast.parse(path.read_text())
    assert ast.get_docstring(tree), "the module has no docstring"
    for node in ast.walk(tree):
        if isinstance(node, ast.ClassDef) and not node.name.startswith("_"):
            assert ast.get_docstring(node), node.name


@pytest.mark.parametrize("name", ["World", "Recording"])
def test_public_methods_say_what_they_do(name):
    kind = getattr(skitter, name)
    for key in dir(kind):
        if not key.startswith("_") and callable(getattr(kind, key)):
            assert getattr(kind, key).__doc__, key


def test_events_say_their_units():
    """Every number of an event has a comment, which is where its unit stands."""
    tree = ast.parse(Path(events.__file__).read_text())
    rows = Path(events.__file__).read_text().splitlines()
    for node in ast.walk(tree):
        if isinstance(node, ast.AnnAssign) and ast.unparse(node.annotation) in ("float", "Vector"):
            assert "#" in rows[node.lineno - 1], rows[node.lineno - 1]


@pytest.mark.parametrize("page", sorted([*HOME.glob("*.md"), *HOME.glob("docs/**/*.md")]), ids=str)
def test_links_of_the_documents_lead_somewhere(page):
    for target in re.findall(r"\]\(([^)#\s]+)[^)]*\)", page.read_text()):
        if not target.startswith(("http", "mailto")):
            assert (page.parent / target).exists(), target


def test_paths_in_the_description_of_the_house_exist():
    text = (HOME / "docs" / "architecture.md").read_text()
    named = re.findall(r"`((?:\w+/)*\w+\.py|(?:\w+/)+)`", text)
    assert len(named) > 20
    missing = [
        name
        for name in named
        if not any((base / name).exists() for base in (HOME / "src" / "skitter", HOME))
    ]
    assert not missing
