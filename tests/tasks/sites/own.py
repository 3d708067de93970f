"""Primitives of one's own for tests: invented ones, a library of them, and one written by hand."""

from functools import cache

import numpy as np

from procgen_bench.core.errors import InvalidTaskError
from procgen_bench.tasks.sites import PrimitiveLibrary, SiteDesign, SiteTask, templates
from procgen_bench.tasks.sites.invention import invent_primitive
from procgen_bench.tasks.sites.primitive import Primitive
from procgen_bench.tasks.sites.variable_templates import VARIABLE_TEMPLATES

#: A line of text, as a person writes it down.
SHOE_SIZE = Primitive("shoe_size", "input", templates.text_input("Shoe size"), "shoe size", "Shoe size")


@cache
def invented_library(count: int = 28, seed: int = 0, published: bool = True) -> PrimitiveLibrary:
    """A library of so many primitives of every template in turn."""
    rng, kinds = np.random.default_rng(seed), list(VARIABLE_TEMPLATES.values())
    own = [invent_primitive(kinds[k % len(kinds)], rng, f"invented_{k}") for k in range(count)]
    return PrimitiveLibrary(tuple(own), published)


def drawn_design(library: PrimitiveLibrary, num_pages: int, count: int, rng: np.random.Generator) -> SiteDesign:
    """A design in which ``count`` primitives of a library are placed anywhere, as far as they fit in."""
    names = list(library.catalogue)
    while True:
        pairs = [(names[rng.integers(len(names))], int(rng.integers(num_pages))) for _ in range(count)]
        try:
            return SiteDesign.of_pairs(pairs, num_pages, library)
        except InvalidTaskError:  # none of them is active
            continue


def drawn_task(library: PrimitiveLibrary, num_pages: int, count: int, rng: np.random.Generator) -> SiteTask:
    """A task of such a design, for any values."""
    design = drawn_design(library, num_pages, count, rng)
    places = {field: int(rng.integers(len(library.value_lists[field]))) for field in design.fields}
    return SiteTask(design, library.profile(design.fields, places))
