"""Tasks in and out of the arrays of sites, and the arrays of one row as records."""

import numpy as np

from procgen_bench.envs.web.drawing import draw_rows
from procgen_bench.envs.web.observations import ElementRecord
from procgen_bench.envs.web.site_arrays import Sites, View, empty_sites
from procgen_bench.envs.web.texts import Texts
from procgen_bench.tasks.sites.design import SiteDesign
from procgen_bench.tasks.sites.elements import CHECKED, HIDDEN, NO_BOX, VISITED
from procgen_bench.tasks.sites.library import NOTHING, prepare, primitive_library, value_library
from procgen_bench.tasks.sites.pages import placed_elements
from procgen_bench.tasks.sites.primitives import EVERY_PRIMITIVE, FIELDS, PRIMITIVES
from procgen_bench.tasks.sites.profiles import is_number
from procgen_bench.tasks.sites.task import SiteTask
from procgen_bench.tasks.sites.variation import CHOICES, Variation, look_of
from procgen_bench.tasks.sites.vocabulary import token, tokenise

_PRIMITIVE_NAMES, _FIELD_NAMES = tuple(EVERY_PRIMITIVE), FIELDS
_PRIMITIVE_PLACES = {name: place for place, name in enumerate(_PRIMITIVE_NAMES)}
_FIELD_PLACES = {name: place for place, name in enumerate(_FIELD_NAMES)}
_VISITED = token(VISITED)
#: The parts of a variation that make no look, in the order of ``Sites.variations``.
_OTHER_PARTS = ("theme", "instruction", "decoys")


def write_task(task: SiteTask, row: int, sites: Sites, texts: Texts) -> None:
    """Put a task into a row."""
    pages, look, variation = task.pages, task.look.number, task.variation
    prepare(look)
    sites.looks[row] = look
    sites.variations[row] = [CHOICES[part].index(getattr(variation, part)) for part in _OTHER_PARTS]
    sites.num_pages[row], sites.num_active[row] = len(pages), task.design.num_active
    sites.page_sizes[row] = 0
    for number, page in enumerate(pages):
        sites.page_sizes[row, number] = len(page)
        sites.primitives[row, number, : len(page)] = [_PRIMITIVE_PLACES[name] for name in page]
    sites.num_fields[row] = len(task.profile)
    sites.places[row] = NOTHING
    for place, (field, value) in enumerate(task.profile):
        sites.fields[row, place] = _FIELD_PLACES[field]
        sites.places[row, _FIELD_PLACES[field]] = place
        sites.value_ids[row, place] = texts.number(value)
        sites.value_tokens[row, place] = tokenise(value)
        sites.value_numbers[row, place] = is_number(value)


def read_task(row: int, sites: Sites, texts: Texts) -> SiteTask:
    """The task in a row."""
    pages = (_page(row, number, sites) for number in range(sites.num_pages[row]))
    design = SiteDesign(tuple(tuple(name for name in page if name in PRIMITIVES) for page in pages))
    parts = zip(_OTHER_PARTS, sites.variations[row].tolist())
    variation = Variation(**look_of(int(sites.looks[row]))._asdict(), **{p: CHOICES[p][place] for p, place in parts})
    profile = tuple((_FIELD_NAMES[field], value) for field, value in _values(row, sites, texts))
    return SiteTask(design, profile, variation)


def draw_task(stream: np.uint64) -> tuple[np.uint64, SiteTask]:
    """Draw a task from the whole space, as rows of arrays do: the stream after it, and the task."""
    streams, sites = np.array([stream], np.uint64), empty_sites(1)
    draw_rows(np.ones(1, np.bool_), streams, empty_sites(0), primitive_library(), value_library(), sites)
    return streams[0], read_task(0, sites, Texts())


def element_records(row: int, sites: Sites, pages: np.recarray, view: View, texts: Texts) -> list[ElementRecord]:
    """The elements of a row's current page."""
    page, look = _page(row, pages.number[row], sites), look_of(int(sites.looks[row]))
    return [
        ElementRecord(
            placed.element.tag,
            placed.element.classes + _state(row, index, len(placed.element.classes), pages, view),
            placed.element.text,
            tuple(value for _, value in placed.element.attributes),
            _held(row, index, pages, texts),
            placed.depth,
            placed.parent,
            placed.box if pages.shown[row, index] else NO_BOX,
            pages.focus[row] == index,
        )
        for index, placed in enumerate(placed_elements(page, look))
    ]


def _page(row: int, number: int, sites: Sites) -> tuple[str, ...]:
    """The names of a page's primitives, decoys included."""
    return tuple(_PRIMITIVE_NAMES[place] for place in sites.primitives[row, number, : sites.page_sizes[row, number]])


def _values(row: int, sites: Sites, texts: Texts) -> list[tuple[int, str]]:
    """(field, value) of the instruction."""
    return [(sites.fields[row, place], texts[sites.value_ids[row, place]]) for place in range(sites.num_fields[row])]


def _state(row: int, index: int, place: int, pages: np.recarray, view: View) -> tuple[str, ...]:
    if pages.hidden[row, index]:
        return (HIDDEN,)
    return (VISITED,) if view.classes[row, index, place] == _VISITED else ()


def _held(row: int, index: int, pages: np.recarray, texts: Texts) -> str:
    if pages.held[row, index] != NOTHING:
        return texts[pages.held[row, index]]
    return CHECKED if pages.checked[row, index] else ""
