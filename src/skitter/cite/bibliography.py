"""The papers themselves, read from references.bib, and how Skitter is cited, from CITATION.cff.

Both files live in the checkout, where people look for them, and are copied beside this module when
a package is built.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

from skitter.errors import SkitterError
from skitter.scene.read_yaml import read_yaml

ROOM = Path(__file__).resolve().parent
CHECKOUT = ROOM.parents[2]
ENTRY = re.compile(r"@(\w+)\{(\w+),(.*?)\n\}", re.DOTALL)
FIELD = re.compile(r"(\w+)\s*=\s*\{((?:[^{}]|\{(?:[^{}]|\{[^{}]*\})*\})*)\}")
CITED = re.compile(r"\b([A-Z][A-Za-z-]+)(?: et al\.)?,? \(?((?:19|20)\d\d)\b")
LETTERS = {
    r"{\"u}": "ü",
    r"{\"o}": "ö",
    r"{\'e}": "é",
    r"{\ae}": "æ",
    r"{\v c}": "č",
    r"\_": "_",
    "--": "–",
}


@dataclass(frozen=True)
class Reference:
    """One paper."""

    key: str
    kind: str  # as BibTeX calls it: article, book, ...
    fields: Mapping[str, str]  # as people read them: no braces, no backslashes
    bibtex: str  # as it stands in the file

    @property
    def text(self) -> str:
        """Authors (year). Title. Where."""
        authors = format_authors(self.fields.get("author", ""))
        year = f"({self.fields['year']})" if "year" in self.fields else ""
        head = " ".join(part for part in (authors, year) if part)
        parts = [head, self.fields["title"], self.place]
        return " ".join(f"{part.rstrip('.')}." for part in parts if part)

    @property
    def place(self) -> str:
        """Where it was published: journal, volume(number), pages, and its DOI."""
        names = ("journal", "booktitle", "school", "institution", "publisher", "howpublished")
        volume = self.fields.get("volume", "")
        if volume and "number" in self.fields:
            volume += f"({self.fields['number']})"
        doi = f"https://doi.org/{self.fields['doi']}" if "doi" in self.fields else ""
        found = [self.fields[name] for name in names if name in self.fields]
        return ", ".join(
            part for part in (*found, volume, self.fields.get("pages", ""), doi) if part
        )


def find_document(name: str, folder: str) -> Path:
    """A file of a package, or of the checkout that this module is part of."""
    for path in (ROOM / name, CHECKOUT / folder / name):
        if path.is_file():
            return path
    raise SkitterError(f"{name} is missing from this installation; valid: install Skitter again")


@cache
def read_references() -> dict[str, Reference]:
    """All papers by key."""
    text = find_document("references.bib", "docs").read_text(encoding="utf-8")
    return {match[2]: read_entry(match) for match in ENTRY.finditer(text)}


def read_entry(match: re.Match[str]) -> Reference:
    fields = {name.lower(): make_plain(value) for name, value in FIELD.findall(match[3])}
    return Reference(match[2], match[1].lower(), fields, match[0])


def make_plain(text: str) -> str:
    """A field without what is there for LaTeX alone."""
    for written, meant in LETTERS.items():
        text = text.replace(written, meant)
    return " ".join(re.sub(r"[{}]", "", text).split())


def format_authors(names: str) -> str:
    """`A, B and C`, as they stand; more than four are the first and others."""
    authors = [" ".join(reversed(one.split(", ", 1))) for one in names.split(" and ") if one]
    if len(authors) > 4 or "others" in authors:
        return f"{authors[0]} and others"
    return " and ".join([", ".join(authors[:-1]), authors[-1]] if authors[1:] else authors)


def find_cited(text: str) -> list[str]:
    """Keys of the papers that a text names as `Gray 1933` or `Boyle et al. 2012`."""
    found = []
    for name, year in CITED.findall(text):
        for key, one in read_references().items():
            named = name in one.fields.get("author", "") and one.fields.get("year") == year
            if (named or key == f"{name.lower()}{year}") and key not in found:
                found.append(key)
    return found


@cache
def read_software() -> dict[str, Any]:
    """What CITATION.cff says of Skitter."""
    return dict(read_yaml(find_document("CITATION.cff", ".")))
