"""Primitives as plain values, which JSON holds, and back again, checked."""

from collections.abc import Mapping
from dataclasses import fields
from typing import Any

from procgen_bench.core.errors import InvalidTaskError
from procgen_bench.tasks.sites.elements import NO_BOX, Behaviour, Box, Element
from procgen_bench.tasks.sites.primitive import Primitive

Plain = dict[str, Any]

_TEXT_KEYS = ("name", "template", "field", "label")
_PRIMITIVE_KEYS = (*_TEXT_KEYS, "decoy", "root")
_ELEMENT_KEYS = tuple(field.name for field in fields(Element))
#: Elements inside each other, at most.
_MAX_DEPTH = 32


def plain_primitive(primitive: Primitive) -> Plain:
    """A primitive in words and numbers; what is as usual is left out."""
    parts = {key: getattr(primitive, key) for key in _PRIMITIVE_KEYS[:-1] if getattr(primitive, key)}
    return {**parts, "root": _plain_element(primitive.root)}


def primitive_of(plain: object) -> Primitive:
    """The primitive that :func:`plain_primitive` writes.

    Raises:
        InvalidTaskError: A part is missing, unknown, or of another type. Whether it can stand on a page is for
            :func:`~procgen_bench.tasks.sites.own_check.check_own` to say.
    """
    parts = _mapping("primitive", plain, _PRIMITIVE_KEYS)
    name, template, field, label = (_text(f"primitive's {key}", parts.get(key, "")) for key in _TEXT_KEYS)
    decoy = _flag(f"decoy of {name!r}", parts.get("decoy", False))
    return Primitive(name, template, _element(f"root of {name!r}", parts.get("root"), 0), field, label, decoy=decoy)


def _plain_element(element: Element) -> Plain:
    parts: Plain = {"tag": element.tag}
    if element.box != NO_BOX:
        parts["box"] = list(element.box)
    if element.classes:
        parts["classes"] = list(element.classes)
    if element.attributes:
        parts["attributes"] = dict(element.attributes)
    if element.behaviour != Behaviour.NONE:
        parts["behaviour"] = element.behaviour.name.lower()
    parts |= {key: getattr(element, key) for key in ("text", "name", "target", "hidden") if getattr(element, key)}
    if element.children:
        parts["children"] = [_plain_element(child) for child in element.children]
    return parts


def _element(place: str, plain: object, depth: int) -> Element:
    if depth > _MAX_DEPTH:
        raise InvalidTaskError(place, "...", f"at most {_MAX_DEPTH} elements inside each other")
    parts = _mapping(place, plain, _ELEMENT_KEYS)
    attributes = _mapping(f"attributes of {place}", parts.get("attributes", {}))
    hidden = _flag(f"hidden of {place}", parts.get("hidden", False))
    children = _list(f"children of {place}", parts.get("children", []))
    return Element(
        **{key: _text(f"{key} of {place}", parts.get(key, "")) for key in ("tag", "text", "name", "target")},
        box=_box(place, parts.get("box")),
        classes=tuple(
            _text(f"class of {place}", one) for one in _list(f"classes of {place}", parts.get("classes", []))
        ),
        attributes=tuple((key, _text(f"{key} of {place}", value)) for key, value in attributes.items()),
        behaviour=_behaviour(place, parts.get("behaviour", "none")),
        hidden=hidden,
        children=tuple(_element(f"{place}, {number}", child, depth + 1) for number, child in enumerate(children)),
    )


def _behaviour(place: str, name: object) -> Behaviour:
    for behaviour in Behaviour:
        if name == behaviour.name.lower():
            return behaviour
    raise InvalidTaskError(f"behaviour of {place}", name, f"one of {', '.join(b.name.lower() for b in Behaviour)}")


def _box(place: str, plain: object) -> Box:
    if plain is None:
        return NO_BOX
    numbers = _list(f"box of {place}", plain)
    if len(numbers) != len(NO_BOX) or not all(type(number) is int for number in numbers):
        raise InvalidTaskError(f"box of {place}", plain, "left, top, width and height in whole pixels")
    return Box(*numbers)


def _mapping(place: str, plain: object, keys: tuple[str, ...] | None = None) -> Mapping[str, Any]:
    if not isinstance(plain, dict) or not all(isinstance(key, str) for key in plain):
        raise InvalidTaskError(place, plain, "an object")
    for key in plain:
        if keys is not None and key not in keys:
            raise InvalidTaskError(f"key of {place}", key, f"one of {', '.join(keys)}")
    return plain


def _list(place: str, plain: object) -> list:
    if not isinstance(plain, list):
        raise InvalidTaskError(place, plain, "a list")
    return plain


def _flag(place: str, plain: object) -> bool:
    if not isinstance(plain, bool):
        raise InvalidTaskError(place, plain, "true or false")
    return plain


def _text(place: str, plain: object) -> str:
    if not isinstance(plain, str):
        raise InvalidTaskError(place, plain, "a text")
    return plain
