"""Generated web sites (CoDE, gMiniWoB): designs of pages out of 40 primitives, and whose data is to be filled in."""

from procgen_bench.tasks.sites.design import HORIZON, MAX_PAGES, SiteDesign
from procgen_bench.tasks.sites.library import PrimitiveLibrary
from procgen_bench.tasks.sites.primitive import Primitive
from procgen_bench.tasks.sites.primitives import CATALOGUE, PRIMITIVES
from procgen_bench.tasks.sites.space import SiteTaskSpace
from procgen_bench.tasks.sites.task import SiteTask
from procgen_bench.tasks.sites.variation import Variation

__all__ = [
    "CATALOGUE",
    "HORIZON",
    "MAX_PAGES",
    "PRIMITIVES",
    "Primitive",
    "PrimitiveLibrary",
    "SiteDesign",
    "SiteTask",
    "SiteTaskSpace",
    "Variation",
]
