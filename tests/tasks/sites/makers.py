"""Hypothesis strategies and generators of designs, tasks and raw parameters."""

from collections.abc import Iterable

import numpy as np
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from procgen_bench.tasks.sites import CATALOGUE, PRIMITIVES, SiteDesign, SiteTask
from procgen_bench.tasks.sites.design import HORIZON, MAX_PAGES
from procgen_bench.tasks.sites.pages import Page
from procgen_bench.tasks.sites.primitives import primitives_in
from procgen_bench.tasks.sites.profiles import value_lists
from procgen_bench.tasks.sites.space import SiteTaskSpace
from procgen_bench.tasks.sites.variation import PUBLISHED_LOOK, Look

SPACE = SiteTaskSpace()
ACTIVE = [name for name, primitive in PRIMITIVES.items() if primitive.active]

#: Raw parameters anywhere in the space, as sparse as it may be.
parameters = st.fixed_dictionaries(
    {
        "num_pages": st.integers(1, MAX_PAGES),
        "primitives": arrays(np.int64, 40, elements=st.integers(0, len(CATALOGUE)), fill=st.just(0)),
        "pages": arrays(np.int64, 40, elements=st.integers(0, MAX_PAGES - 1)),
        "profile": st.tuples(*(st.integers(0, int(n) - 1) for n in SPACE.space["profile"].nvec)).map(np.array),
    }
)

#: One line of anything but control characters.
values = st.text(st.characters(exclude_categories=["Cc", "Cs", "Zl", "Zp"]), min_size=1, max_size=1_000)


@st.composite
def designs(draw) -> SiteDesign:
    """Valid designs, made directly and not by ``of_pairs``; MiniWoB's primitives and gates anywhere included."""
    num_pages = draw(st.integers(1, MAX_PAGES))
    pages = [draw(st.lists(st.sampled_from(list(PRIMITIVES)), unique=True, max_size=12)) for _ in range(num_pages)]
    if not any(name in ACTIVE for page in pages for name in page):
        pages[0].insert(0, draw(st.sampled_from(ACTIVE)))
    free = HORIZON - num_pages
    for page in pages:
        for name in [name for name in page if name in ACTIVE]:
            page.remove(name) if not free else None
            free -= bool(free)
    for number, page in enumerate(pages):
        gates = ["submit"] if number == num_pages - 1 else ["next_checkout", "next_login", "next_login_page"]
        if not any(gate in page for gate in gates):
            page.insert(draw(st.integers(0, len(page))), draw(st.sampled_from(gates)))
    return SiteDesign(tuple(map(tuple, pages)))


@st.composite
def tasks(draw) -> SiteTask:
    """Valid tasks whose values may be any that fit."""
    design = draw(designs())
    options = {primitive.field: primitive.options for primitive in design.primitives if primitive.options}
    profile = [(f, draw(st.sampled_from(options[f]) if f in options else values)) for f in design.fields]
    return SiteTask(design, tuple(profile))


def uniform_tasks(count: int, seed: int) -> list[SiteTask]:
    """Tasks of parameters drawn uniformly."""
    rng = np.random.default_rng(seed)
    return [SPACE.decode(SPACE.sample(rng)) for _ in range(count)]


def sparse_tasks(count: int, seed: int) -> list[SiteTask]:
    """Tasks of few primitives on few pages."""
    rng, made = np.random.default_rng(seed), []
    while len(made) < count:
        params = SPACE.sample(rng)
        params["num_pages"] = rng.integers(1, 5)
        params["primitives"][rng.random(40) < 0.85] = 0
        if any(name in ACTIVE for name in (list(CATALOGUE)[k - 1] for k in params["primitives"] if k)):
            made.append(SPACE.decode(params))
    return made


def filled(design: SiteDesign, place: int = 0, **values: str) -> SiteTask:
    """A task of this design: the values at ``place`` of their lists (modulo its length), or those given."""
    lists = value_lists()
    profile = {field: lists[field][place % len(lists[field])] for field in design.fields} | values
    return SiteTask(design, tuple(profile.items()))


def published_page(names: Iterable[str], look: Look = PUBLISHED_LOOK) -> Page:
    """The page of published primitives (decoys included) of these names."""
    published = primitives_in(look)
    return tuple(published[name] for name in names)
