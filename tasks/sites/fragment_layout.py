"""Where the elements of a fragment stand: in lines below each other, as texts of such lengths need."""

from dataclasses import replace

from procgen_bench.tasks.sites.elements import Box, Element
from procgen_bench.tasks.sites.templates import (
    CONTROL_HEIGHT,
    INNER_WIDTH,
    MARGIN,
    PAGE_WIDTH,
    TEXT_HEIGHT,
    list_height,
)

_INLINE = ("a", "span", "small", "label", "button", "img")
_HEADING_HEIGHTS = {"h2": 32, "h4": 28, "h5": 24, "h6": 20}
_LETTER, _NARROW_LETTER, _GAP, _PADDING = 8, 7, 8, 4
_TICK, _PICTURE = 20, (112, 72)
_LEAST = 16


def laid_out(root: Element) -> Element:
    """The elements with their boxes, in a block as wide as the page."""
    inside = _placed(replace(root, children=root.children), MARGIN, _PADDING, INNER_WIDTH)
    height = inside.box.top + inside.box.height + _PADDING
    return replace(inside, box=Box(0, 0, PAGE_WIDTH, height))


def _placed(element: Element, left: int, top: int, width: int) -> Element:
    """An element with its box, which begins at a place and is at most so wide."""
    if element.tag == "select":
        height = list_height(element) if element.attribute("multiple") else CONTROL_HEIGHT
        return replace(element, box=Box(left, top, width, height))
    if not element.children:
        size = _leaf_size(element, width)
        return replace(element, box=Box(left, top, *size))
    children: list[Element] = []
    at, line, height = left, top, 0
    for child in element.children:
        inline = _is_inline(child)
        if at > left and not (inline and at + _least_width(child) <= left + width):
            at, line, height = left, line + height + _PADDING, 0
        placed = _placed(child, at, line, left + width - at)
        children.append(placed)
        height = max(height, placed.box.height)
        if inline:
            at += placed.box.width + _GAP
        else:
            at, line, height = left, line + height + _PADDING, 0
    bottom = max(child.box.top + child.box.height for child in children)
    right = max(child.box.left + child.box.width for child in children)
    box = Box(left, top, right - left if _is_inline(element) else width, bottom - top)
    return replace(element, box=box, children=tuple(children))


def _leaf_size(element: Element, width: int) -> tuple[int, int]:
    if element.tag == "img":
        return min(width, _PICTURE[0]), _PICTURE[1]
    if element.tag == "input" and "tick" in element.classes:
        return _TICK, _TICK
    if element.tag == "input":
        return width, CONTROL_HEIGHT
    if element.tag == "button":
        return min(width, _natural_width(element)), CONTROL_HEIGHT
    wide = min(width, _natural_width(element)) if _is_inline(element) else width
    return wide, _HEADING_HEIGHTS.get(element.tag, TEXT_HEIGHT)


def _is_inline(element: Element) -> bool:
    return element.tag in _INLINE or "tick" in element.classes


def _least_width(element: Element) -> int:
    """How narrow an element in a line may be: labels are of narrow letters."""
    return _NARROW_LETTER * len(element.text) if element.tag == "label" else _natural_width(element)


def _natural_width(element: Element) -> int:
    """How wide an element in a line would be if there were room."""
    if element.tag == "img":
        return _PICTURE[0]
    if "tick" in element.classes:
        return _TICK
    if element.children:
        return sum(_natural_width(child) + _GAP for child in element.children) - _GAP
    return max(_LEAST, _LETTER * len(element.text)) + (3 * _GAP if element.tag == "button" else 0)
