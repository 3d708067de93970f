"""The sites that methods are tested on: the paper's five at four levels (CoDE, A.12), and the rows of MiniWoB."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from typing import NamedTuple

from procgen_bench.core.errors import InvalidTaskError, UnknownNameError
from procgen_bench.tasks.sites.design import LAST_GATE, SiteDesign
from procgen_bench.tasks.sites.primitives import PRIMITIVES

LEVELS = (1, 2, 3, 4)
#: Level of a site that has none.
NO_LEVEL = -1


class _Page(NamedTuple):
    #: The primitives of level 4, first to last, each with the level that adds it.
    additions: dict[str, int]
    #: The button that it ends with.
    gate: str

    def at_level(self, level: int) -> tuple[str, ...]:
        """The page with all that the levels up to ``level`` add."""
        return (*(name for name, added in self.additions.items() if added <= level), self.gate)


_LOGIN = {
    "navbar": 2,
    "username": 1,
    "password": 1,
    "rememberme": 2,
    "stayloggedin": 3,
    "captcha": 4,
    "forgotusername": 3,
    "forgotpassword": 4,
}
_ADDRESS = {
    "navbar": 2,
    "firstname": 1,
    "lastname": 1,
    "addressline1": 2,
    "addressline2": 3,
    "city": 3,
    "zipcode": 4,
    "state": 4,
}
_PAYMENT = {"navbar": 1, "cc": 1, "fullname": 1, "ccnumber": 2, "ccexpdate": 3, "cccvv": 4, "footer": 1}
_FLIGHT = {
    "navbar": 1,
    "departureairport": 1,
    "destinationairport": 1,
    "departuredate": 2,
    "destinationdate": 2,
    "numberofpeople": 3,
    "cabin": 3,
    "flighttype": 4,
    "footer": 1,
}
_SHOP = {"navbar": 1, "inpgroup": 4, "carousel": 2, "dealmedia": 3, "deck": 4, "footer": 4}

_PUBLISHED = {
    "login": (_Page(_LOGIN, LAST_GATE),),
    "address": (_Page(_ADDRESS, LAST_GATE),),
    "payment": (_Page(_PAYMENT, LAST_GATE),),
    "flight": (_Page(_FLIGHT, LAST_GATE),),
    "shopping": (_Page(_SHOP, "next_login_page"), _Page(_LOGIN, "next_login"), _Page(_ADDRESS, LAST_GATE)),
}
#: Places that the input of MiniWoB's enter-text-dynamic can have, none of them that of enter-text.
_NUM_PLACES = 5

#: The paper's five sites, which have levels.
GRADED_SITES = tuple(_PUBLISHED)
#: MiniWoB's, which have none.
MINIWOB_SITES = ("enter-password", "enter-text", "enter-text-dynamic")
#: Pages of one of the five sites, and primitives of one of its pages, at most.
MOST_PAGES, MOST_ON_PAGE = (
    max(map(len, _PUBLISHED.values())),
    max(len(p.additions) for s in _PUBLISHED.values() for p in s),
)
#: All of them; records tell a site by its place here.
SITES = GRADED_SITES + MINIWOB_SITES


def graded_design(site: str, level: int) -> SiteDesign:
    """One of the five sites at a level, 1 to 4.

    Raises:
        UnknownNameError: There is no such site.
        InvalidTaskError: There is no such level.
    """
    if site not in GRADED_SITES:
        raise UnknownNameError("site", site, list(GRADED_SITES))
    if level not in LEVELS:
        raise InvalidTaskError("level", level, "1 to 4")
    return SiteDesign(tuple(page.at_level(level) for page in _PUBLISHED[site]))


def in_another_order(design: SiteDesign, orders: Iterable[Sequence[int]]) -> SiteDesign:
    """A design whose pages ask for the same in another order, as a form allows it.

    Bars and headings stay at the top, the footer and the buttons that the page ends with at the bottom.

    Args:
        design: The design.
        orders: For every page a permutation of so many numbers or more: the k-th of those below the number of what is
            in between says which of it stands k-th.
    """
    return replace(design, pages=tuple(_reordered(page, order) for page, order in zip(design.pages, orders)))


def _reordered(page: tuple[str, ...], order: Sequence[int]) -> tuple[str, ...]:
    templates = {name: PRIMITIVES[name].template for name in page}
    top = tuple(name for name in page if templates[name] in ("navigation bar", "label"))
    bottom = tuple(name for name in page if templates[name] in ("footer", "button"))
    between = [name for name in page if name not in (*top, *bottom)]
    return (*top, *(between[place] for place in order if place < len(between)), *bottom)


def miniwob_design(site: str, number: int) -> SiteDesign:
    """One of MiniWoB's sites; ``number``, from 0, moves the input of enter-text-dynamic through its five places.

    Raises:
        UnknownNameError: There is no such site.
    """
    pages = {
        "enter-password": ("header_password", "password", "verifypassword"),
        "enter-text": ("entertext_0",),
        "enter-text-dynamic": (f"entertext_{1 + number % _NUM_PLACES}",),
    }
    if site not in pages:
        raise UnknownNameError("site", site, list(MINIWOB_SITES))
    return SiteDesign(((*pages[site], LAST_GATE),))


def published_designs() -> Iterator[SiteDesign]:
    """Every design that methods are tested on."""
    yield from (graded_design(site, level) for site in GRADED_SITES for level in LEVELS)
    yield from (miniwob_design(site, number) for site in MINIWOB_SITES for number in range(_NUM_PLACES))
