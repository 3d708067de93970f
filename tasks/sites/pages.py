"""Pages: where the elements of a design's primitives stand, one below the other."""

from collections.abc import Iterator
from functools import lru_cache
from typing import NamedTuple

from procgen_bench.tasks.sites.elements import NO_BOX, Box, Element
from procgen_bench.tasks.sites.primitives import EVERY_PRIMITIVE, PRIMITIVES, decoy_name, primitives_in
from procgen_bench.tasks.sites.templates import PAGE_WIDTH
from procgen_bench.tasks.sites.variation import PUBLISHED_LOOK, Look

#: Elements around the blocks of every page, with their classes: the page itself, and the form in a grid.
PAGE_TAGS = ("main", "div", "div", "div", "form")
PAGE_CLASSES = ("page", "container", "row", "column", "form")
PAGE_MARGIN = 8
#: Elements that a page may have (CoDE's observations are filled up to as many).
MAX_ELEMENTS = 250


class PlacedElement(NamedTuple):
    """An element of a page.

    Attributes:
        element: The element.
        depth: How many elements are around it.
        parent: Index on the page of the one directly around it; -1 of the first.
        box: Where it is drawn on the page (an element or one around it that is hidden is not drawn).
        block: Place of its primitive on the page; -1 of the elements around the blocks.
    """

    element: Element
    depth: int
    parent: int
    box: Box
    block: int


def shown_page(page: tuple[str, ...], decoys: str) -> tuple[str, ...]:
    """The primitives of a page with decoys ``"before"`` or ``"after"`` its active ones, or with ``"none"``."""
    if decoys == "none":
        return page
    shown: list[str] = []
    for name in page:
        pair = [name]
        if PRIMITIVES[name].active and decoy_name(name) in EVERY_PRIMITIVE:
            pair.insert(0 if decoys == "before" else 1, decoy_name(name))
        shown += pair
    return tuple(shown)


def num_elements(page: tuple[str, ...], look: Look = PUBLISHED_LOOK) -> int:
    """Elements of a page, those around its primitives included."""
    primitives = primitives_in(look)
    return len(PAGE_TAGS) + sum(len(primitives[name].root) for name in page)


def page_height(page: tuple[str, ...], look: Look = PUBLISHED_LOOK) -> int:
    """Height of a page in pixels."""
    primitives = primitives_in(look)
    return 2 * PAGE_MARGIN + sum(primitives[name].height for name in page)


@lru_cache(maxsize=4096)
def placed_elements(page: tuple[str, ...], look: Look = PUBLISHED_LOOK) -> tuple[PlacedElement, ...]:
    """All elements of a page, in the order of the document."""
    whole = Box(0, 0, PAGE_WIDTH, page_height(page, look))
    placed = [
        PlacedElement(Element(tag, whole, (class_,)), depth, depth - 1, whole, -1)
        for depth, (tag, class_) in enumerate(zip(PAGE_TAGS, PAGE_CLASSES))
    ]
    primitives = primitives_in(look)
    top = PAGE_MARGIN
    for block, name in enumerate(page):
        placed += _placed(primitives[name].root, len(PAGE_TAGS), len(PAGE_TAGS) - 1, len(placed), top, block)
        top += primitives[name].height
    return tuple(placed)


def _placed(element: Element, depth: int, parent: int, index: int, top: int, block: int) -> Iterator[PlacedElement]:
    box = element.box
    on_page = NO_BOX if box == NO_BOX else Box(box.left, box.top + top, box.width, box.height)
    yield PlacedElement(element, depth, parent, on_page, block)
    at = index + 1
    for child in element.children:
        yield from _placed(child, depth + 1, index, at, top, block)
        at += len(child)
