"""Of which of the templates' kinds a fragment is, and what it asks for."""

from dataclasses import dataclass, replace

from procgen_bench.tasks.sites.elements import HOLDING, Behaviour, Element
from procgen_bench.tasks.sites.fragment_fields import OF_FORM
from procgen_bench.tasks.sites.own_check import KINDS
from procgen_bench.tasks.sites.shown_fragment import FragmentError

_HEADINGS = ("h2", "h4", "h5", "h6")
#: Kinds by a word among the names of a fragment's classes, or by one of its tags; the first that fits.
_BY_WORD = {
    "carousel": ("carousel", "slider", "slideshow"),
    "cart": ("cart", "basket"),
    "deck": ("deck", "cards"),
    "footer": ("footer",),
    "navigation bar": ("navbar", "nav", "navigation", "menu", "breadcrumb"),
    "media": ("media",),
}
_BY_TAG = {"nav": "navigation bar", "footer": "footer"}


@dataclass(frozen=True)
class Purpose:
    """What a fragment is for.

    Attributes:
        kind: The template's name.
        root: Its elements, whose buttons do what those of the kind do.
        label: What it calls what is asked for; empty where nothing is.
    """

    kind: str
    root: Element
    label: str = ""


def purpose_of(root: Element, words: set[str]) -> Purpose:
    """What elements are for, by what is to be filled in, else by tags and by ``words`` of their classes' names.

    Raises:
        FragmentError: They are of no kind.
    """
    controls = [element for element in root if element.behaviour in HOLDING]
    if controls:
        return _asking(root, controls)
    kind = _passive_kind(root, words)
    pressed = Behaviour.LEAVE if kind == "button" else Behaviour.END
    return Purpose(kind, _with_buttons(root, pressed, "primary" if kind == "button" else "secondary"))


def _asking(root: Element, controls: list[Element]) -> Purpose:
    behaviours = {control.behaviour for control in controls}
    if behaviours == {Behaviour.CHOOSE} and len(controls) > 1:
        return Purpose("multi-selection", root, _said(_texts_beside_options(root), root, "options"))
    if len(controls) > 1:
        raise FragmentError(f"{len(controls)} things to fill in that no labels part, expected one")
    kinds = {Behaviour.SELECT: "multi-selection", Behaviour.CHECK: "selection", Behaviour.CHOOSE: "multi-selection"}
    texts = [e.text for e in root if e.tag not in ("option", "a", "button")]
    labels = [e.text for e in root if e.tag == "label"]
    named = [controls[0].attribute(name) for name in ("aria-label", "placeholder", "title")]
    if len(labels) > 1:
        labels = []
    return Purpose(kinds.get(controls[0].behaviour, "input"), root, _said([*labels, *named, *texts], root, "line"))


def _said(texts: list[str], root: Element, what: str) -> str:
    """The first of texts that says something, without the signs around it."""
    for text in (*texts, root.attribute("aria-label")):
        if said := text.strip(" :*\u2026"):
            return said
    raise FragmentError(f"nothing says what the {what} asks for: no label, placeholder, heading or aria-label")


def _texts_beside_options(root: Element) -> list[str]:
    """What the options' group is called, then texts that are no option's, headings first."""
    values = {e.attribute("value") for e in root if e.attribute("type") == "radio"}
    texts = [e for e in root if e.text and e.text not in values and e.tag not in ("a", "button")]
    groups = [e.attribute("aria-label") for e in root if "choices" in e.classes]
    return [*groups, *(e.text for e in texts if e.tag in _HEADINGS), *(e.text for e in texts)]


def _passive_kind(root: Element, words: set[str]) -> str:
    tags = [element.tag for element in root]
    for kind, known in _BY_WORD.items():
        if words.intersection(known) and ("a" in tags or kind != "navigation bar"):
            return kind
    for tag, kind in _BY_TAG.items():
        if tag in tags:
            return kind
    if control := next((element for element in root if element.tag in ("input", "select")), None):  # nobody can use it
        is_line = control.tag == "input" and not control.is_tick
        return "input" if is_line else "selection" if control.attribute("type") == "checkbox" else "multi-selection"
    links, buttons, pictures = tags.count("a"), tags.count("button"), tags.count("img")
    if pictures:
        return "deck" if pictures > 1 else "media"
    if links + buttons == 0:
        return "label"
    if links + buttons == 1:
        return "link" if links else "button"
    if buttons == 0:
        return "navigation bar"
    raise FragmentError(f"{buttons} buttons and {links} links, which is none of the kinds {', '.join(KINDS)}")


def _with_buttons(element: Element, behaviour: Behaviour, class_: str) -> Element:
    children = tuple(_with_buttons(child, behaviour, class_) for child in element.children)
    if element.tag != "button" or element.behaviour == Behaviour.NONE:
        return replace(element, children=children)
    if element.name == OF_FORM:
        behaviour, class_ = element.behaviour, "primary" if element.behaviour == Behaviour.LEAVE else "secondary"
    return replace(element, children=children, behaviour=behaviour, classes=("button", class_))
