"""Pages: where the elements of a design's primitives stand, one below the other."""

from collections.abc import Callable, Iterable, Iterator
from functools import lru_cache
from typing import NamedTuple

from procgen_bench.tasks.sites.elements import NO_BOX, Box, Element
from procgen_bench.tasks.sites.primitive import Primitive, spaced
from procgen_bench.tasks.sites.primitives import decoy_name, primitives_in
from procgen_bench.tasks.sites.templates import PAGE_WIDTH
from procgen_bench.tasks.sites.variation import BEFORE, Look

#: Elements around the blocks of every page, with their classes: the page itself, and the form in a grid.
PAGE_TAGS = ("main", "div", "div", "div", "form")
PAGE_CLASSES = ("page", "container", "row", "column", "form")
PAGE_MARGIN = 8
#: Elements that a page may have (CoDE's observations are filled up to as many).
MAX_ELEMENTS = 250
#: Primitives that a page may have, decoys included.
MAX_BLOCKS = 64
#: Height of a primitive's block in pixels: pages of as many stay below the greatest number that is observed.
MAX_HEIGHT = 480

#: What is shown of a page: its primitives in their look, decoys included, from top to bottom.
Page = tuple[Primitive, ...]


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


def shown_page(page: Iterable[Primitive], look: Look, side: Callable[[str], str] | None = None) -> Page:
    """What is shown of a page's primitives in a look.

    Args:
        page: The primitives. The look of those that are not published is the distance to the next one alone.
        look: The look.
        side: By name of a primitive on which side of it its decoy stands, if it has one; ``None``: there are none.
    """
    published = primitives_in(look)
    shown: list[Primitive] = []
    for primitive in page:
        pair = [published.get(primitive.name) or spaced(primitive, look.gap)]
        decoy = published.get(decoy_name(primitive.name))
        if decoy is not None and side is not None:
            pair.insert(0 if side(primitive.name) == BEFORE else 1, decoy)
        shown += pair
    return tuple(shown)


def num_elements(page: Iterable[Primitive]) -> int:
    """Elements of a page, those around its primitives included."""
    return len(PAGE_TAGS) + sum(primitive.num_elements for primitive in page)


def page_height(page: Iterable[Primitive]) -> int:
    """Height of a page in pixels."""
    return 2 * PAGE_MARGIN + sum(primitive.height for primitive in page)


@lru_cache(maxsize=4096)
def placed_elements(page: Page) -> tuple[PlacedElement, ...]:
    """All elements of a page, in the order of the document."""
    whole = Box(0, 0, PAGE_WIDTH, page_height(page))
    placed = [
        PlacedElement(Element(tag, whole, (class_,)), depth, depth - 1, whole, -1)
        for depth, (tag, class_) in enumerate(zip(PAGE_TAGS, PAGE_CLASSES))
    ]
    top = PAGE_MARGIN
    for block, primitive in enumerate(page):
        placed += _placed(primitive.root, len(PAGE_TAGS), len(PAGE_TAGS) - 1, len(placed), top, block)
        top += primitive.height
    return tuple(placed)


@lru_cache(maxsize=4096)
def placed_block(primitive: Primitive) -> tuple[PlacedElement, ...]:
    """The elements of a primitive at the top of a page; indices are counted from its own first element."""
    return tuple(_placed(primitive.root, len(PAGE_TAGS), -1, 0, 0, 0))


def _placed(element: Element, depth: int, parent: int, index: int, top: int, block: int) -> Iterator[PlacedElement]:
    box = element.box
    on_page = NO_BOX if box == NO_BOX else Box(box.left, box.top + top, box.width, box.height)
    yield PlacedElement(element, depth, parent, on_page, block)
    at = index + 1
    for child in element.children:
        yield from _placed(child, depth + 1, index, at, top, block)
        at += len(child)
