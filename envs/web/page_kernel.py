"""Compiled rules of a page: put together out of its primitives, and what of it is shown.

Arguments: ``i`` is the row; ``sites`` and ``view`` are the arrays of :mod:`procgen_bench.envs.web.site_arrays`, and
``page`` is the row's PAGE; ``elements`` and ``primitives`` are those of
:class:`~procgen_bench.envs.web.site_tables.SiteTables`.
Tokens are copied one by one: Numba's assignment of one array to another compiles an error's words with it, for seconds.
"""

from procgen_bench.core.compiled import njit
from procgen_bench.tasks.sites.element_arrays import LEFT_ALONE, NOTHING, NUM_CLASSES, page_elements
from procgen_bench.tasks.sites.elements import HIDDEN, Behaviour
from procgen_bench.tasks.sites.pages import PAGE_MARGIN, PAGE_TAGS
from procgen_bench.tasks.sites.templates import PAGE_WIDTH
from procgen_bench.tasks.sites.vocabulary import TEXT_LENGTH, token

_NUM_AROUND = len(PAGE_TAGS)
_AROUND_TAGS, _AROUND_CLASSES = page_elements()
_HIDDEN = token(HIDDEN)
_NO_BEHAVIOUR, _CHOOSE = int(Behaviour.NONE), int(Behaviour.CHOOSE)


@njit
def show_page(i, sites, page, elements, primitives, view):
    """Put the row's current page together, as it is at first; all that is shown of it is new."""
    number = page.number
    old_count = page.num_elements
    _forget(i, old_count, page, view)
    at, top = _NUM_AROUND, PAGE_MARGIN
    for block in range(sites.page_sizes[i, number]):
        primitive = sites.primitives[i, number, block]
        page.block_starts[block], page.block_tops[block] = at, top
        at = _put(i, block, primitives[primitive].start, primitives[primitive].end, at, page, elements, view)
        top += primitives[primitive].height
        place = sites.asked[i, number, block]
        page.right[block] = place == LEFT_ALONE or (
            place != NOTHING and primitives[primitive].initial == sites.value_ids[i, place]
        )
    _put_around(i, top + PAGE_MARGIN, page, view)
    page.num_elements = at
    draw(i, _NUM_AROUND, at, page, elements, view)
    _clear(i, at, old_count, view)


@njit
def set_hidden(i, element, hidden, page, elements, view):
    """Hide or show an element with all inside it; its whole block is drawn, for another option may be the first now."""
    page.hidden[element] = hidden
    view.classes[i, element, elements[page.elements[element]].state_place] = _HIDDEN if hidden else 0
    first = page.block_starts[page.blocks[element]]
    draw(i, first, first + elements[page.elements[first]].size, page, elements, view)


@njit
def is_usable(element, page, elements):
    """Whether an element of the page is drawn, and something is done by using it."""
    inside = page.elements[element]
    return page.shown[element] and inside != NOTHING and elements[inside].behaviour != _NO_BEHAVIOUR


@njit
def _is_further_option(element, page, elements):
    """Whether an option is drawn before this one, of the same group: those of its block."""
    if elements[page.elements[element]].behaviour == _CHOOSE:
        for other in range(page.block_starts[page.blocks[element]], element):
            if page.shown[other] and elements[page.elements[other]].behaviour == _CHOOSE:
                return True
    return False


@njit
def draw(i, first, end, page, elements, view):
    """Which elements of [first, end) are shown, and where; those around them are known."""
    for element in range(first, end):
        inside = page.elements[element]
        shown = not page.hidden[element] and page.shown[view.parents[i, element]] and elements[inside].box[2] > 0
        if shown and not page.shown[element]:
            view.new[i, element], page.has_new = 1, 1
        page.shown[element] = shown
        counts = shown and (view.all_present or is_usable(element, page, elements))
        view.element_masks[i, element] = counts and not (view.grouped and _is_further_option(element, page, elements))
        for k in range(4):
            view.boxes[i, element, k] = elements[inside].box[k] if shown else 0
        if shown:
            view.boxes[i, element, 1] += page.block_tops[page.blocks[element]]


@njit
def _forget(i, count, page, view):
    """What was done to the first ``count`` elements is gone with them."""
    page.focus = NOTHING
    for block in range(page.right.shape[0]):
        page.right[block] = False
    for element in range(count):
        page.hidden[element], page.shown[element] = False, False
        page.checked[element] = False
        page.held[element] = NOTHING
        view.active[i, element], view.filled[i, element], view.new[i, element] = 0, 0, 0
        for k in range(TEXT_LENGTH):
            view.element_values[i, element, k] = 0


@njit
def _put(i, block, first, end, at, page, elements, view):
    """Put a primitive's elements [first, end) of the library at index ``at`` of the page; the index after them."""
    start = at
    for inside in range(first, end):
        page.elements[at], page.blocks[at] = inside, block
        view.tags[i, at], view.depths[i, at] = elements[inside].tag, elements[inside].depth
        above = elements[inside].parent
        view.parents[i, at] = _NUM_AROUND - 1 if above == NOTHING else start + above
        for k in range(NUM_CLASSES):
            view.classes[i, at, k] = elements[inside].classes[k]
        for k in range(TEXT_LENGTH):
            view.texts[i, at, k] = elements[inside].text[k]
            view.attributes[i, at, k] = elements[inside].attributes[k]
        if elements[inside].hidden:
            page.hidden[at] = True
            view.classes[i, at, elements[inside].state_place] = _HIDDEN
        page.held[at], page.checked[at] = elements[inside].held, elements[inside].checked
        for k in range(TEXT_LENGTH):
            view.element_values[i, at, k] = elements[inside].value[k]
        at += 1
    return at


@njit
def nothing_is_new(i, page, view):
    """What is shown from now on is new; all else is known."""
    if page.has_new:
        for element in range(page.num_elements):
            view.new[i, element] = 0
        page.has_new = 0


@njit
def _put_around(i, height, page, view):
    """Put the elements around the blocks of a page of this height."""
    for element in range(_NUM_AROUND):
        page.elements[element], page.blocks[element] = NOTHING, NOTHING
        page.shown[element] = True
        view.new[i, element], page.has_new = 1, 1
        view.tags[i, element], view.depths[i, element] = _AROUND_TAGS[element], element
        view.parents[i, element] = element - 1
        for k in range(NUM_CLASSES):
            view.classes[i, element, k] = _AROUND_CLASSES[element, k]
        for k in range(TEXT_LENGTH):
            view.texts[i, element, k], view.attributes[i, element, k] = 0, 0
        view.boxes[i, element, 0], view.boxes[i, element, 1] = 0, 0
        view.boxes[i, element, 2], view.boxes[i, element, 3] = PAGE_WIDTH, height
        view.element_masks[i, element] = view.all_present


@njit
def _clear(i, first, end, view):
    """Nothing stands at [first, end) any more."""
    for element in range(first, end):
        view.tags[i, element], view.depths[i, element], view.parents[i, element] = 0, 0, 0
        for k in range(NUM_CLASSES):
            view.classes[i, element, k] = 0
        for k in range(TEXT_LENGTH):
            view.texts[i, element, k], view.attributes[i, element, k] = 0, 0
        for k in range(4):
            view.boxes[i, element, k] = 0
        view.element_masks[i, element] = 0
