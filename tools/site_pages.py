"""What MkDocs cannot know by itself: pages from outside of docs/, and the order of all pages.

README.md is the home page, CONTRIBUTING.md and CHANGELOG.md are pages, each script of examples/ is
one. Links between files of the checkout, which is how they are written for readers of the
repository, become links between pages. The order below names pages that may be there; whatever
else there is stands at the end of its part, so that a new page needs no entry here.
"""

import posixpath
import re
from pathlib import Path
from typing import Any

from mkdocs.structure.files import File, Files

HOME = Path(__file__).resolve().parents[1]
LINK = re.compile(r"(!?\[[^\]]*\]\()([^)#\s]+)([^)]*\))")
FENCE = re.compile(r"^(```.*?^```[ \t]*$)", re.DOTALL | re.MULTILINE)
ORDER: dict[str, list[str]] = {
    "Tutorial": ["tutorial.md", "installation.md"],
    "How to": [
        *("studio.md", "exports.md", "rigs.md", "swimming.md", "worms.md", "roaches.md"),
        *("climbers.md", "tuning.md", "sweeps.md", "clusters.md", "learning.md", "behaviour.md"),
    ],
    "Reference": ["reference/command-line.md", "scenes.md", "species.md", "recordings.md"],
    "Models": ["models/index.md"],
    "Gallery": ["gallery.md"],
    "Claims": ["claims.md", "performance.md"],
    "Project": ["architecture.md", "CONTRIBUTING.md", "CHANGELOG.md", "decisions/index.md"],
}
FOLDERS = {"examples": "Tutorial", "reference": "Reference", "models": "Models"}
FOLDERS |= {"decisions": "Project"}
REST = "How to"  # the part of a page that is named nowhere


def make_site_path(path: str) -> str:
    """Where a file of the checkout is found in the site."""
    if path == "README.md":
        return "index.md"
    if path == "docs/decisions":
        return "decisions/index.md"
    if path.startswith("examples/"):
        return str(Path(path).with_suffix(".md"))
    return path.removeprefix("docs/")


def find_home(page: str) -> str:
    """The file of the checkout that a page of the site comes from."""
    if page == "index.md":
        return "README.md"
    return page if page in ("CONTRIBUTING.md", "CHANGELOG.md") else f"docs/{page}"


def move_links(markdown: str, page: str) -> str:
    """Links as they are in the checkout, made to lead to the same thing in the site."""
    folder = posixpath.dirname(find_home(page))

    def move(match: re.Match[str]) -> str:
        target = match[2]
        if re.match(r"\w+:", target):
            return match[0]
        found = make_site_path(posixpath.normpath(posixpath.join(folder, target)))
        return f"{match[1]}{posixpath.relpath(found, posixpath.dirname(page) or '.')}{match[3]}"

    pieces = FENCE.split(markdown)
    return "".join(piece if piece.startswith("```") else LINK.sub(move, piece) for piece in pieces)


def on_files(files: Files, config: Any) -> Files:
    """Add the pages that live elsewhere, and set the order of all."""
    for name in ("README.md", "CONTRIBUTING.md", "CHANGELOG.md"):
        add_page(files, config, make_site_path(name), (HOME / name).read_text())
    for path in sorted((HOME / "examples").glob("*.py")):
        add_page(files, config, f"examples/{path.stem}.md", show_script(path))
    add_page(files, config, "decisions/index.md", list_decisions())
    pages = [file.src_uri for file in files.documentation_pages()]
    config["nav"] = build_order(pages)
    return files


def add_page(files: Files, config: Any, path: str, text: str) -> None:
    files.append(File.generated(config, path, content=text))


def show_script(path: Path) -> str:
    """A page of a script: what it is, and all of it."""
    text = path.read_text()
    title = path.stem[3:].replace("_", " ").capitalize()
    about = text.split('"""')[1].partition("\n")[0]
    return f"# {title}\n\n{about}\n\n```python\n{text}```\n"


def list_decisions() -> str:
    lines = ["# Decisions\n", "Choices that would be costly to undo, one page each.\n"]
    for path in sorted((HOME / "docs" / "decisions").glob("[0-9]*.md")):
        lines.append(f"- [{read_title(path)}]({path.name})")
    return "\n".join(lines) + "\n"


def read_title(path: Path) -> str:
    return path.read_text().partition("\n")[0].removeprefix("# ")


def build_order(pages: list[str]) -> list[Any]:
    """The parts of the site, each with the pages there are."""
    parts = {part: [page for page in named if page in pages] for part, named in ORDER.items()}
    placed = {page for named in parts.values() for page in named}
    for page in sorted(pages):
        if page != "index.md" and page not in placed:
            parts[FOLDERS.get(page.partition("/")[0], REST)].append(page)
    return ["index.md", *({part: named} for part, named in parts.items() if named)]


def on_page_markdown(markdown: str, page: Any, **_: Any) -> str:
    if page.file.src_uri.startswith("examples/") or page.file.src_uri == "decisions/index.md":
        return markdown
    return move_links(markdown, page.file.src_uri)
