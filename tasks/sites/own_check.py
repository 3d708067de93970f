"""What primitives that are not published are held to, so that both backends show them alike, and nothing else runs."""

import re
from functools import lru_cache

from procgen_bench.core.errors import InvalidTaskError
from procgen_bench.tasks.sites.elements import FORMED, NO_BOX, OBSERVED_ATTRIBUTES, Behaviour, Box, Element
from procgen_bench.tasks.sites.formed_values import has_form, values_of_form
from procgen_bench.tasks.sites.lines import refused_place
from procgen_bench.tasks.sites.pages import MAX_HEIGHT
from procgen_bench.tasks.sites.pattern_values import values_of_pattern
from procgen_bench.tasks.sites.primitive import Primitive
from procgen_bench.tasks.sites.primitive_check import check_primitive
from procgen_bench.tasks.sites.primitives import EVERY_PRIMITIVE, is_decoy
from procgen_bench.tasks.sites.templates import PAGE_WIDTH
from procgen_bench.tasks.sites.typed_values import TOKENS
from procgen_bench.tasks.sites.variation import PUBLISHED_LOOK
from procgen_bench.tasks.sites.vocabulary import TAG_NUMBERS

#: The kinds of templates in table 4.
KINDS = tuple(dict.fromkeys(primitive.template for primitive in EVERY_PRIMITIVE.values()))
#: The classes of published primitives, which the style knows.
CLASSES = frozenset(name for one in EVERY_PRIMITIVE.values() for element in one.root for name in element.classes)
MAX_TEXT_LENGTH = 200

_NAME = re.compile(r"[a-z0-9][a-z0-9_.-]{0,63}")
_ATTRIBUTES = (*OBSERVED_ATTRIBUTES, "checked", "selected", "aria-level", "role", "autocomplete", "pattern")
#: Attributes that are there or not, with the tags that have them, or the types of an ``input``.
_FLAGS = {
    "checked": ("checkbox", "radio"),
    "selected": ("option",),
    "multiple": ("select",),
    "required": ("input", "select"),
    "disabled": ("input", "select", "button", "option"),
    "readonly": ("", "text", "password", "number", "date", "time", "email", "tel", "url", "search"),
}
_LIMITS, _TYPED_TYPES = ("min", "max", "step"), ("", "text", "password", "tel", "url", "search")
_TYPES = {Behaviour.NUMBER: "number", Behaviour.DATE: "date", Behaviour.TIME: "time", Behaviour.EMAIL: "email"}
_ROLES = {"switch": "checkbox", "group": "div"}
#: The tag of what behaves so, and the types that it may have, if it has any; all else is a link or a button.
_CONTROLS = {
    Behaviour.TYPE: ("input", _TYPED_TYPES),
    **{behaviour: ("input", (type_,)) for behaviour, type_ in _TYPES.items()},
    Behaviour.CHECK: ("input", ("checkbox",)),
    Behaviour.CHOOSE: ("input", ("radio",)),
    Behaviour.SELECT: ("select", ("",)),
}
_HEADINGS = ("h2", "h4", "h5", "h6")
_BLOCKS = (*_HEADINGS, "div", "footer", "header", "li", "nav", "ol", "p", "ul")
#: What browsers end before an element inside: tags, by that of an element around them.
_NEVER_INSIDE = {
    "a": ("a",),
    "button": ("button", "a", "input", "select"),
    "p": _BLOCKS,
    "label": ("label", "button", "a"),
    **dict.fromkeys(_HEADINGS, _HEADINGS),
}
_ELSEWHERE = ("main", "form")
#: Pixels that the style leaves free inside a line of text or a list.
_MIN_CONTROL_WIDTH = 48


@lru_cache(maxsize=8192)
def check_own(primitive: Primitive) -> None:
    """Raise :class:`InvalidTaskError` unless a primitive that is not published can stand on pages.

    Besides what :func:`~procgen_bench.tasks.sites.primitive_check.check_primitive` asks for, its name is a word of
    small letters, digits and ``_.-`` that no published primitive has; its template is one of table 4's; tags, classes,
    attributes and types are those of published ones, nested as HTML allows; texts are of one line; and boxes have a
    size, and lie in each other as elements do, on a page's width and at most 480 pixels of height. What can be used is
    covered by nothing but what is inside it, of which nothing can be used by itself: a mouse reaches it.
    """
    if not isinstance(primitive, Primitive):
        raise InvalidTaskError("primitive", primitive, "a Primitive")
    if not _NAME.fullmatch(primitive.name) or primitive.name in EVERY_PRIMITIVE or is_decoy(primitive.name):
        expected = "1 to 64 small letters, digits and _.-, no published primitive's name, not decoy_"
        raise InvalidTaskError("name of a primitive", primitive.name, expected)
    if primitive.template not in KINDS:
        raise _fault(primitive, "template", primitive.template, f"one of {', '.join(KINDS)}")
    if primitive.gap != PUBLISHED_LOOK.gap:
        raise _fault(primitive, "gap", primitive.gap, f"{PUBLISHED_LOOK.gap}, which variations change")
    _check_text(primitive, "field", primitive.field)
    _check_text(primitive, "label", primitive.label)
    if primitive.field.strip() != primitive.field or "=" in primitive.field:
        raise _fault(primitive, "field", primitive.field, "no = and no blanks around")
    if primitive.root.box.top != 0 or primitive.root.box.height > MAX_HEIGHT:
        raise _fault(primitive, "box", tuple(primitive.root.box), f"one from 0 down, at most {MAX_HEIGHT} pixels high")
    _check_inside(primitive, primitive.root, (), False)
    _check_uncovered(primitive)
    check_primitive(primitive)


def _check_inside(primitive: Primitive, element: Element, around: tuple[str, ...], listed: bool) -> None:
    """Check an element inside others of these tags; ``listed``: an ``option`` or ``li`` may stand here."""
    tag = element.tag
    if tag not in TAG_NUMBERS or tag in _ELSEWHERE or (tag in ("option", "li")) != listed:
        raise _fault(primitive, "tag", tag, "one of a published primitive's; li in ol or ul, option in select")
    outer = next((outer for outer in around if tag in _NEVER_INSIDE.get(outer, ())), None)
    if outer is not None:
        raise _fault(primitive, "element", f"<{tag}> in <{outer}>", "no such nesting, which HTML does not have")
    if (tag in ("img", "input", "option") and element.children) or (tag in ("img", "input", "select") and element.text):
        raise _fault(primitive, f"content of <{tag}>", element.text, "nothing")
    if tag == "select" and not element.children:
        raise _fault(primitive, "options of <select>", (), "at least one")
    for text in (element.text, element.name, element.target, *(value for _, value in element.attributes)):
        _check_text(primitive, f"text of <{tag}>", text)
    _check_attributes(primitive, element)
    _check_behaviour(primitive, element)
    _check_box(primitive, element)
    for child in element.children:
        _check_inside(primitive, child, (*around, tag), child.tag in _listed_in(tag))
        if child.tag != "option" and not _holds(element.box, child.box):
            raise _fault(
                primitive, f"box of <{child.tag}>", tuple(child.box), f"one in <{tag}>'s, {tuple(element.box)}"
            )


def _listed_in(tag: str) -> tuple[str, ...]:
    return ("li",) if tag in ("ol", "ul") else ("option",) if tag == "select" else ()


def _check_attributes(primitive: Primitive, element: Element) -> None:
    names = [name for name, _ in element.attributes]
    for name, value in element.attributes:
        if name not in _ATTRIBUTES or names.count(name) > 1:
            expected = f"each of {', '.join(_ATTRIBUTES)} at most once"
            raise _fault(primitive, f"attribute of <{element.tag}>", name, expected)
        if not _fits(element, name, value):
            expected = "an attribute, and a value of it, that such an element has"
            raise _fault(primitive, f"{name} of <{element.tag} type={element.attribute('type')!r}>", value, expected)
    for name in element.classes:
        if name not in CLASSES:
            raise _fault(primitive, f"class of <{element.tag}>", name, "one of a published primitive's")


def _fits(element: Element, name: str, value: str) -> bool:
    """Whether an element can have an attribute of this value."""
    kind = element.attribute("type") if element.tag == "input" else element.tag
    if name in _FLAGS:
        return value == name and (kind in _FLAGS[name] or element.tag in _FLAGS[name])
    if name == "value":
        behaviour = next((one for one, type_ in _TYPES.items() if type_ == kind), Behaviour.TYPE)
        is_line = kind in _TYPED_TYPES or behaviour in FORMED
        return kind == "radio" or (is_line and has_form(value, behaviour)) or (element.tag, value) == ("option", "")
    if name in _LIMITS:
        return kind in ("number", "date", "time")
    if name == "autocomplete":
        return element.tag == "input" and kind in _TYPED_TYPES and value in TOKENS
    if name == "pattern":
        return element.tag == "input" and kind in _TYPED_TYPES and bool(values_of_pattern(value))
    if name == "aria-level":
        return element.tag in _HEADINGS and value in tuple("123456")
    return name != "role" or _ROLES.get(value) == kind


def _check_behaviour(primitive: Primitive, element: Element) -> None:
    behaviour, type_ = element.behaviour, element.attribute("type")
    if behaviour in _CONTROLS:
        tag, types = _CONTROLS[behaviour]
        fits = element.tag == tag and type_ in types
    elif behaviour == Behaviour.NONE and element.tag in ("input", "select"):
        fits = bool(element.attribute("disabled") or element.attribute("readonly"))
        fits &= (element.tag, type_) in {(tag, type_) for tag, types in _CONTROLS.values() for type_ in types}
    elif behaviour == Behaviour.NONE:
        fits = type_ == ("button" if element.tag == "button" else "")
    else:
        fits = (element.tag, type_) in (("a", ""), ("button", "button"))
    if not fits:
        shown = f"<{element.tag} type={type_!r}>"
        raise _fault(primitive, f"{shown}'s behaviour", behaviour.name.lower(), "one that such an element has")
    if behaviour != Behaviour.NONE and (element.attribute("disabled") or element.attribute("readonly")):
        raise _fault(primitive, f"behaviour of <{element.tag}>", behaviour.name.lower(), "none where it is disabled")
    if behaviour in FORMED and not values_of_form(behaviour, *map(element.attribute, _LIMITS)):
        limits = " ".join(map(element.attribute, _LIMITS))
        raise _fault(primitive, f"limits of <{element.tag}>", limits, "ones that some value keeps to")
    if element.target and behaviour != Behaviour.TOGGLE:
        raise _fault(primitive, f"target of <{element.tag}>", element.target, "none but a toggle's")


def _check_box(primitive: Primitive, element: Element) -> None:
    box, block = element.box, primitive.root.box
    if element.tag == "option":
        fits = box == NO_BOX
    else:
        inside = box.left >= 0 and box.top >= 0 and box.left + box.width <= PAGE_WIDTH
        smallest = _MIN_CONTROL_WIDTH if "control" in element.classes else 1
        fits = inside and box.top + box.height <= block.height and box.width >= smallest and box.height > 0
    if not fits:
        raise _fault(primitive, f"box of <{element.tag}>", tuple(box), f"one in the block's, {tuple(block)}; no option")


def _check_uncovered(primitive: Primitive) -> None:
    elements = list(primitive.root)
    for index, element in enumerate(elements):
        if element.behaviour == Behaviour.NONE:
            continue
        for inside in elements[index + 1 : index + len(element)]:
            if inside.behaviour != Behaviour.NONE:
                raise _fault(
                    primitive, f"use of <{inside.tag}> in <{element.tag}>", inside.behaviour.name.lower(), "none"
                )
        for above in elements[index + len(element) :]:  # what comes later is drawn above
            if above.box != NO_BOX and _overlap(element.box, above.box):
                expected = f"one next to that of <{element.tag}>, {tuple(element.box)}, which can be used"
                raise _fault(primitive, f"box of <{above.tag}>", tuple(above.box), expected)


def _holds(outer: Box, inner: Box) -> bool:
    return (
        outer.left <= inner.left
        and outer.top <= inner.top
        and inner.left + inner.width <= outer.left + outer.width
        and inner.top + inner.height <= outer.top + outer.height
    )


def _overlap(one: Box, other: Box) -> bool:
    return (
        one.left < other.left + other.width
        and other.left < one.left + one.width
        and one.top < other.top + other.height
        and other.top < one.top + one.height
    )


def _check_text(primitive: Primitive, place: str, text: str) -> None:
    if len(text) > MAX_TEXT_LENGTH or refused_place(text) is not None:
        raise _fault(primitive, place, text, f"one line of at most {MAX_TEXT_LENGTH} characters")


def _fault(primitive: Primitive, what: str, value: object, expected: str) -> InvalidTaskError:
    return InvalidTaskError(f"{what} of primitive {primitive.name!r}", value, expected)
