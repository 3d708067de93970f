"""Compiled drawing of sites: the distribution of the task space's ``sample``, out of a row's stream."""

from procgen_bench.core.compiled import njit
from procgen_bench.core.streams import draw_below
from procgen_bench.tasks.sites.design import DEFAULT_GATE, GATE_SIZE, HORIZON, LAST_GATE, MAX_PAGES
from procgen_bench.tasks.sites.element_arrays import LEFT_ALONE, NOTHING
from procgen_bench.tasks.sites.pages import MAX_ELEMENTS, PAGE_TAGS
from procgen_bench.tasks.sites.primitives import EVERY_PRIMITIVE
from procgen_bench.tasks.sites.space import NUM_SLOTS, SKIP
from procgen_bench.tasks.sites.vocabulary import TEXT_LENGTH

_DEFAULT_GATE, _LAST_GATE = list(EVERY_PRIMITIVE).index(DEFAULT_GATE), list(EVERY_PRIMITIVE).index(LAST_GATE)
#: Elements of primitives that a page has room for besides the button that it may get.
_ROOM = MAX_ELEMENTS - len(PAGE_TAGS) - GATE_SIZE


@njit
def draw_design(stream, library, catalogue, page_sizes, primitives):
    """Draw a design of at least one active primitive, by the rule of :meth:`SiteDesign.of_pairs`; nothing is cut.

    Args:
        stream: The stream's state, uint64.
        library, catalogue: All primitives, and the numbers of those that are placed; see
            :class:`~procgen_bench.envs.web.site_tables.SiteTables`.
        page_sizes: Primitives of every page, int8 (10,), written.
        primitives: The primitives by page, int32 (10, B), written.

    Returns:
        The stream's state, the number of pages, the number of active primitives.
    """
    num_active = 0
    num_pages = 0
    while num_active == 0:
        stream, drawn = draw_below(stream, MAX_PAGES)
        num_pages = drawn + 1
        for page in range(MAX_PAGES):
            page_sizes[page] = 0
        for _ in range(NUM_SLOTS):
            stream, page = draw_below(stream, num_pages)
            drawing = True
            while drawing:
                stream, slot = draw_below(stream, catalogue.shape[0] + 1)
                primitive = catalogue[slot - 1]
                stands = slot == SKIP or _stands(primitives[page], page_sizes[page], primitive)
                too_long = library[primitive].field != NOTHING and num_active + num_pages == HORIZON
                drawing = not stands and (
                    too_long or not _has_room(library, primitives[page], page_sizes[page], primitive)
                )
            if stands:
                continue
            num_active += library[primitive].field != NOTHING
            primitives[page, page_sizes[page]] = primitive
            page_sizes[page] += 1
    for page in range(num_pages - 1):
        if not _leads_on(library, primitives[page], page_sizes[page]):
            primitives[page, page_sizes[page]] = _DEFAULT_GATE
            page_sizes[page] += 1
    last = num_pages - 1
    if not _sends_off(library, primitives[last], page_sizes[last]):
        primitives[last, page_sizes[last]] = _LAST_GATE
        page_sizes[last] += 1
    return stream, num_pages, num_active


@njit
def draw_rows(rows, streams, bank, primitives, values, catalogue, sites):
    """Draw a task for every row of ``rows`` (bool (N,)): one of the bank's sites, or, if it is empty, any at all."""
    for i in range(rows.shape[0]):
        if not rows[i]:
            continue
        if bank.num_pages.shape[0] > 0:
            streams[i], drawn = draw_below(streams[i], bank.num_pages.shape[0])
            _copy_site(bank, drawn, sites, i)
        else:
            streams[i], sites.num_pages[i], sites.num_active[i] = draw_design(
                streams[i], primitives, catalogue, sites.page_sizes[i], sites.primitives[i]
            )
            streams[i] = _draw_profile(i, streams[i], primitives, values, sites)
            for part in range(sites.variations.shape[1]):
                sites.variations[i, part] = 0


@njit
def _copy_site(source, drawn, sites, i):
    sites.num_pages[i], sites.num_active[i] = source.num_pages[drawn], source.num_active[drawn]
    sites.num_fields[i] = source.num_fields[drawn]
    for part in range(sites.variations.shape[1]):
        sites.variations[i, part] = source.variations[drawn, part]
    for page in range(MAX_PAGES):
        sites.page_sizes[i, page] = source.page_sizes[drawn, page]
        for block in range(sites.primitives.shape[2]):
            sites.primitives[i, page, block] = source.primitives[drawn, page, block]
            sites.asked[i, page, block] = source.asked[drawn, page, block]
    for place in range(sites.fields.shape[1]):
        sites.fields[i, place], sites.value_ids[i, place] = source.fields[drawn, place], source.value_ids[drawn, place]
        sites.value_forms[i, place] = source.value_forms[drawn, place]
        for k in range(TEXT_LENGTH):
            sites.value_tokens[i, place, k] = source.value_tokens[drawn, place, k]


@njit
def _draw_profile(i, stream, primitives, values, sites):
    """Draw a value for every field that the row's design asks for, in the fields' order; the stream's state."""
    place, field = 0, _next_field(i, NOTHING, primitives, sites)
    while field != NOTHING:
        _ask(i, field, place, primitives, sites)
        stream, drawn = draw_below(stream, values[field].length)
        sites.fields[i, place] = field
        sites.value_ids[i, place] = values[field].ids[drawn]
        sites.value_forms[i, place] = values[field].forms[drawn]
        for k in range(TEXT_LENGTH):
            sites.value_tokens[i, place, k] = values[field].tokens[drawn, k]
        place += 1
        field = _next_field(i, field, primitives, sites)
    sites.num_fields[i] = place
    return stream


@njit
def _next_field(i, field, primitives, sites):
    """The first field after this one that the row's design asks for; -1 where there is none."""
    found = NOTHING
    for page in range(sites.num_pages[i]):
        for block in range(sites.page_sizes[i, page]):
            other = primitives[sites.primitives[i, page, block]].field
            if other > field and (found == NOTHING or other < found):
                found = other
    return found


@njit
def _ask(i, field, place, primitives, sites):
    """The row's primitives of this field ask for what stands at this place of the instruction."""
    for page in range(sites.num_pages[i]):
        for block in range(sites.page_sizes[i, page]):
            if place == 0:
                decoy = primitives[sites.primitives[i, page, block]].decoy
                sites.asked[i, page, block] = LEFT_ALONE if decoy else NOTHING
            if primitives[sites.primitives[i, page, block]].field == field:
                sites.asked[i, page, block] = place


@njit
def _has_room(library, primitives, size, primitive):
    """Whether a page's elements are still few enough with this primitive, and a button."""
    count = library[primitive].end - library[primitive].start
    for block in range(size):
        count += library[primitives[block]].end - library[primitives[block]].start
    return count <= _ROOM


@njit
def _stands(primitives, size, primitive):
    for block in range(size):  # noqa: SIM110 (Numba compiles no generators)
        if primitives[block] == primitive:
            return True
    return False


@njit
def _leads_on(library, primitives, size):
    for block in range(size):  # noqa: SIM110 (Numba compiles no generators)
        if library[primitives[block]].leaves:
            return True
    return False


@njit
def _sends_off(library, primitives, size):
    for block in range(size):  # noqa: SIM110 (Numba compiles no generators)
        if library[primitives[block]].submits:
            return True
    return False
