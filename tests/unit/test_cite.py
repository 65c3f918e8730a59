"""`skitter cite`: the papers behind a scene, checked against what is known to be in each."""

import json
import re
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest
import yaml

import skitter
from skitter.cite.bibliography import find_cited, read_references, read_software
from skitter.cite.models import USES, list_models, read_models
from skitter.cite.papers import list_citations
from skitter.cli import main
from skitter.scene.catalogue import list_scenes
from skitter.scene.load import load_scene

HOME = Path(__file__).resolve().parents[2]
SIMULATING = ("terrain", "water", "elastic", "rigid", "control", "creatures", "species", "world")
PLANE = [{"shape": "plane"}]
SMALL_SCENES = {  # what no built-in scene has
    "runge_kutta": {
        "title": "A roach with the other solver",
        "terrain": PLANE,
        "creatures": [{"species": "roach", "with": {"solver": {"method": "runge_kutta"}}}],
    },
}
BEHIND = {  # by the papers themselves: who described what is in the scene
    "centipede": {"fang2013", "fang2015", "stomakhin2012", "baraff1997"},
    "pool_rain": {"fang2015", "stelling2003", "steele2014"},
    "worm": {"mujika2018", "sifakis2012", "barbic2005"},
    "worm_muscles": {"mujika2018", "altun2009", "boyle2012"},
    "roach_tripod": {"mckenna1990", "featherstone1987", "wilson1966"},
    "tarantula": {"cenydd2012", "reynolds1999", "todorov2012"},
    "hunt": {"fang2015", "mueller2005", "kneser1912"},
    "trail": {"cenydd2012", "holldobler1990"},
    "skull": {"fang2015", "baerentzen2005", "gibson1998"},
}
NOT_BEHIND = {
    "centipede": {"mckenna1990", "mujika2018", "cenydd2012", "stelling2003", "baerentzen2005"},
    "worm": {"fang2013", "altun2009", "wen2012", "vigna2016"},
    "roach_tripod": {"fang2013", "dormand1980", "cenydd2012", "stomakhin2012"},
    "tarantula": {"fang2013", "stomakhin2012", "mckenna1990"},
    "two_millipedes": {"holldobler1990"},
    "jelly_drop": {"fang2013", "baraff1997"},
    "falling_chain": {"mckenna1990", "vigna2016", "stelling2003"},
}


def list_keys(scene):
    return [one.paper.key for one in list_citations(load_scene(scene))]


@pytest.mark.parametrize("scene", BEHIND)
def test_who_described_it_is_named(scene):
    assert BEHIND[scene] <= {*list_keys(scene)}


@pytest.mark.parametrize("scene", NOT_BEHIND)
def test_others_are_not(scene):
    assert not NOT_BEHIND[scene] & {*list_keys(scene)}


def test_papers_of_the_table_have_an_entry():
    assert {*USES} == {*read_models()}
    keys = {key for papers in read_models().values() for key in papers}
    assert keys <= {*read_references()}


def test_every_model_is_used_by_some_scene_and_not_by_all():
    scenes = [load_scene(name) for name, _ in list_scenes()]
    scenes += [load_scene(scene) for scene in SMALL_SCENES.values()]
    used = [{*list_models(scene)} for scene in scenes]
    assert set.union(*used) == {*USES}
    assert not set.intersection(*used)
    assert all(list_citations(scene) for scene in scenes)


def test_papers_that_the_simulation_cites_stand_behind_a_model():
    """What a kernel is taken from is told to whoever uses it."""
    named = {key for papers in read_models().values() for key in papers}
    folder = HOME / "src" / "skitter"
    paths = [path for room in SIMULATING for path in (folder / room).rglob("*.py")]
    cited = {key for path in paths for key in find_cited(path.read_text())}
    assert len(cited) > 20
    assert cited <= named


def test_sources_that_species_files_name_are_told():
    keys = list_keys({"title": "Two", "creatures": [{"species": "millipede"}]})
    assert {"carwardine2008", "ambe2021"} <= {*keys}


def test_a_reference_reads_as_people_write_it():
    papers = read_references()
    assert papers["mueller2016"].text == (
        "Matthias Müller, Jan Bender, Nuttapong Chentanez and Miles Macklin (2016). A Robust Method"
        " to Extract the Rotational Part of Deformations. Motion in Games."
    )
    assert papers["shelley2000"].text.endswith("Tropical Zoology, 13(1), 159–170.")
    assert "Barbič" in papers["barbic2005"].text
    for paper in papers.values():
        assert not re.search(r"[{}\\]", paper.text), paper.text


def test_every_entry_of_the_file_is_read():
    text = (HOME / "docs" / "references.bib").read_text()
    assert len(read_references()) == len(re.findall(r"^@\w+\{", text, re.MULTILINE))


def test_text(capsys):
    assert main(["cite", "roach_tripod"]) == 0
    out = capsys.readouterr().out
    assert out.startswith("roach_tripod: ")
    assert "Roy Featherstone (1987). Robot Dynamics Algorithms." in out
    assert "Skitter contributors" in out


def test_bibtex(capsys):
    assert main(["cite", "roach_tripod", "--bibtex"]) == 0
    out = capsys.readouterr().out
    keys = re.findall(r"^@\w+\{(\w+),", out, re.MULTILINE)
    assert keys == [*list_keys("roach_tripod"), "skitter"]
    assert out.count("{") == out.count("}")


def test_json(capsys):
    assert main(["cite", "tarantula", "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert [paper["key"] for paper in found["papers"]] == list_keys("tarantula")
    assert all(paper["for"] and paper["text"] and paper["bibtex"] for paper in found["papers"])
    assert found["software"]["bibtex"].startswith("@software{skitter,")


def test_a_file_and_a_recording(tmp_path, capsys):
    scene = {"title": "A chain", "seconds": 0.05, "creatures": [{"species": "chain"}]}
    file = tmp_path / "mine.yaml"
    file.write_text(yaml.safe_dump(scene))
    skitter.run(scene, output=tmp_path / "out")
    told = []
    for source in (file, tmp_path / "out"):
        assert main(["cite", str(source), "--json"]) == 0
        told.append(json.loads(capsys.readouterr().out)["papers"])
    assert told[0] == told[1]


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["nope"], "there is no scene 'nope'"),
        (["centipede", "--bibtex", "--json"], "exclude each other"),
        ([str(HOME / "docs")], "docs"),
    ],
)
def test_mistakes(arguments, words, capsys):
    assert main(["cite", *arguments]) == 2
    told = capsys.readouterr()
    assert words in told.err and not told.out and told.err.count("\n") == 1


def test_it_is_quick_to_start():
    """Kernels and the engine take seconds to import, and citing needs neither."""
    script = (
        "import sys; from skitter.cli import main; assert main(['cite', 'skull']) == 0;"
        "assert not {'numba', 'mujoco', 'scipy', 'trimesh'} & {*sys.modules}"
    )
    subprocess.run([sys.executable, "-c", script], check=True, capture_output=True)


def test_skitter_itself_is_the_one_of_the_package():
    project = tomllib.loads((HOME / "pyproject.toml").read_text())
    about = read_software()
    assert about["version"] == project["project"]["version"]
    assert about["license"] == project["project"]["license"]
    assert project["project"]["description"] in about["abstract"]


def test_a_package_has_what_citing_needs():
    project = tomllib.loads((HOME / "pyproject.toml").read_text())
    included = project["tool"]["hatch"]["build"]["targets"]["wheel"]["force-include"]
    for path, place in included.items():
        assert (HOME / path).is_file()
        assert Path(place).parent == Path("skitter/cite")
    assert {Path(place).name for place in included.values()} == {"references.bib", "CITATION.cff"}
