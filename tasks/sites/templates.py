"""The design templates of table 4 (CoDE, A.11) for what is filled in or clicked: each makes a primitive's elements.

Boxes are data, so that a page looks the same in every browser and the twin without one knows where all stands. A block
fills the page's width of 480 pixels; its elements keep a margin of 24 at either side.
"""

from collections.abc import Sequence

from procgen_bench.tasks.sites.elements import Behaviour, Box, Element

PAGE_WIDTH, MARGIN = 480, 24
INNER_WIDTH = PAGE_WIDTH - 2 * MARGIN

TEXT_HEIGHT = 20
#: Of an option in a list that shows several at once.
OPTION_HEIGHT = 24
CONTROL_HEIGHT = 36
#: How an input is named.
LABEL, PLACEHOLDER, ARIA_LABEL = "label", "placeholder", "aria-label"
#: Behaviours of lines of text, by the type of their input.
_TYPED = {
    **dict.fromkeys(("text", "password", "tel", "url", "search"), Behaviour.TYPE),
    "number": Behaviour.NUMBER,
    "date": Behaviour.DATE,
    "time": Behaviour.TIME,
    "email": Behaviour.EMAIL,
}
#: What makes a control one that nobody can use.
_UNUSABLE = ("disabled", "readonly")


def wide(top: int, height: int, left: int = 0, width: int = INNER_WIDTH) -> Box:
    """A box inside the margins; ``left`` counts from the left one."""
    return Box(MARGIN + left, top, width, height)


def text_input(
    name: str,
    type_: str = "text",
    naming: str = LABEL,
    reversed_: bool = False,
    placeholder: str = "",
    left: int = 0,
    **more: str,
) -> Element:
    """A line of text.

    Args:
        name: What it is called.
        type_: ``"text"``, ``"password"``, ``"tel"``, ``"url"``, ``"search"``, or one of a form: ``"number"``,
            ``"date"``, ``"time"`` or ``"email"``.
        naming: ``"label"``: by a label above it; else by the attribute of this name.
        reversed_: Whether the label is below it.
        placeholder: What it shows while it is empty, besides its label.
        left: Pixels by which it stands to the right.
        more: Further attributes: ``value`` (what it holds at first), ``min``, ``max``, ``step``, and ``required``,
            ``disabled`` and ``readonly``, which are their own values.
    """
    attributes = {"type": type_, "placeholder": placeholder, **more}
    if naming != LABEL:
        attributes[naming] = name
    return _named(Element("input", behaviour=_TYPED[type_]), attributes, name, naming, reversed_, left)


def drop_down(
    name: str,
    options: Sequence[str],
    naming: str = LABEL,
    reversed_: bool = False,
    selected: str = "",
    asking: str = "",
    **more: str,
) -> Element:
    """A list that drops down. Without a label, it has a name or none at all.

    Args:
        name: What it is called.
        options: Their texts.
        naming: See :func:`text_input`.
        reversed_: See :func:`text_input`.
        selected: The option that is selected at first; empty: the first, or of a list of several, none.
        asking: What it shows at first in place of an option, and nobody can be asked for; empty for no such text.
        more: Further attributes: ``multiple`` (a list, open, of which several can be selected), ``required`` and
            ``disabled``, which are their own values.
    """
    first = [
        Element("option", text=asking, attributes=(("value", ""), ("disabled", "disabled"), ("selected", "selected")))
    ]
    choices = tuple(first if asking else ()) + tuple(
        Element("option", text=option, attributes=(("selected", "selected"),) if option == selected else ())
        for option in options
    )
    attributes = {**({} if naming == LABEL else {naming: name}), **more}
    return _named(
        Element("select", behaviour=Behaviour.SELECT, children=choices), attributes, name, naming, reversed_, 0
    )


def _named(control: Element, attributes: dict[str, str], name: str, naming: str, reversed_: bool, left: int) -> Element:
    """A control with its attributes and, if that is how it is named, its label."""
    width = INNER_WIDTH - left
    labelled = naming == LABEL
    height = list_height(control) if "multiple" in attributes else CONTROL_HEIGHT
    more = height - CONTROL_HEIGHT
    top = 26 if labelled and not reversed_ else 4
    control = Element(
        control.tag,
        wide(top, height, left, width),
        ("control",),
        attributes=tuple((key, value) for key, value in attributes.items() if value),
        behaviour=Behaviour.NONE if attributes.keys() & set(_UNUSABLE) else control.behaviour,
        children=control.children,
    )
    label = Element("label", wide(44 + more if reversed_ else 4, TEXT_HEIGHT, left, width), text=name)
    children = ((control, label) if reversed_ else (label, control)) if labelled else (control,)
    return Element("div", wide(0, (68 if labelled else 44) + more), ("field",), children=children)


def list_height(select: Element) -> int:
    """Pixels of a list that shows its options, at most four at once."""
    return 8 + OPTION_HEIGHT * min(4, len(select.children))


def selection(name: str, reversed_: bool = False, **more: str) -> Element:
    """A box to check, with its label behind it, or before it if ``reversed_``.

    ``more`` are attributes: ``checked`` and ``required``, which are their own values.
    """
    tick = Element(
        "input",
        wide(8, 20, INNER_WIDTH - 20 if reversed_ else 0, 20),
        ("tick",),
        attributes=(("type", "checkbox"), *more.items()),
        behaviour=Behaviour.CHECK,
    )
    label = Element("label", wide(8, TEXT_HEIGHT, 0 if reversed_ else 30, INNER_WIDTH - 30), text=name)
    return Element("div", wide(0, 36), ("field", "check"), children=(label, tick) if reversed_ else (tick, label))


def multi_selection(legend: str, options: Sequence[str], reversed_: bool = False, name: str = "") -> Element:
    """Options side by side, of which one is chosen, below a legend, or above it if ``reversed_``.

    Args:
        legend: The legend; empty for none.
        options: Their texts, which are their values, too.
        reversed_: Whether the legend is below the options, and each option's text before it.
        name: What a screen reader calls the group if it has no legend.
    """
    width = INNER_WIDTH // len(options)
    top = 32 if legend and not reversed_ else 4
    items = []
    for place, option in enumerate(options):
        left = place * width
        tick = Element(
            "input",
            wide(top, 20, left + (width - 48 if reversed_ else 0), 20),
            ("tick",),
            attributes=(("type", "radio"), ("value", option)),
            behaviour=Behaviour.CHOOSE,
        )
        place_of_text = wide(top, TEXT_HEIGHT, left + (0 if reversed_ else 30), width - (52 if reversed_ else 34))
        text = Element("label", place_of_text, text=option)
        inside = (text, tick) if reversed_ else (tick, text)
        items.append(Element("div", wide(top, 20, left, width), ("option",), children=inside))
    attributes = ((ARIA_LABEL, legend or name),)
    group = Element("div", wide(top, 20), ("choices",), attributes=attributes, children=tuple(items))
    heading = Element("h6", wide(32 if reversed_ else 4, TEXT_HEIGHT), ("legend",), legend)
    children = ((group, heading) if reversed_ else (heading, group)) if legend else (group,)
    return Element("div", wide(0, 60 if legend else 32), ("field", "options"), children=children)


def heading(text: str) -> Element:
    """A heading."""
    return Element("header", wide(0, 48), ("heading",), children=(Element("h5", wide(10, 28), ("title",), text),))


def link(text: str) -> Element:
    """A line with a link, which ends the episode."""
    anchor = Element("a", wide(6, TEXT_HEIGHT, 0, 8 * len(text)), ("link",), text, behaviour=Behaviour.END)
    return Element("p", wide(0, 32), ("line",), children=(anchor,))


def button(text: str, behaviour: Behaviour) -> Element:
    """A wide button that leaves the page or submits the site."""
    pressed = Element("button", wide(8, 40), ("button", "primary"), text, (("type", "button"),), behaviour)
    return Element("div", wide(0, 48), ("action",), children=(pressed,))


def group(label: str, placeholder: str, action: str) -> Element:
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
                attributes=(("type", "text"), ("placeholder", placeholder)),
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
