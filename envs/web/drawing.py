"""Compiled drawing of sites: the distribution of the task space's ``sample``, out of a row's stream."""

from procgen_bench.core.compiled import njit
from procgen_bench.core.streams import draw_below
from procgen_bench.tasks.sites.design import DEFAULT_GATE, HORIZON, LAST_GATE, MAX_PAGES
from procgen_bench.tasks.sites.library import NOTHING
from procgen_bench.tasks.sites.primitives import CATALOGUE, EVERY_PRIMITIVE
from procgen_bench.tasks.sites.space import NUM_SLOTS, SKIP
from procgen_bench.tasks.sites.vocabulary import TEXT_LENGTH

_NUM_PRIMITIVES = len(CATALOGUE)
_DEFAULT_GATE, _LAST_GATE = list(EVERY_PRIMITIVE).index(DEFAULT_GATE), list(EVERY_PRIMITIVE).index(LAST_GATE)


@njit
def draw_design(stream, library, page_sizes, primitives):
    """Draw a design of at least one active primitive, by the rule of :meth:`SiteDesign.of_pairs`; nothing is cut.

    Args:
        stream: The stream's state, uint64.
        library: See :func:`~procgen_bench.tasks.sites.library.primitive_library`.
        page_sizes: Primitives of every page, int8 (10,), written.
        primitives: The primitives by page, int8 (10, B), written.

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
                stream, slot = draw_below(stream, _NUM_PRIMITIVES + 1)
                primitive = slot - 1
                stands = slot == SKIP or _stands(primitives[page], page_sizes[page], primitive)
                drawing = not stands and library[primitive].field != NOTHING and num_active + num_pages == HORIZON
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
def draw_rows(rows, streams, bank, primitives, values, sites):
    """Draw a task for every row of ``rows`` (bool (N,)): one of the bank's sites, or, if it is empty, any at all."""
    for i in range(rows.shape[0]):
        if not rows[i]:
            continue
        if bank.num_pages.shape[0] > 0:
            streams[i], drawn = draw_below(streams[i], bank.num_pages.shape[0])
            _copy_site(bank, drawn, sites, i)
        else:
            streams[i], sites.num_pages[i], sites.num_active[i] = draw_design(
                streams[i], primitives, sites.page_sizes[i], sites.primitives[i]
            )
            streams[i] = _draw_profile(i, streams[i], primitives, values, sites)
            sites.looks[i] = 0
            for part in range(sites.variations.shape[1]):
                sites.variations[i, part] = 0


@njit
def _copy_site(source, drawn, sites, i):
    sites.num_pages[i], sites.num_active[i] = source.num_pages[drawn], source.num_active[drawn]
    sites.num_fields[i], sites.looks[i] = source.num_fields[drawn], source.looks[drawn]
    for part in range(sites.variations.shape[1]):
        sites.variations[i, part] = source.variations[drawn, part]
    for page in range(MAX_PAGES):
        sites.page_sizes[i, page] = source.page_sizes[drawn, page]
        for block in range(sites.primitives.shape[2]):
            sites.primitives[i, page, block] = source.primitives[drawn, page, block]
    for field in range(sites.places.shape[1]):
        sites.places[i, field] = source.places[drawn, field]
    for place in range(sites.fields.shape[1]):
        sites.fields[i, place], sites.value_ids[i, place] = source.fields[drawn, place], source.value_ids[drawn, place]
        sites.value_numbers[i, place] = source.value_numbers[drawn, place]
        for k in range(TEXT_LENGTH):
            sites.value_tokens[i, place, k] = source.value_tokens[drawn, place, k]


@njit
def _draw_profile(i, stream, primitives, values, sites):
    """Draw a value for every field that the row's design asks for; the stream's state."""
    for field in range(sites.places.shape[1]):
        sites.places[i, field] = NOTHING
    for page in range(sites.num_pages[i]):
        for block in range(sites.page_sizes[i, page]):
            field = primitives[sites.primitives[i, page, block]].field
            if field != NOTHING:
                sites.places[i, field] = 0
    place = 0
    for field in range(sites.places.shape[1]):
        if sites.places[i, field] == NOTHING:
            continue
        stream, drawn = draw_below(stream, values[field].length)
        sites.fields[i, place], sites.places[i, field] = field, place
        sites.value_ids[i, place] = values[field].ids[drawn]
        sites.value_numbers[i, place] = values[field].numbers[drawn]
        for k in range(TEXT_LENGTH):
            sites.value_tokens[i, place, k] = values[field].tokens[drawn, k]
        place += 1
    sites.num_fields[i] = place
    return stream


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
