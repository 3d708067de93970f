"""The design templates of table 4 (CoDE, A.11) for what a shop shows: bars, pictures and goods."""

from collections.abc import Sequence

from procgen_bench.tasks.sites.elements import Behaviour, Box, Element
from procgen_bench.tasks.sites.templates import CONTROL_HEIGHT, INNER_WIDTH, MARGIN, PAGE_WIDTH, TEXT_HEIGHT, wide


def navigation_bar(brand: str, entries: Sequence[str]) -> Element:
    """A bar with the site's name, a button that unfolds the menu, and the menu of links, folded at first."""
    left, width = 132, (PAGE_WIDTH - 132 - MARGIN) // len(entries)
    items = _links(entries, Box(left, 14, width, 28))
    name, fold = Box(MARGIN, 14, 64, 28), Box(92, 14, 32, 28)
    button = Element(
        "button",
        fold,
        ("fold",),
        attributes=(("type", "button"), ("aria-label", "Menu")),
        behaviour=Behaviour.TOGGLE,
        target="menu",
        children=(Element("span", fold, ("icon",), "\u2261"),),
    )
    menu = Element(
        "ul", Box(left, 14, width * len(entries), 28), ("menu",), name="menu", hidden=True, children=tuple(items)
    )
    inside = (
        Element("div", name, ("home",), children=(Element("span", name, ("brand",), brand),)),
        Element("div", fold, ("toggle",), children=(button,)),
        menu,
    )
    bar = Box(0, 0, PAGE_WIDTH, 56)
    return Element("nav", bar, ("bar",), children=(Element("div", bar, ("inside",), children=inside),))


def carousel(slides: Sequence[tuple[str, str]]) -> Element:
    """Pictures with captions, of which the first is shown, with marks for all and arrows, which end the episode."""
    marks = tuple(Element("li", wide(186, 8, 176 + 16 * place, 8), ("mark",)) for place in range(len(slides)))
    shown = tuple(
        Element(
            "div",
            wide(8, 172),
            ("slide",),
            hidden=place > 0,
            children=(
                Element("img", wide(8, 112), ("picture", f"scene-{place + 1}"), attributes=(("alt", name),)),
                Element("h5", wide(122, 24, 48, INNER_WIDTH - 96), ("caption",), name),
                Element("p", wide(148, TEXT_HEIGHT, 48, INNER_WIDTH - 96), ("caption",), text),
            ),
        )
        for place, (name, text) in enumerate(slides)
    )
    return Element(
        "div",
        wide(0, 204),
        ("carousel",),
        children=(
            Element("ol", wide(186, 8, 176, 16 * len(slides) - 8), ("marks",), children=marks),
            Element("div", wide(8, 172), ("slides",), children=shown),
            _turn("previous", "Previous", "\u2039", 0),
            _turn("next", "Next", "\u203a", INNER_WIDTH - 40),
        ),
    )


def _turn(name: str, text: str, arrow: str, left: int) -> Element:
    box = wide(120, 60, left, 40)
    return Element(
        "a",
        box,
        ("turn", name),
        attributes=(("aria-label", text),),
        behaviour=Behaviour.END,
        children=(Element("span", box, ("arrow",), arrow),),
    )


def cart(title: str, goods: Sequence[tuple[str, str, str]], promotion: str) -> Element:
    """Goods (name, description, price), each with a button that takes it out, and a line for a promotion's code.

    Taking a good out and redeeming a code end the episode.
    """
    items = []
    for place, (name, description, price) in enumerate(goods):
        top = 44 + 52 * place
        remove = Element(
            "button",
            wide(top + 10, 28, INNER_WIDTH - 44, 32),
            ("remove",),
            "\u00d7",
            (("type", "button"), ("aria-label", "Remove")),
            Behaviour.END,
        )
        words = Element(
            "div",
            wide(top + 4, 44, 12, 260),
            ("words",),
            children=(
                Element("h6", wide(top + 4, 22, 12, 260), ("name",), name),
                Element("small", wide(top + 26, 18, 12, 260), ("note",), description),
            ),
        )
        cost = Element("span", wide(top + 14, TEXT_HEIGHT, INNER_WIDTH - 130, 72), ("price",), price)
        items.append(Element("li", wide(top, 52), ("good",), children=(words, cost, remove)))
    bottom = 44 + 52 * len(goods)
    promotion_line = Element(
        "div",
        wide(bottom + 8, CONTROL_HEIGHT),
        ("group",),
        children=(
            Element(
                "input",
                wide(bottom + 8, CONTROL_HEIGHT, 0, INNER_WIDTH - 104),
                ("control",),
                attributes=(("type", "text"), ("placeholder", promotion)),
                behaviour=Behaviour.TYPE,
            ),
            Element(
                "button",
                wide(bottom + 8, CONTROL_HEIGHT, INNER_WIDTH - 96, 96),
                ("button", "secondary"),
                "Redeem",
                (("type", "button"),),
                Behaviour.END,
            ),
        ),
    )
    return Element(
        "div",
        wide(0, bottom + 52),
        ("cart",),
        children=(
            Element("h4", wide(8, 28, 0, 300), ("title",), title),
            Element("span", wide(12, TEXT_HEIGHT, INNER_WIDTH - 40, 28), ("badge",), str(len(goods))),
            Element("ul", wide(44, 52 * len(goods)), ("goods",), children=tuple(items)),
            promotion_line,
        ),
    )


def deck(cards: Sequence[tuple[str, str, str]], action: str) -> Element:
    """Cards side by side, each with a picture, a name, a text, a price, stars, and a link, which ends the episode."""
    width = (INNER_WIDTH - 12 * (len(cards) - 1)) // len(cards)
    children = []
    for place, (name, text, price) in enumerate(cards):
        left = place * (width + 12)

        def inside(top: int, height: int, left: int = left) -> Box:
            return wide(top, height, left + 8, width - 16)

        words = (
            Element("h5", inside(84, 22), ("name",), name),
            Element("p", inside(108, 18), ("note",), text),
            Element("span", inside(130, TEXT_HEIGHT), ("price",), price),
            Element("a", inside(156, 24), ("link",), action, behaviour=Behaviour.END),
        )
        picture = Element(
            "img", wide(4, 72, left, width), ("picture", f"ware-{place + 1}"), attributes=(("alt", name),)
        )
        body = Element("div", wide(80, 108, left, width), ("words",), children=words)
        stars = "\u2605" * (5 - place % 3) + "\u2606" * (place % 3)
        foot = Element(
            "div", inside(188, 20), ("stars",), children=(Element("small", inside(188, 20), ("note",), stars),)
        )
        card = Element("div", wide(4, 208, left, width), ("card",), children=(picture, body, foot))
        children.append(Element("div", wide(4, 208, left, width), ("column",), children=(card,)))
    return Element("div", wide(0, 220), ("deck",), children=tuple(children))


def media(name: str, text: str, action: str) -> Element:
    """A picture next to a name, a text and a link, which ends the episode."""
    width = INNER_WIDTH - 128
    words = (
        Element("h5", wide(12, 24, 112, width), ("name",), name),
        Element("p", wide(38, TEXT_HEIGHT, 112, width), ("note",), text),
        Element("a", wide(64, 24, 112, width), ("link",), action, behaviour=Behaviour.END),
    )
    return Element(
        "div",
        wide(0, 108),
        ("media",),
        children=(
            Element("img", wide(8, 88, 8, 88), ("picture", "deal"), attributes=(("alt", name),)),
            Element("div", wide(8, 88, 112, width), ("words",), children=words),
        ),
    )


def footer(about: str, entries: Sequence[str]) -> Element:
    """A bar at the bottom with what the site says of itself and links, which end the episode."""
    items = _links(entries, wide(44, 24, 0, INNER_WIDTH // len(entries)))
    return Element(
        "footer",
        Box(0, 0, PAGE_WIDTH, 84),
        ("foot",),
        children=(
            Element("p", wide(14, TEXT_HEIGHT), ("about",), about),
            Element("ul", wide(44, 24), ("entries",), children=tuple(items)),
        ),
    )


def _links(entries: Sequence[str], first: Box) -> list[Element]:
    """Items of a list side by side, as wide as the ``first`` one's box, with a link each."""
    boxes = [first._replace(left=first.left + place * first.width) for place in range(len(entries))]
    return [
        Element("li", box, ("item",), children=(Element("a", box, ("entry",), entry, behaviour=Behaviour.END),))
        for box, entry in zip(boxes, entries)
    ]
