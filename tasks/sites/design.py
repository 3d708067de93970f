"""SiteDesign: which primitives stand on which page, checked, and readable as text."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from procgen_bench.core.errors import InvalidTaskError, UnknownNameError
from procgen_bench.core.task import Task
from procgen_bench.tasks.sites.primitives import FIELDS, PRIMITIVES, Primitive, find_primitive

MAX_PAGES = 10
#: Steps of an episode: a design that needs more cannot be solved.
HORIZON = 25
#: What a page that leads on, or the last one, gets when it has no button of its own.
DEFAULT_GATE, LAST_GATE = "next_checkout", "submit"


@dataclass(frozen=True, eq=False)
class SiteDesign(Task):
    """The pages of a site.

    Attributes:
        pages: For every page, first to last, the names of its primitives from top to bottom.
    """

    pages: tuple[tuple[str, ...], ...]

    @classmethod
    def of_pairs(cls, pairs: Iterable[tuple[str, int]], num_pages: int) -> "SiteDesign":
        """The design that a generator's list of (primitive, page) pairs makes, pages counted from 0.

        A primitive that stands on the page already is skipped, and so is an active one with which going through all
        pages would take more than 25 steps. A page that leads on and has no button to the next gets ``next_checkout``;
        the last page gets ``submit`` if it has none (CoDE, section 6: the renderer links the pages).

        Raises:
            InvalidTaskError: No such primitive or page, more than 10 pages, or no active primitive.
        """
        if not 1 <= num_pages <= MAX_PAGES:
            raise InvalidTaskError("number of pages", num_pages, f"1 to {MAX_PAGES}")
        pages: list[list[str]] = [[] for _ in range(num_pages)]
        steps = num_pages
        for number, (name, page) in enumerate(pairs):
            primitive = _checked(f"primitive {number}", name)
            if not 0 <= page < num_pages:
                raise InvalidTaskError(f"page of primitive {number} ({name})", page, f"0 to {num_pages - 1}")
            if name in pages[page] or (primitive.active and steps == HORIZON):
                continue
            steps += primitive.active
            pages[page].append(name)
        for names in pages[:-1]:
            if not any(PRIMITIVES[name].leaves for name in names):
                names.append(DEFAULT_GATE)
        if not any(PRIMITIVES[name].submits for name in pages[-1]):
            pages[-1].append(LAST_GATE)
        design = cls(tuple(map(tuple, pages)))
        design.validate()
        return design

    @property
    def pairs(self) -> list[tuple[str, int]]:
        """The (primitive, page) pairs, page by page."""
        return [(name, number) for number, page in enumerate(self.pages) for name in page]

    @property
    def primitives(self) -> list[Primitive]:
        """The primitives, page by page; one that stands on several pages as often."""
        return [PRIMITIVES[name] for name, _ in self.pairs]

    @property
    def num_active(self) -> int:
        """Number of active primitives; on how many places of the site a field of the instruction is asked for."""
        return sum(primitive.active for primitive in self.primitives)

    @property
    def fields(self) -> tuple[str, ...]:
        """The fields of the instruction, each once, in the order of the catalogue."""
        asked = {primitive.field for primitive in self.primitives}
        return tuple(field for field in FIELDS if field in asked)

    @property
    def num_steps(self) -> int:
        """Steps through all pages: one for every active primitive and one for every page.

        What holds its value at first needs none: a box that is to stay unchecked, a state that stands first.
        """
        return self.num_active + len(self.pages)

    def validate(self) -> None:
        """Raise :class:`InvalidTaskError` unless the design can be solved.

        It has 1 to 10 pages of known primitives, none twice on a page, at least one of them active; every page but the
        last has a button to the next one, the last one that which sends off; and 25 steps are enough.
        """
        if not isinstance(self.pages, tuple) or not 1 <= len(self.pages) <= MAX_PAGES:
            raise InvalidTaskError("number of pages", _length(self.pages), f"a tuple of 1 to {MAX_PAGES} pages")
        for number, page in enumerate(self.pages):
            self._validate_page(number, page)
        if not self.num_active:
            raise InvalidTaskError("number of active primitives", 0, "at least one that asks for a field")
        if self.num_steps > HORIZON:
            raise InvalidTaskError(
                "steps through all pages", self.num_steps, f"at most {HORIZON}: fewer active primitives or pages"
            )

    def to_text(self) -> str:
        """A line per page: the names of its primitives, separated by blanks; ``-`` for none."""
        return "\n".join(" ".join(page) or "-" for page in self.pages)

    @classmethod
    def from_text(cls, text: str) -> "SiteDesign":
        """The design that :meth:`to_text` shows.

        Raises:
            InvalidTaskError: It is no design as :meth:`validate` wants it.
        """
        lines = [line.split() for line in text.strip().splitlines()]
        design = cls(tuple(() if words == ["-"] else tuple(words) for words in lines))
        design.validate()
        return design

    def _validate_page(self, number: int, page: Sequence[str]) -> None:
        if not isinstance(page, tuple):
            raise InvalidTaskError(f"page {number}", page, "a tuple of names of primitives")
        for place, name in enumerate(page):
            _checked(f"primitive {place} of page {number}", name)
            if name in page[:place]:
                raise InvalidTaskError(f"primitive {place} of page {number}", name, "each at most once on a page")
        last = number == len(self.pages) - 1
        if not any(PRIMITIVES[name].submits if last else PRIMITIVES[name].leaves for name in page):
            gates = [name for name, one in PRIMITIVES.items() if (one.submits if last else one.leaves)]
            raise InvalidTaskError(f"page {number}", " ".join(page), f"a page with {' or '.join(gates)}")


def _checked(place: str, name: Any) -> Primitive:
    try:
        return find_primitive(name)
    except (UnknownNameError, TypeError):
        raise InvalidTaskError(place, name, f"one of {', '.join(PRIMITIVES)}") from None


def _length(pages: object) -> object:
    return len(pages) if isinstance(pages, tuple) else pages
