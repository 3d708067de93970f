"""What designs are like: how often each primitive stands on them, and how difficult they are."""

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np

from procgen_bench.core.errors import InvalidTaskError
from procgen_bench.tasks.sites.design import SiteDesign
from procgen_bench.tasks.sites.pages import num_elements
from procgen_bench.tasks.sites.primitives import PRIMITIVES

#: What makes a design difficult, in the order of the columns of :func:`difficulty`.
MEASURES = ("pages", "primitives", "active", "fields", "steps", "elements")


@dataclass(frozen=True)
class PrimitiveFrequencies:
    """How often primitives stand on designs (CoDE, A.5 and A.6).

    Attributes:
        counts: For every primitive, in the catalogue's order and then own ones, how often it stands on all designs
            together.
        active_per_design, passive_per_design: Mean number of active and of passive primitives of a design.
        active_per_page, passive_per_page: The same of a page.
    """

    counts: dict[str, int]
    active_per_design: float
    passive_per_design: float
    active_per_page: float
    passive_per_page: float

    @property
    def active_share(self) -> float:
        """Which part of the primitives is active."""
        return self.active_per_design / (self.active_per_design + self.passive_per_design)


def primitive_frequencies(designs: Iterable[SiteDesign]) -> PrimitiveFrequencies:
    """How often each primitive stands on ``designs``; :class:`InvalidTaskError` if there are none."""
    designs = list(designs)
    if not designs:
        raise InvalidTaskError("designs", designs, "at least one")
    found = Counter(name for design in designs for name, _ in design.pairs)
    known = PRIMITIVES | {primitive.name: primitive for design in designs for primitive in design.own}
    active = sum(count for name, count in found.items() if known[name].active)
    passive = found.total() - active
    num_pages = sum(len(design.pages) for design in designs)
    return PrimitiveFrequencies(
        {name: found[name] for name in known},
        active / len(designs),
        passive / len(designs),
        active / num_pages,
        passive / num_pages,
    )


def page_sizes(design: SiteDesign) -> list[int]:
    """Elements of every page, those around its primitives included."""
    return [num_elements(design.known[name] for name in page) for page in design.pages]


def difficulty(designs: Iterable[SiteDesign]) -> np.ndarray:
    """How difficult designs are: int64 (N, 6), a row per design and a column for each of :data:`MEASURES`.

    These are the number of pages, of primitives, of active ones, of fields that the instruction gives, of the expert's
    steps, and of the elements of all pages together.
    """
    rows = [
        (
            len(design.pages),
            len(design.primitives),
            design.num_active,
            len(design.fields),
            design.num_steps,
            sum(page_sizes(design)),
        )
        for design in designs
    ]
    return np.array(rows, np.int64).reshape(-1, len(MEASURES))
