"""What the documents tell people to type: blocks of commands, Python and YAML, page by page."""

import re
import shlex
from pathlib import Path
from typing import NamedTuple

HOME = Path(__file__).resolve().parents[1]
BLOCK = re.compile(r"^```(\w*)\n(.*?)^```", re.DOTALL | re.MULTILINE)
INLINE = re.compile(r"`((?:\.venv/bin/)?skitter [a-z]+[^`\n]*)`")
FILE = re.compile(r"`([\w-]+\.yaml)`")
# Programs that lines begin with.
PROGRAMS = ("skitter", "make", "python", "povray", "dask", "sbatch", "pip", "apt-get")


class Block(NamedTuple):
    """Lines between two fences, and the name of the file that the text before says they are."""

    language: str
    text: str
    file: str | None
    line: int


class Command(NamedTuple):
    """One line to type; `fails` where the page says that it does."""

    words: list[str]
    fails: bool
    line: int

    @property
    def program(self) -> str:
        return self.words[0].rpartition("/")[2]

    def __str__(self) -> str:
        return shlex.join(self.words)


def list_pages() -> list[str]:
    """All documents that people read, from the checkout's root; reports of runs say no commands."""
    paths = [HOME / "README.md", HOME / "CONTRIBUTING.md", *sorted(HOME.glob("docs/**/*.md"))]
    return [str(path.relative_to(HOME)) for path in paths]


def list_blocks(page: str) -> list[Block]:
    text = (HOME / page).read_text()
    found = []
    for match in BLOCK.finditer(text):
        before = text[: match.start()]
        said = FILE.findall(before.rpartition("\n```")[2][-200:])
        named = re.match(r"# ([\w-]+\.yaml)\n", match[2])
        name = named[1] if named else (said[-1] if said else None)
        found.append(Block(match[1], match[2], name, before.count("\n") + 1))
    return found


def list_commands(page: str) -> list[Command]:
    """Lines of shell blocks, and of blocks without a language that begin with a program of ours."""
    return [
        command
        for block in list_blocks(page)
        if block.language in ("sh", "")
        for command in read_commands(block)
    ]


def read_commands(block: Block) -> list[Command]:
    found = []
    for number, line in enumerate(re.sub(r"\\\n\s*", " ", block.text).splitlines()):
        words = shlex.split(line, comments=True)
        if words and words[0].rpartition("/")[2] in PROGRAMS:
            found.append(Command(words, "# fails" in line, block.line + number + 1))
        elif words and block.language == "sh":
            raise ValueError(f"a command that is not known: {line}")
    return found


def list_inline(page: str) -> list[str]:
    """Commands in the middle of a sentence, which may leave out what they need."""
    text = BLOCK.sub("", (HOME / page).read_text())
    return INLINE.findall(text)
