"""The code blocks of README, of CONTRIBUTING.md and of the site's pages, and what a comment before a block says of it.

``<!-- slow -->``: it runs among the slow tests; ``<!-- slow, needs PACKAGE -->``: where that is installed, too;
``<!-- slow, file NAME -->``: it is not run, but written to a file of this name, which later blocks use;
``<!-- tested by FILE -->``: a test of its own runs it.
"""

import re
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path

from tests.architecture.checkout import CHECKOUT

_DOCS = CHECKOUT / "docs"
PAGES = [
    CHECKOUT / "README.md",
    CHECKOUT / "CONTRIBUTING.md",
    *sorted([*_DOCS.glob("*.md"), *_DOCS.glob("results/*.md"), *_DOCS.glob("tutorials/*.md")]),
]
_BLOCK = re.compile(r"(?:^<!-- (?P<note>[^\n]*) -->\n)?^```(?P<language>\w*)\n(?P<text>.*?)^```$", re.M | re.S)
_INLINE = re.compile(r"`(procgen-bench [^`]+)`")


@dataclass(frozen=True)
class Block:
    """One code block: the page that it stands on, its language, its text, and the words of the comment before it."""

    page: Path
    language: str
    text: str
    note: str

    @property
    def is_slow(self) -> bool:
        """Whether it runs among the slow tests."""
        return self.note.startswith("slow")

    @property
    def file(self) -> str:
        """Name of the file that the block is written to; empty: it is run."""
        return self.note.partition("file ")[2]

    @property
    def is_run(self) -> bool:
        """Whether it can be run here, and no test of its own runs it."""
        _, _, package = self.note.partition("needs ")
        return not self.note.startswith("tested by ") and (not package or find_spec(package) is not None)

    @property
    def commands(self) -> list[str]:
        """The lines that are commands of ours, without comments."""
        if self.language == "python":
            return []
        lines = self.text.replace("\\\n", " ").splitlines()
        return [line.split("  #")[0].strip() for line in lines if line.startswith("procgen-bench ")]


def blocks_of(page: Path) -> list[Block]:
    """A page's code blocks."""
    found = _BLOCK.finditer(page.read_text())
    return [Block(page, one["language"], one["text"], one["note"] or "") for one in found]


def commands_in_words(page: Path) -> list[str]:
    """Commands within a page's sentences; those with a placeholder, which is in capitals, are left out."""
    found = _INLINE.findall(_BLOCK.sub("", page.read_text()).replace("\n", " "))
    return [command for command in found if not re.search(r"\b[A-Z]{2,}\b|\.\.\.", command)]
