"""The design templates of table 4 (CoDE, A.11): each makes the elements of a primitive from its labels.

Boxes are data, so that a page looks the same in every browser and the twin without one knows where all stands. A block
fills the page's width of 480 pixels; its elements keep a margin of 24 at either side.
"""

from collections.abc import Sequence

from procgen_bench.tasks.sites.elements import Behaviour, Box, Element

PAGE_WIDTH, MARGIN = 480, 24
INNER_WIDTH = PAGE_WIDTH - 2 * MARGIN

_TEXT_HEIGHT = 20
_CONTROL_HEIGHT = 36


def _wide(top: int, height: int, left: int = 0, width: int = INNER_WIDTH) -> Box:
    return Box(MARGIN + left, top, width, height)


def text_input(name: str, label: str, type_: str = "text", placeholder: str = "", left: int = 0) -> Element:
    """A label over a line of text; ``left`` shifts the line to the right."""
    width = INNER_WIDTH - left
    attributes = (("type", type_), ("name", name)) + ((("placeholder", placeholder),) if placeholder else ())
    return Element(
        "div",
        _wide(0, 68),
        ("field",),
        children=(
            Element("label", _wide(4, _TEXT_HEIGHT, left, width), text=label),
            Element("input", _wide(26, _CONTROL_HEIGHT, left, width), ("control",), "", attributes, Behaviour.TYPE),
        ),
    )


def selection(name: str, label: str) -> Element:
    """A box to check, with its label."""
    return Element(
        "div",
        _wide(0, 36),
        ("field", "check"),
        children=(
            Element(
                "input",
                _wide(8, 20, 0, 20),
                ("tick",),
                attributes=(("type", "checkbox"), ("name", name)),
                behaviour=Behaviour.CHECK,
            ),
            Element("label", _wide(8, _TEXT_HEIGHT, 30, INNER_WIDTH - 30), text=label),
        ),
    )


def multi_selection(name: str, label: str, options: Sequence[str]) -> Element:
    """A label over options side by side, of which one is chosen."""
    width = INNER_WIDTH // len(options)
    children = [Element("p", _wide(4, _TEXT_HEIGHT), ("legend",), label)]
    for place, option in enumerate(options):
        tick = Element(
            "input",
            _wide(32, 20, place * width, 20),
            ("tick",),
            attributes=(("type", "radio"), ("name", name), ("value", option)),
            behaviour=Behaviour.CHOOSE,
        )
        children += [tick, Element("label", _wide(32, _TEXT_HEIGHT, place * width + 30, width - 34), text=option)]
    return Element("div", _wide(0, 60), ("field", "options"), children=tuple(children))


def drop_down(name: str, label: str, options: Sequence[str]) -> Element:
    """A label over a list that drops down; nothing is selected at first."""
    return Element(
        "div",
        _wide(0, 68),
        ("field",),
        children=(
            Element("label", _wide(4, _TEXT_HEIGHT), text=label),
            Element(
                "select",
                _wide(26, _CONTROL_HEIGHT),
                ("control",),
                attributes=(("name", name),),
                behaviour=Behaviour.SELECT,
                children=tuple(Element("option", text=option) for option in ("", *options)),
            ),
        ),
    )


def heading(text: str) -> Element:
    """A heading."""
    return Element("header", _wide(0, 48), ("heading",), children=(Element("h2", _wide(10, 28), ("title",), text),))


def link(text: str) -> Element:
    """A line with a link."""
    anchor = Element("a", _wide(6, _TEXT_HEIGHT, 0, 8 * len(text)), ("link",), text, behaviour=Behaviour.VISIT)
    return Element("p", _wide(0, 32), ("line",), children=(anchor,))


def button(text: str, behaviour: Behaviour) -> Element:
    """A wide button that leaves the page or sends the site off."""
    return Element("button", _wide(8, 40), ("button", "primary"), text, (("type", "button"),), behaviour)


def navigation_bar(brand: str, entries: Sequence[str]) -> Element:
    """A bar with the site's name, a button that folds the menu, and the menu of links."""
    left, width = 132, (PAGE_WIDTH - 132 - MARGIN) // len(entries)
    items = []
    for place, entry in enumerate(entries):
        box = Box(left + place * width, 14, width, 28)
        anchor = Element("a", box, ("entry",), entry, behaviour=Behaviour.VISIT)
        items.append(Element("li", box, ("item",), children=(anchor,)))
    return Element(
        "nav",
        Box(0, 0, PAGE_WIDTH, 56),
        ("bar",),
        children=(
            Element("span", Box(MARGIN, 14, 64, 28), ("brand",), brand),
            Element(
                "button",
                Box(92, 14, 32, 28),
                ("fold",),
                "\u2261",
                (("type", "button"), ("title", "Menu")),
                Behaviour.TOGGLE,
                target="menu",
            ),
            Element("ul", Box(left, 14, width * len(entries), 28), ("menu",), name="menu", children=tuple(items)),
        ),
    )


def carousel(slides: Sequence[tuple[str, str]]) -> Element:
    """Pictures with captions, one shown at a time, with marks for all and buttons to the next and previous one."""
    marks = tuple(Element("li", _wide(186, 8, 176 + 16 * place, 8), ("mark",)) for place in range(len(slides)))
    shown = tuple(
        Element(
            "div",
            _wide(8, 172),
            ("slide",),
            hidden=place > 0,
            children=(
                Element("img", _wide(8, 112), ("picture", f"scene-{place + 1}"), attributes=(("alt", name),)),
                Element("h5", _wide(122, 24, 48, INNER_WIDTH - 96), ("caption",), name),
                Element("p", _wide(148, _TEXT_HEIGHT, 48, INNER_WIDTH - 96), ("caption",), text),
            ),
        )
        for place, (name, text) in enumerate(slides)
    )
    return Element(
        "div",
        _wide(0, 204),
        ("carousel",),
        children=(
            Element("ol", _wide(186, 8, 176, 16 * len(slides) - 8), ("marks",), children=marks),
            Element("div", _wide(8, 172), ("slides",), name="slides", children=shown),
            _turn("previous", "Previous", "\u2039", 0, Behaviour.BACK),
            _turn("next", "Next", "\u203a", INNER_WIDTH - 40, Behaviour.FORWARD),
        ),
    )


def _turn(name: str, text: str, arrow: str, left: int, behaviour: Behaviour) -> Element:
    box = _wide(120, 60, left, 40)
    return Element(
        "a",
        box,
        ("turn", name),
        attributes=(("title", text),),
        behaviour=behaviour,
        target="slides",
        children=(Element("span", box, ("arrow",), arrow),),
    )


def cart(title: str, goods: Sequence[tuple[str, str, str]], promotion: str) -> Element:
    """Goods (name, description, price), each with a button that takes it out, and a line for a promotion's code."""
    items = []
    for place, (name, description, price) in enumerate(goods):
        top = 44 + 52 * place
        remove = Element(
            "button",
            _wide(top + 10, 28, INNER_WIDTH - 44, 32),
            ("remove",),
            "\u00d7",
            (("type", "button"), ("title", "Remove")),
            Behaviour.TOGGLE,
            target=f"good-{place}",
        )
        words = Element(
            "div",
            _wide(top + 4, 44, 12, 260),
            ("words",),
            children=(
                Element("h6", _wide(top + 4, 22, 12, 260), ("name",), name),
                Element("small", _wide(top + 26, 18, 12, 260), ("note",), description),
            ),
        )
        cost = Element("span", _wide(top + 14, _TEXT_HEIGHT, INNER_WIDTH - 130, 72), ("price",), price)
        items.append(Element("li", _wide(top, 52), ("good",), name=f"good-{place}", children=(words, cost, remove)))
    bottom = 44 + 52 * len(goods)
    promotion_line = Element(
        "div",
        _wide(bottom + 8, _CONTROL_HEIGHT),
        ("group",),
        children=(
            Element(
                "input",
                _wide(bottom + 8, _CONTROL_HEIGHT, 0, INNER_WIDTH - 104),
                ("control",),
                attributes=(("type", "text"), ("name", "promotion"), ("placeholder", promotion)),
                behaviour=Behaviour.TYPE,
            ),
            Element(
                "button",
                _wide(bottom + 8, _CONTROL_HEIGHT, INNER_WIDTH - 96, 96),
                ("button", "secondary"),
                "Redeem",
                (("type", "button"),),
                Behaviour.VISIT,
            ),
        ),
    )
    return Element(
        "div",
        _wide(0, bottom + 52),
        ("cart",),
        children=(
            Element("h4", _wide(8, 28, 0, 300), ("title",), title),
            Element("span", _wide(12, _TEXT_HEIGHT, INNER_WIDTH - 40, 28), ("badge",), str(len(goods))),
            Element("ul", _wide(44, 52 * len(goods)), ("goods",), children=tuple(items)),
            promotion_line,
        ),
    )


def deck(cards: Sequence[tuple[str, str, str]], action: str) -> Element:
    """Cards side by side, each with a picture, a name, a text, a price and a link."""
    width = (INNER_WIDTH - 12 * (len(cards) - 1)) // len(cards)
    children = []
    for place, (name, text, price) in enumerate(cards):
        left = place * (width + 12)

        def inside(top: int, height: int, left: int = left) -> Box:
            return _wide(top, height, left + 8, width - 16)

        words = (
            Element("h5", inside(84, 22), ("name",), name),
            Element("p", inside(108, 18), ("note",), text),
            Element("span", inside(130, _TEXT_HEIGHT), ("price",), price),
            Element("a", inside(156, 24), ("link",), action, behaviour=Behaviour.VISIT),
        )
        picture = Element(
            "img", _wide(4, 72, left, width), ("picture", f"ware-{place + 1}"), attributes=(("alt", name),)
        )
        body = Element("div", _wide(80, 108, left, width), ("words",), children=words)
        children.append(Element("div", _wide(4, 184, left, width), ("card",), children=(picture, body)))
    return Element("div", _wide(0, 196), ("deck",), children=tuple(children))


def media(name: str, text: str, action: str) -> Element:
    """A picture beside a name, a text and a link."""
    width = INNER_WIDTH - 128
    words = (
        Element("h5", _wide(12, 24, 112, width), ("name",), name),
        Element("p", _wide(38, _TEXT_HEIGHT, 112, width), ("note",), text),
        Element("a", _wide(64, 24, 112, width), ("link",), action, behaviour=Behaviour.VISIT),
    )
    return Element(
        "div",
        _wide(0, 108),
        ("media",),
        children=(
            Element("img", _wide(8, 88, 8, 88), ("picture", "deal"), attributes=(("alt", name),)),
            Element("div", _wide(8, 88, 112, width), ("words",), children=words),
        ),
    )


def group(label: str, name: str, placeholder: str, action: str) -> Element:
    """A line of text with a sign before it and a button behind it."""
    return Element(
        "div",
        _wide(0, 52),
        ("group",),
        children=(
            Element("span", _wide(8, _CONTROL_HEIGHT, 0, 36), ("sign",), label),
            Element(
                "input",
                _wide(8, _CONTROL_HEIGHT, 36, INNER_WIDTH - 132),
                ("control",),
                attributes=(("type", "text"), ("name", name), ("placeholder", placeholder)),
                behaviour=Behaviour.TYPE,
            ),
            Element(
                "button",
                _wide(8, _CONTROL_HEIGHT, INNER_WIDTH - 88, 88),
                ("button", "secondary"),
                action,
                (("type", "button"),),
                Behaviour.VISIT,
            ),
        ),
    )


def footer(note: str, about: str, entries: Sequence[str]) -> Element:
    """A bar at the bottom with links and what the site says of itself."""
    width = INNER_WIDTH // len(entries)
    items = []
    for place, entry in enumerate(entries):
        box = _wide(44, 24, place * width, width)
        anchor = Element("a", box, ("entry",), entry, behaviour=Behaviour.VISIT)
        items.append(Element("li", box, ("item",), children=(anchor,)))
    return Element(
        "footer",
        Box(0, 0, PAGE_WIDTH, 104),
        ("foot",),
        children=(
            Element(
                "div",
                _wide(8, 88),
                ("inside",),
                children=(
                    Element("p", _wide(14, _TEXT_HEIGHT), ("about",), about),
                    Element("ul", _wide(44, 24), ("entries",), children=tuple(items)),
                    Element("small", _wide(72, 18), ("note",), note),
                ),
            ),
        ),
    )
