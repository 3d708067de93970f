"""The code blocks of README, of CONTRIBUTING.md and of the site's pages, and what a comment before a block says of it.

``<!-- slow -->``: it runs among the slow tests; ``<!-- slow, steps N -->``: with ``train ... --steps N``;
``<!-- slow, file NAME -->``: it is not run, but written to a file of this name, which later blocks use;
``<!-- tested by FILE -->``: a test of its own runs it.

The slow tests install what a page says that it needs: ``needs the extras `A` and `B```, or ``pip install ".[A]"``.
"""

import re
from dataclasses import dataclass
from pathlib import Path

from tests.architecture.checkout import CHECKOUT

_DOCS = CHECKOUT / "docs"
PAGES = [
    CHECKOUT / "README.md",
    CHECKOUT / "CONTRIBUTING.md",
    *sorted([*_DOCS.glob("*.md"), *_DOCS.glob("results/*.md"), *_DOCS.glob("tutorials/*.md")]),
]
_BLOCK = re.compile(r"(?:^<!-- (?P<note>[^\n]*) -->\n)?^```(?P<language>\w*)\n(?P<text>.*?)^```$", re.M | re.S)
_NEEDED = re.compile(r"needs the extras? ((?:`\w+`(?: \([^)]*\))?(?:, | and |, and )?)+)")
_INSTALLED = re.compile(r"pip install .*\"(?:\.|procgen-bench)\[([\w,]+)\]\"")
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
    def steps(self) -> str:
        """The steps that its runs are trained for in the place of its own; empty: for its own."""
        return self.note.partition("steps ")[2]

    @property
    def is_run(self) -> bool:
        """Whether no test of its own runs it."""
        return not self.note.startswith("tested by ")

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


def extras_of(page: Path) -> tuple[str, ...]:
    """The extras that a page says it needs."""
    text = page.read_text()
    named = [name for words in _NEEDED.findall(text.replace("\n", " ")) for name in re.findall(r"`(\w+)`", words)]
    installed = [name for names in _INSTALLED.findall(text) for name in names.split(",")]
    return tuple(sorted({*named, *installed}))


def commands_in_words(page: Path) -> list[str]:
    """Commands within a page's sentences; those with a placeholder, which is in capitals, are left out."""
    found = _INLINE.findall(_BLOCK.sub("", page.read_text()).replace("\n", " "))
    return [command for command in found if not re.search(r"\b[A-Z]{2,}\b|\.\.\.", command)]
