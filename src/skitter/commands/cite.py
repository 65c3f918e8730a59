"""`skitter cite`: the papers behind a scene, to read, as BibTeX or as JSON."""

from pathlib import Path
from typing import TYPE_CHECKING

from skitter.cite.papers import Citation, cite_software, list_citations, write_software_entry
from skitter.console import print_json, say
from skitter.errors import UserError
from skitter.scene.load import Scene, load_scene

if TYPE_CHECKING:
    from skitter.cite.bibliography import Reference


def cite(source: str, *, bibtex: bool, as_json: bool) -> None:
    """Print the papers behind a built-in scene, a scene file or a recording."""
    if bibtex and as_json:
        raise UserError("--bibtex and --json exclude each other; valid: one of them")
    scene = open_scene(source)
    citations = list_citations(scene)
    if as_json:
        papers = [describe_paper(one.paper) | {"for": one.reasons} for one in citations]
        software = {"text": cite_software(), "bibtex": write_software_entry()}
        print_json({"scene": scene.name, "papers": papers, "software": software})
    elif bibtex:
        say("\n".join([*(one.paper.bibtex for one in citations), write_software_entry()]))
    else:
        say(describe_citations(scene, citations))


def open_scene(source: str) -> Scene:
    """The scene of a recording, or one that is loaded."""
    if not Path(source).is_dir():
        return load_scene(source)
    from skitter.record import Recording

    return Scene.from_dict(Recording.open(source).scene, source)


def describe_paper(paper: "Reference") -> dict[str, object]:
    fields = {"fields": dict(paper.fields), "bibtex": paper.bibtex}
    return {"key": paper.key, "kind": paper.kind, "text": paper.text, **fields}


def describe_citations(scene: Scene, citations: list[Citation]) -> str:
    lines = [f"{scene.name}: {scene.spec.title}", "", "The papers behind it:", ""]
    for one in citations:
        lines += [one.paper.text, *(f"    {why}" for why in one.reasons), ""]
    lines += ["Skitter itself:", "", cite_software()]
    return "\n".join(lines)
