"""Compiled drawing of sites: the distribution of the task space's ``sample``, out of a row's stream."""

from numba import njit

from procgen_bench.streams import draw_below
from procgen_bench.tasks.sites.design import DEFAULT_GATE, HORIZON, LAST_GATE, MAX_PAGES
from procgen_bench.tasks.sites.library import NOTHING
from procgen_bench.tasks.sites.primitives import CATALOGUE, PRIMITIVES
from procgen_bench.tasks.sites.space import NUM_SLOTS, SKIP

_NUM_PRIMITIVES = len(CATALOGUE)
_DEFAULT_GATE, _LAST_GATE = list(PRIMITIVES).index(DEFAULT_GATE), list(PRIMITIVES).index(LAST_GATE)


@njit(cache=True)
def draw_design(stream, library, page_sizes, primitives):
    """Draw a design of at least one active primitive, by the rule of :meth:`SiteDesign.of_pairs`.

    Args:
        stream: The stream's state, uint64.
        library: See :class:`~procgen_bench.tasks.sites.library.PrimitiveLibrary`.
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
        page_sizes[:] = 0
        for _ in range(NUM_SLOTS):
            stream, slot = draw_below(stream, _NUM_PRIMITIVES + 1)
            stream, page = draw_below(stream, MAX_PAGES)
            if slot == SKIP:
                continue
            primitive, page = slot - 1, page % num_pages
            asks = library.fields[primitive] != NOTHING
            if _stands(primitives[page], page_sizes[page], primitive) or (asks and num_active + num_pages == HORIZON):
                continue
            num_active += asks
            primitives[page, page_sizes[page]] = primitive
            page_sizes[page] += 1
    for page in range(num_pages - 1):
        if not _any(library.leaves, primitives[page], page_sizes[page]):
            primitives[page, page_sizes[page]] = _DEFAULT_GATE
            page_sizes[page] += 1
    last = num_pages - 1
    if not _any(library.submits, primitives[last], page_sizes[last]):
        primitives[last, page_sizes[last]] = _LAST_GATE
        page_sizes[last] += 1
    return stream, num_pages, num_active


@njit(cache=True)
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


@njit(cache=True)
def _copy_site(source, drawn, sites, i):
    sites.num_pages[i], sites.num_active[i] = source.num_pages[drawn], source.num_active[drawn]
    sites.page_sizes[i], sites.primitives[i] = source.page_sizes[drawn], source.primitives[drawn]
    sites.num_fields[i], sites.fields[i] = source.num_fields[drawn], source.fields[drawn]
    sites.places[i], sites.value_ids[i] = source.places[drawn], source.value_ids[drawn]
    sites.value_tokens[i] = source.value_tokens[drawn]


@njit(cache=True)
def _draw_profile(i, stream, primitives, values, sites):
    """Draw a value for every field that the row's design asks for; the stream's state."""
    sites.places[i] = NOTHING
    for page in range(sites.num_pages[i]):
        for block in range(sites.page_sizes[i, page]):
            field = primitives.fields[sites.primitives[i, page, block]]
            if field != NOTHING:
                sites.places[i, field] = 0
    place = 0
    for field in range(sites.places.shape[1]):
        if sites.places[i, field] == NOTHING:
            continue
        stream, drawn = draw_below(stream, values.lengths[field])
        sites.fields[i, place], sites.places[i, field] = field, place
        sites.value_ids[i, place] = values.ids[field, drawn]
        sites.value_tokens[i, place] = values.tokens[field, drawn]
        place += 1
    sites.num_fields[i] = place
    return stream


@njit(cache=True)
def _stands(primitives, size, primitive):
    for block in range(size):  # noqa: SIM110 (Numba compiles no generators)
        if primitives[block] == primitive:
            return True
    return False


@njit(cache=True)
def _any(flags, primitives, size):
    for block in range(size):  # noqa: SIM110 (Numba compiles no generators)
        if flags[primitives[block]]:
            return True
    return False
