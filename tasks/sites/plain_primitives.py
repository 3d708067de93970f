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
    told = {key: getattr(primitive, key) for key in _PRIMITIVE_KEYS[:-1] if getattr(primitive, key)}
    return {**told, "root": _plain_element(primitive.root)}


def primitive_of(plain: object) -> Primitive:
    """The primitive that :func:`plain_primitive` tells.

    Raises:
        InvalidTaskError: A part is missing, unknown, or of another type. Whether it can stand on a page is for
            :func:`~procgen_bench.tasks.sites.own_check.check_own` to say.
    """
    told = _mapping("primitive", plain, _PRIMITIVE_KEYS)
    name, template, field, label = (_text(f"primitive's {key}", told.get(key, "")) for key in _TEXT_KEYS)
    decoy = _flag(f"decoy of {name!r}", told.get("decoy", False))
    return Primitive(name, template, _element(f"root of {name!r}", told.get("root"), 0), field, label, decoy=decoy)


def _plain_element(element: Element) -> Plain:
    told: Plain = {"tag": element.tag}
    if element.box != NO_BOX:
        told["box"] = list(element.box)
    if element.classes:
        told["classes"] = list(element.classes)
    if element.attributes:
        told["attributes"] = dict(element.attributes)
    if element.behaviour != Behaviour.NONE:
        told["behaviour"] = element.behaviour.name.lower()
    told |= {key: getattr(element, key) for key in ("text", "name", "target", "hidden") if getattr(element, key)}
    if element.children:
        told["children"] = [_plain_element(child) for child in element.children]
    return told


def _element(place: str, plain: object, depth: int) -> Element:
    if depth > _MAX_DEPTH:
        raise InvalidTaskError(place, "...", f"at most {_MAX_DEPTH} elements inside each other")
    told = _mapping(place, plain, _ELEMENT_KEYS)
    attributes = _mapping(f"attributes of {place}", told.get("attributes", {}))
    hidden = _flag(f"hidden of {place}", told.get("hidden", False))
    children = _list(f"children of {place}", told.get("children", []))
    return Element(
        **{key: _text(f"{key} of {place}", told.get(key, "")) for key in ("tag", "text", "name", "target")},
        box=_box(place, told.get("box")),
        classes=tuple(_text(f"class of {place}", one) for one in _list(f"classes of {place}", told.get("classes", []))),
        attributes=tuple((key, _text(f"{key} of {place}", value)) for key, value in attributes.items()),
        behaviour=_behaviour(place, told.get("behaviour", "none")),
        hidden=hidden,
        children=tuple(_element(f"{place}, {number}", child, depth + 1) for number, child in enumerate(children)),
    )


def _behaviour(place: str, name: object) -> Behaviour:
    for behaviour in Behaviour:
        if name == behaviour.name.lower():
            return behaviour
    raise InvalidTaskError(f"behaviour of {place}", name, f"one of {', '.join(b.name.lower() for b in Behaviour)}")


def _box(place: str, told: object) -> Box:
    if told is None:
        return NO_BOX
    numbers = _list(f"box of {place}", told)
    if len(numbers) != len(NO_BOX) or not all(type(number) is int for number in numbers):
        raise InvalidTaskError(f"box of {place}", told, "left, top, width and height in whole pixels")
    return Box(*numbers)


def _mapping(place: str, told: object, keys: tuple[str, ...] | None = None) -> Mapping[str, Any]:
    if not isinstance(told, dict) or not all(isinstance(key, str) for key in told):
        raise InvalidTaskError(place, told, "an object")
    for key in told:
        if keys is not None and key not in keys:
            raise InvalidTaskError(f"key of {place}", key, f"one of {', '.join(keys)}")
    return told


def _list(place: str, told: object) -> list:
    if not isinstance(told, list):
        raise InvalidTaskError(place, told, "a list")
    return told


def _flag(place: str, told: object) -> bool:
    if not isinstance(told, bool):
        raise InvalidTaskError(place, told, "true or false")
    return told


def _text(place: str, told: object) -> str:
    if not isinstance(told, str):
        raise InvalidTaskError(place, told, "a text")
    return told
