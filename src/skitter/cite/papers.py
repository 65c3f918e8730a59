"""The papers behind a scene, each with what it is cited for."""

from dataclasses import dataclass

from skitter.cite.bibliography import Reference, find_cited, read_references, read_software
from skitter.cite.models import list_models, read_models
from skitter.scene.load import Scene


@dataclass(frozen=True)
class Citation:
    """A paper and its part in a scene."""

    paper: Reference
    reasons: list[str]


def list_citations(scene: Scene) -> list[Citation]:
    """Papers of the models first, in the order of the table; then those that files name."""
    reasons: dict[str, list[str]] = {}
    for model in list_models(scene):
        for key, why in read_models()[model].items():
            add_reason(reasons, key, why)
    for key in find_cited(scene.spec.source):
        add_reason(reasons, key, "named as the source of the scene")
    for species in scene.species:
        for key in find_cited(species.source):
            add_reason(reasons, key, f"numbers of the species: {species.title}")
    papers = read_references()
    return [Citation(papers[key], why) for key, why in reasons.items()]


def add_reason(reasons: dict[str, list[str]], key: str, why: str) -> None:
    known = reasons.setdefault(key, [])
    if why not in known:
        known.append(why)


def cite_software() -> str:
    """Skitter itself, as one line."""
    about = read_software()
    authors = ", ".join(one["name"] for one in about["authors"])
    year = str(about["date-released"])[:4]
    return f"{authors} ({year}). {about['title']}, version {about['version']}. {about['abstract']}"


def write_software_entry() -> str:
    """Skitter itself in BibTeX."""
    about = read_software()
    authors = " and ".join(f"{{{one['name']}}}" for one in about["authors"])
    year = str(about["date-released"])[:4]
    return (
        f"@software{{skitter,\n  author = {{{authors}}},\n  title = {{{about['title']}}},\n"
        f"  version = {{{about['version']}}},\n  year = {{{year}}},\n}}"
    )
