"""Tasks in and out of the arrays of sites."""

from collections.abc import Collection

import numpy as np

from procgen_bench.core.streams import draw_below
from procgen_bench.envs.web.drawing import draw_rows
from procgen_bench.envs.web.site_arrays import INSTRUCTION, OWN_TEXT, Sites, empty_sites
from procgen_bench.envs.web.site_tables import SiteTables, tables_of
from procgen_bench.envs.web.texts import Texts
from procgen_bench.tasks.sites.design import SiteDesign
from procgen_bench.tasks.sites.element_arrays import LEFT_ALONE, NOTHING
from procgen_bench.tasks.sites.formed_values import forms_of
from procgen_bench.tasks.sites.library import PUBLISHED_LIBRARY, PrimitiveLibrary
from procgen_bench.tasks.sites.pages import PAGE_TAGS, Page
from procgen_bench.tasks.sites.primitive import Primitive, spaced
from procgen_bench.tasks.sites.primitives import PRIMITIVES, is_decoy
from procgen_bench.tasks.sites.task import SiteTask, named_fields
from procgen_bench.tasks.sites.variation import CHOICES, PUBLISHED_LOOK, Variation, trained_choices
from procgen_bench.tasks.sites.vocabulary import tokenise


def write_task(task: SiteTask, row: int, sites: Sites, tables: SiteTables) -> None:
    """Put a task into a row."""
    sites.variations[row] = task.variation.places
    sites.num_pages[row], sites.num_active[row] = len(task.pages), task.design.num_active
    sites.page_sizes[row] = 0
    place_of = {field: place for place, (field, _) in enumerate(task.profile)}
    for number, page in enumerate(task.pages):
        sites.page_sizes[row, number] = len(page)
        sites.primitives[row, number, : len(page)] = [tables.number(primitive) for primitive in page]
        others = (LEFT_ALONE if primitive.decoy else NOTHING for primitive in page)
        sites.asked[row, number, : len(page)] = [place_of.get(one.field, other) for one, other in zip(page, others)]
    sites.num_fields[row] = len(task.profile)
    for place, (field, value) in enumerate(task.profile):
        sites.fields[row, place] = tables.field_number(field)
        sites.value_ids[row, place] = tables.texts.number(value)
        sites.value_tokens[row, place] = tokenise(value)
        sites.value_forms[row, place] = forms_of(value)


def write_own_text(text: str, row: int, sites: Sites, texts: Texts) -> None:
    """Let the row's own text be this one; an empty one is none."""
    sites.value_ids[row, OWN_TEXT] = texts.number(text) if text else NOTHING
    sites.value_tokens[row, OWN_TEXT] = tokenise(text)
    sites.value_forms[row, OWN_TEXT] = forms_of(text)


def read_task(row: int, sites: Sites, tables: SiteTables) -> SiteTask:
    """The task in a row."""
    pages = (primitives_on(row, number, sites, tables) for number in range(sites.num_pages[row]))
    design = SiteDesign.of_pages([_as_designed(one) for one in page if not is_decoy(one.name)] for page in pages)
    return SiteTask(design, _read_profile(row, sites, tables), Variation.of_places(sites.variations[row].tolist()))


def read_instruction(row: int, sites: Sites, tables: SiteTables) -> tuple[tuple[tuple[str, str], ...], str]:
    """The instruction of the task in a row, and of which kind it is."""
    kind = CHOICES["instruction"][sites.variations[row, INSTRUCTION]]
    return named_fields(_read_profile(row, sites, tables), kind), kind


def _read_profile(row: int, sites: Sites, tables: SiteTables) -> tuple[tuple[str, str], ...]:
    count = sites.num_fields[row]
    fields, values = sites.fields[row, :count].tolist(), sites.value_ids[row, :count].tolist()
    return tuple((tables.field(field), tables.texts[value]) for field, value in zip(fields, values))


def vary_row(row: int, stream: np.uint64, variations: Collection[str], sites: Sites, tables: SiteTables) -> np.uint64:
    """Draw a variation, in these parts, for the site in a row; the stream after it."""
    places = []
    for choices in trained_choices(variations):
        place = 0
        if len(choices) > 1:
            stream, place = draw_below(np.uint64(stream), len(choices))
        places.append(place)
    write_task(read_task(row, sites, tables).varied(Variation.of_places(places)), row, sites, tables)
    return stream


def draw_task(
    stream: np.uint64, library: PrimitiveLibrary = PUBLISHED_LIBRARY, variations: Collection[str] = ()
) -> tuple[np.uint64, SiteTask]:
    """Draw a task from the whole space of a library, as rows of arrays do: the stream after it, and the task."""
    streams, sites, tables = np.array([stream], np.uint64), empty_sites(1), tables_of(library)
    draw_rows(np.ones(1, np.bool_), streams, empty_sites(0), tables.primitives, tables.values, tables.catalogue, sites)
    if variations:
        streams[0] = vary_row(0, streams[0], variations, sites, tables)
    return streams[0], read_task(0, sites, tables)


def number_elements(row: int, sites: Sites, pages: np.recarray, tables: SiteTables) -> None:
    """Give the elements of a row's current page, whose state is from another simulation, the numbers of these tables.

    A page that is yet to come has none.
    """
    if not pages.num_elements[row]:
        return
    shown = tables.primitives[sites.primitives[row, pages.number[row], : sites.page_sizes[row, pages.number[row]]]]
    numbers = np.concatenate([np.arange(one["start"], one["end"]) for one in shown])
    pages.elements[row, len(PAGE_TAGS) : len(PAGE_TAGS) + len(numbers)] = numbers


def primitives_on(row: int, number: int, sites: Sites, tables: SiteTables) -> Page:
    """What is shown of one of a row's pages."""
    return tuple(tables[k] for k in sites.primitives[row, number, : sites.page_sizes[row, number]].tolist())


def _as_designed(primitive: Primitive) -> Primitive:
    """A primitive in whose look it is in designs."""
    return PRIMITIVES.get(primitive.name) or spaced(primitive, PUBLISHED_LOOK.gap)
