"""Compiled rules of a page: put together out of its primitives, and what of it is shown.

Arguments: ``i`` is the row; ``sites``, ``pages`` and ``view`` are the arrays of
:mod:`procgen_bench.envs.web.site_arrays`; ``elements`` and ``primitives`` the libraries of
:mod:`procgen_bench.tasks.sites.library`.
"""

from numba import njit

from procgen_bench.tasks.sites.elements import HIDDEN, Behaviour
from procgen_bench.tasks.sites.library import NOTHING, NUM_CLASSES, page_elements
from procgen_bench.tasks.sites.pages import PAGE_MARGIN, PAGE_TAGS
from procgen_bench.tasks.sites.templates import PAGE_WIDTH
from procgen_bench.tasks.sites.vocabulary import TEXT_LENGTH, token

_NUM_AROUND = len(PAGE_TAGS)
_AROUND_TAGS, _AROUND_CLASSES = page_elements()
_HIDDEN = token(HIDDEN)
_NO_BEHAVIOUR = int(Behaviour.NONE)


@njit(cache=True)
def show_page(i, sites, pages, elements, primitives, view):
    """Put the row's current page together; nothing of it is filled in."""
    number = pages.numbers[i]
    old_count = pages.num_elements[i]
    _forget(i, old_count, pages, view)
    at, top = _NUM_AROUND, PAGE_MARGIN
    for block in range(sites.page_sizes[i, number]):
        primitive = sites.primitives[i, number, block]
        pages.block_starts[i, block], pages.block_tops[i, block] = at, top
        at = _put(i, block, elements.starts[primitive], elements.starts[primitive + 1], at, pages, elements, view)
        top += primitives.heights[primitive]
    _put_around(i, top + PAGE_MARGIN, pages, view)
    pages.num_elements[i] = at
    draw(i, _NUM_AROUND, at, pages, elements, view)
    _clear(i, at, old_count, view)


@njit(cache=True)
def turn(i, holder, direction, pages, elements, view):
    """Of the elements directly inside ``holder`` show the next one (direction 1) or the one before (-1) for the shown.

    After the last comes the first.
    """
    end = holder + elements.sizes[pages.elements[i, holder]]
    first, before, shown, after, last = holder + 1, NOTHING, NOTHING, NOTHING, NOTHING
    child = first
    while child < end:
        if not pages.hidden[i, child]:
            shown, before = child, last
        elif shown != NOTHING and after == NOTHING:
            after = child
        last = child
        child += elements.sizes[pages.elements[i, child]]
    following = after if direction > 0 else before
    if following == NOTHING:
        following = first if direction > 0 else last
    set_hidden(i, shown, True, pages, elements, view)
    set_hidden(i, following, False, pages, elements, view)


@njit(cache=True)
def set_hidden(i, element, hidden, pages, elements, view):
    """Hide or show an element with all inside it."""
    inside = pages.elements[i, element]
    pages.hidden[i, element] = hidden
    view.classes[i, element, elements.state_places[inside]] = _HIDDEN if hidden else 0
    draw(i, element, element + elements.sizes[inside], pages, elements, view)


@njit(cache=True)
def draw(i, first, end, pages, elements, view):
    """Which elements of [first, end) are shown, and where; those around them are known."""
    for element in range(first, end):
        inside = pages.elements[i, element]
        shown = (
            not pages.hidden[i, element] and pages.shown[i, view.parents[i, element]] and elements.boxes[inside, 2] > 0
        )
        pages.shown[i, element] = shown
        view.element_masks[i, element] = shown and elements.behaviours[inside] != _NO_BEHAVIOUR
        for k in range(4):
            view.boxes[i, element, k] = elements.boxes[inside, k] if shown else 0
        if shown:
            view.boxes[i, element, 1] += pages.block_tops[i, pages.blocks[i, element]]


@njit(cache=True)
def _forget(i, count, pages, view):
    """What was done to the first ``count`` elements is gone with them."""
    pages.focus[i] = NOTHING
    pages.right[i] = False
    for element in range(count):
        pages.hidden[i, element] = False
        pages.checked[i, element] = False
        pages.typed[i, element] = NOTHING
        view.active[i, element] = 0
        for k in range(TEXT_LENGTH):
            view.values[i, element, k] = 0


@njit(cache=True)
def _put(i, block, first, end, at, pages, elements, view):
    """Put a primitive's elements [first, end) of the library at index ``at`` of the page; the index after them."""
    start = at
    for inside in range(first, end):
        pages.elements[i, at], pages.blocks[i, at] = inside, block
        view.tags[i, at], view.depths[i, at] = elements.tags[inside], elements.depths[inside]
        above = elements.parents[inside]
        view.parents[i, at] = _NUM_AROUND - 1 if above == NOTHING else start + above
        for k in range(NUM_CLASSES):
            view.classes[i, at, k] = elements.classes[inside, k]
        for k in range(TEXT_LENGTH):
            view.texts[i, at, k] = elements.texts[inside, k]
            view.attributes[i, at, k] = elements.attributes[inside, k]
        if elements.hidden[inside]:
            pages.hidden[i, at] = True
            view.classes[i, at, elements.state_places[inside]] = _HIDDEN
        at += 1
    return at


@njit(cache=True)
def _put_around(i, height, pages, view):
    """Put the elements around the blocks of a page of this height."""
    for element in range(_NUM_AROUND):
        pages.elements[i, element], pages.blocks[i, element] = NOTHING, NOTHING
        pages.shown[i, element] = True
        view.tags[i, element], view.depths[i, element] = _AROUND_TAGS[element], element
        view.parents[i, element] = element - 1
        view.classes[i, element] = _AROUND_CLASSES[element]
        view.texts[i, element], view.attributes[i, element] = 0, 0
        view.boxes[i, element, 0], view.boxes[i, element, 1] = 0, 0
        view.boxes[i, element, 2], view.boxes[i, element, 3] = PAGE_WIDTH, height
        view.element_masks[i, element] = 0


@njit(cache=True)
def _clear(i, first, end, view):
    """Nothing stands at [first, end) any more."""
    for element in range(first, end):
        view.tags[i, element], view.depths[i, element], view.parents[i, element] = 0, 0, 0
        view.classes[i, element], view.texts[i, element], view.attributes[i, element] = 0, 0, 0
        view.boxes[i, element], view.element_masks[i, element] = 0, 0
