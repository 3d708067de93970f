"""The design templates of table 4 (CoDE, A.11) for what is filled in or clicked: each makes a primitive's elements.

Boxes are data, so that a page looks the same in every browser and the twin without one knows where all stands. A block
fills the page's width of 480 pixels; its elements keep a margin of 24 at either side.
"""

from collections.abc import Sequence

from procgen_bench.tasks.sites.elements import Behaviour, Box, Element

PAGE_WIDTH, MARGIN = 480, 24
INNER_WIDTH = PAGE_WIDTH - 2 * MARGIN

TEXT_HEIGHT = 20
CONTROL_HEIGHT = 36


def wide(top: int, height: int, left: int = 0, width: int = INNER_WIDTH) -> Box:
    """A box inside the margins; ``left`` counts from the left one."""
    return Box(MARGIN + left, top, width, height)


def text_input(name: str, label: str, type_: str = "text", placeholder: str = "", left: int = 0) -> Element:
    """A label over a line of text; ``left`` shifts the line to the right."""
    width = INNER_WIDTH - left
    attributes = (("type", type_), ("name", name)) + ((("placeholder", placeholder),) if placeholder else ())
    return Element(
        "div",
        wide(0, 68),
        ("field",),
        children=(
            Element("label", wide(4, TEXT_HEIGHT, left, width), text=label),
            Element("input", wide(26, CONTROL_HEIGHT, left, width), ("control",), "", attributes, Behaviour.TYPE),
        ),
    )


def selection(name: str, label: str) -> Element:
    """A box to check, with its label."""
    return Element(
        "div",
        wide(0, 36),
        ("field", "check"),
        children=(
            Element(
                "input",
                wide(8, 20, 0, 20),
                ("tick",),
                attributes=(("type", "checkbox"), ("name", name)),
                behaviour=Behaviour.CHECK,
            ),
            Element("label", wide(8, TEXT_HEIGHT, 30, INNER_WIDTH - 30), text=label),
        ),
    )


def multi_selection(name: str, label: str, options: Sequence[str]) -> Element:
    """A label over options side by side, of which one is chosen."""
    width = INNER_WIDTH // len(options)
    children = [Element("p", wide(4, TEXT_HEIGHT), ("legend",), label)]
    for place, option in enumerate(options):
        tick = Element(
            "input",
            wide(32, 20, place * width, 20),
            ("tick",),
            attributes=(("type", "radio"), ("name", name), ("value", option)),
            behaviour=Behaviour.CHOOSE,
        )
        children += [tick, Element("label", wide(32, TEXT_HEIGHT, place * width + 30, width - 34), text=option)]
    return Element("div", wide(0, 60), ("field", "options"), children=tuple(children))


def drop_down(name: str, label: str, options: Sequence[str]) -> Element:
    """A label over a list that drops down; nothing is selected at first."""
    return Element(
        "div",
        wide(0, 68),
        ("field",),
        children=(
            Element("label", wide(4, TEXT_HEIGHT), text=label),
            Element(
                "select",
                wide(26, CONTROL_HEIGHT),
                ("control",),
                attributes=(("name", name),),
                behaviour=Behaviour.SELECT,
                children=tuple(Element("option", text=option) for option in ("", *options)),
            ),
        ),
    )


def heading(text: str) -> Element:
    """A heading."""
    return Element("header", wide(0, 48), ("heading",), children=(Element("h2", wide(10, 28), ("title",), text),))


def link(text: str) -> Element:
    """A line with a link."""
    anchor = Element("a", wide(6, TEXT_HEIGHT, 0, 8 * len(text)), ("link",), text, behaviour=Behaviour.VISIT)
    return Element("p", wide(0, 32), ("line",), children=(anchor,))


def button(text: str, behaviour: Behaviour) -> Element:
    """A wide button that leaves the page or sends the site off."""
    return Element("button", wide(8, 40), ("button", "primary"), text, (("type", "button"),), behaviour)


def group(label: str, name: str, placeholder: str, action: str) -> Element:
    """A line of text with a sign before it and a button behind it."""
    return Element(
        "div",
        wide(0, 52),
        ("group",),
        children=(
            Element("span", wide(8, CONTROL_HEIGHT, 0, 36), ("sign",), label),
            Element(
                "input",
                wide(8, CONTROL_HEIGHT, 36, INNER_WIDTH - 132),
                ("control",),
                attributes=(("type", "text"), ("name", name), ("placeholder", placeholder)),
                behaviour=Behaviour.TYPE,
            ),
            Element(
                "button",
                wide(8, CONTROL_HEIGHT, INNER_WIDTH - 88, 88),
                ("button", "secondary"),
                action,
                (("type", "button"),),
                Behaviour.VISIT,
            ),
        ),
    )
