"""SiteDesign: which primitives stand on which page, checked, and readable as text."""

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from procgen_bench.core.errors import InvalidTaskError
from procgen_bench.core.task import Task
from procgen_bench.tasks.sites.library import PUBLISHED_LIBRARY, PrimitiveLibrary, ordered_fields
from procgen_bench.tasks.sites.own_check import check_own
from procgen_bench.tasks.sites.pages import MAX_BLOCKS, MAX_ELEMENTS, num_elements
from procgen_bench.tasks.sites.plain_primitives import plain_primitive, primitive_of
from procgen_bench.tasks.sites.primitive import Primitive
from procgen_bench.tasks.sites.primitives import PRIMITIVES

MAX_PAGES = 10
#: Steps of an episode: a design that needs more cannot be solved.
HORIZON = 25
#: What a page that leads on, or the last one, gets when it has no button of its own.
DEFAULT_GATE, LAST_GATE = "next_checkout", "submit"
#: Names that errors list.
MAX_SHOWN = 100
#: Elements that primitives leave free on every page for the button that it may get.
GATE_SIZE = max(PRIMITIVES[name].num_elements for name in (DEFAULT_GATE, LAST_GATE))


@dataclass(frozen=True, eq=False)
class SiteDesign(Task):
    """The pages of a site.

    Attributes:
        pages: For every page, first to last, the names of its primitives from top to bottom.
        own: The primitives among them that are not published, each once, by name.
    """

    pages: tuple[tuple[str, ...], ...]
    own: tuple[Primitive, ...] = ()

    @classmethod
    def of_pairs(
        cls, pairs: Iterable[tuple[str, int]], num_pages: int, library: PrimitiveLibrary = PUBLISHED_LIBRARY
    ) -> "SiteDesign":
        """The design that a generator's list of (primitive, page) pairs makes, pages counted from 0.

        A primitive that stands on the page already is skipped, and so is an active one with which going through all
        pages would take more than 25 steps, and one for which the page has no room: with it and a button it would have
        more than 250 elements, or 64 primitives. A page that leads on and has no button to the next gets
        ``next_checkout``; the last page gets ``submit`` if it has none (CoDE, section 6: the renderer links the pages).

        Raises:
            InvalidTaskError: The library has no such primitive, there is no such page, there are more than 10, or no
                primitive is active.
        """
        pages, _ = place_pairs(pairs, num_pages, library)
        for leading in pages[:-1]:
            if not any(primitive.leaves for primitive in leading):
                leading.append(PRIMITIVES[DEFAULT_GATE])
        if not any(primitive.submits for primitive in pages[-1]):
            pages[-1].append(PRIMITIVES[LAST_GATE])
        design = cls.of_pages(pages)
        design.validate()
        return design

    @classmethod
    def of_pages(cls, pages: Iterable[Iterable[Primitive]]) -> "SiteDesign":
        """The design of pages whose primitives are at hand."""
        every = [tuple(page) for page in pages]
        own = {p.name: p for page in every for p in page if p.name not in PRIMITIVES}
        return cls(tuple(tuple(p.name for p in page) for page in every), tuple(own[name] for name in sorted(own)))

    @cached_property
    def known(self) -> Mapping[str, Primitive]:
        """All primitives that may stand on its pages, by name."""
        return PRIMITIVES if not self.own else PRIMITIVES | {primitive.name: primitive for primitive in self.own}

    @property
    def pairs(self) -> list[tuple[str, int]]:
        """The (primitive, page) pairs, page by page."""
        return [(name, number) for number, page in enumerate(self.pages) for name in page]

    @property
    def primitives(self) -> list[Primitive]:
        """The primitives, page by page; one that stands on several pages as often."""
        return [self.known[name] for name, _ in self.pairs]

    @property
    def num_active(self) -> int:
        """Number of active primitives; on how many places of the site a field of the instruction is asked for."""
        return sum(primitive.active for primitive in self.primitives)

    @property
    def fields(self) -> tuple[str, ...]:
        """The fields of the instruction, each once, in the order of the catalogue; those of own primitives by name."""
        return ordered_fields(self.primitives)

    @property
    def num_steps(self) -> int:
        """Steps through all pages: one for every active primitive and one for every page.

        What holds its value at first needs none: a box that is to stay unchecked, a state that stands first.
        """
        return self.num_active + len(self.pages)

    def validate(self) -> None:
        """Raise :class:`InvalidTaskError` unless the design can be solved.

        It has 1 to 10 pages of known primitives, none twice on a page, at least one of them active; every page but the
        last has a button to the next one, the last one a submit button; and 25 steps are enough.
        """
        if not isinstance(self.own, tuple):
            raise InvalidTaskError("own primitives", self.own, "a tuple of primitives")
        for primitive in self.own:
            check_own(primitive)
        if not isinstance(self.pages, tuple) or not 1 <= len(self.pages) <= MAX_PAGES:
            raise InvalidTaskError("number of pages", _length(self.pages), f"a tuple of 1 to {MAX_PAGES} pages")
        for number, page in enumerate(self.pages):
            self._validate_page(number, page)
        names = [primitive.name for primitive in self.own]
        if names != sorted(set(names)) or not {name for name, _ in self.pairs}.issuperset(names):
            raise InvalidTaskError("own primitives", " ".join(names), "those of the pages, each once, by name")
        if not self.num_active:
            raise InvalidTaskError("number of active primitives", 0, "at least one that asks for a field")
        if self.num_steps > HORIZON:
            raise InvalidTaskError(
                "steps through all pages", self.num_steps, f"at most {HORIZON}: fewer active primitives or pages"
            )

    def to_text(self) -> str:
        """A line per page: the names of its primitives, separated by blanks; ``-`` for none.

        A line of JSON for each own primitive follows.
        """
        own = (json.dumps(plain_primitive(primitive), ensure_ascii=False) for primitive in self.own)
        return "\n".join([*(" ".join(page) or "-" for page in self.pages), *own])

    @classmethod
    def from_text(cls, text: str) -> "SiteDesign":
        """The design that :meth:`to_text` shows.

        Raises:
            InvalidTaskError: It is no design as :meth:`validate` wants it.
        """
        lines = text.strip().splitlines()
        pages = [line.split() for line in lines if not line.startswith("{")]
        own = [_read_primitive(line) for line in lines if line.startswith("{")]
        design = cls(tuple(() if words == ["-"] else tuple(words) for words in pages), tuple(own))
        design.validate()
        return design

    def _validate_page(self, number: int, page: Sequence[str]) -> None:
        if not isinstance(page, tuple):
            raise InvalidTaskError(f"page {number}", page, "a tuple of names of primitives")
        for place, name in enumerate(page):
            _checked(f"primitive {place} of page {number}", name, self.known)
            if name in page[:place]:
                raise InvalidTaskError(f"primitive {place} of page {number}", name, "each at most once on a page")
        last = number == len(self.pages) - 1
        if not any(self.known[name].submits if last else self.known[name].leaves for name in page):
            gates = [name for name, one in self.known.items() if (one.submits if last else one.leaves)]
            raise InvalidTaskError(f"page {number}", " ".join(page), f"a page with {' or '.join(gates)}")


def place_pairs(
    pairs: Iterable[tuple[str, int]], num_pages: int, library: PrimitiveLibrary
) -> tuple[list[list[Primitive]], int]:
    """Where (primitive, page) pairs are placed, as :meth:`SiteDesign.of_pairs` says.

    Returns:
        By page its primitives, and how many active ones are lost to the limit of 25 steps.

    Raises:
        InvalidTaskError: The library has no such primitive, there is no such page, or there are more than 10.
    """
    if not 1 <= num_pages <= MAX_PAGES:
        raise InvalidTaskError("number of pages", num_pages, f"1 to {MAX_PAGES}")
    pages: list[list[Primitive]] = [[] for _ in range(num_pages)]
    steps, num_lost = num_pages, 0
    for number, (name, page) in enumerate(pairs):
        primitive = _checked(f"primitive {number}", name, library.known)
        if not 0 <= page < num_pages:
            raise InvalidTaskError(f"page of primitive {number} ({name})", page, f"0 to {num_pages - 1}")
        if primitive in pages[page]:
            continue
        if primitive.active and steps == HORIZON:
            num_lost += 1
            continue
        if not has_room(pages[page], primitive):
            continue
        steps += primitive.active
        pages[page].append(primitive)
    return pages, num_lost


def has_room(page: Sequence[Primitive], primitive: Primitive) -> bool:
    """Whether a page takes a primitive more, and then a button."""
    return num_elements([*page, primitive]) + GATE_SIZE <= MAX_ELEMENTS and len(page) + 2 <= MAX_BLOCKS


def _checked(place: str, name: Any, known: Mapping[str, Primitive]) -> Primitive:
    if isinstance(name, str) and name in known:
        return known[name]
    shown = [*known][:MAX_SHOWN]
    raise InvalidTaskError(place, name, f"one of {', '.join(shown)}{', ...' if len(known) > len(shown) else ''}")


def _read_primitive(line: str) -> Primitive:
    try:
        parts = json.loads(line)
    except (ValueError, RecursionError) as error:
        raise InvalidTaskError("line of an own primitive", f"{line[:60]}...", f"JSON ({error})") from None
    return primitive_of(parts)


def _length(pages: object) -> object:
    return len(pages) if isinstance(pages, tuple) else pages
