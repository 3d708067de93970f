"""Labels of a fragment next to their controls, as fields: by marks that both have, until all is in its place."""

from collections.abc import Sequence
from dataclasses import replace

from procgen_bench.tasks.sites.elements import Element
from procgen_bench.tasks.sites.shown_fragment import ShownNode

#: What marks a button of a form, of which is known what it does.
OF_FORM = "of a form"


def mark_of(node: ShownNode) -> str:
    """What marks a control and its label."""
    return f"control {id(node)}"


def paired(children: Sequence[Element]) -> list[Element]:
    """Labels go together with their controls where these stand next to them; others are text."""
    found: list[Element] = []
    for child in children:
        before = found[-1] if found else None
        if before is not None and before.tag == "label" and before.target and before.target == child.name:
            found[-1] = _turned(field_of(child, [before])) if child.is_tick else field_of(child, [before])
        elif before is not None and child.tag == "label" and child.target and child.target == before.name:
            found[-1] = field_of(before, [child]) if before.is_tick else _turned(field_of(before, [child]))
        else:
            found.append(child)
    return found


def unmarked(element: Element) -> Element:
    """An element without marks; a label whose control is elsewhere is a text."""
    tag = "span" if element.tag == "label" and element.target else element.tag
    return replace(element, tag=tag, name="", target="", children=tuple(map(unmarked, element.children)))


def field_of(control: Element, texts: list[Element]) -> Element:
    """A control next to the texts that it is called by; where these are its label, it says its name no more."""
    name = control.attribute("aria-label")
    is_label = len(texts) == 1 and texts[0].text == name
    if is_label:
        control = replace(control, attributes=tuple((k, v) for k, v in control.attributes if k != "aria-label"))
    else:
        texts = [replace(text, tag="span", target="") for text in texts]
    texts = [replace(text, target="") for text in texts]
    inside = (control, *texts) if control.is_tick else (*texts, control)
    classes = ("option",) if control.attribute("type") == "radio" else ("field", *["check"] * control.is_tick)
    return Element("div", classes=classes, children=inside)


def _turned(field: Element) -> Element:
    """A field whose label stands on the other side of its control."""
    return replace(field, children=field.children[::-1])
