"""Frames of sites: the instruction next to the current page, which is a browser's picture or drawn from the records."""

from collections.abc import Sequence
from functools import cache, partial

import numpy as np
from PIL import Image, ImageDraw

from procgen_bench.engine.lettering import fits, font
from procgen_bench.envs.web.observations import ElementRecord
from procgen_bench.tasks.sites.elements import CHECKED, VISITED, Box
from procgen_bench.tasks.sites.templates import PAGE_WIDTH

#: Rows of a frame, and columns of the instruction next to the page.
FRAME_HEIGHT, PANEL_WIDTH = 560, 288
_PANEL_COLOUR, _PANEL_TEXT, _PANEL_LABEL = (31, 41, 55), (243, 244, 246), (156, 163, 175)
_PAGE_COLOUR, _TEXT_COLOUR, _FAINT_COLOUR, _LINE_COLOUR = (
    (255, 255, 255),
    (31, 41, 55),
    (148, 158, 172),
    (203, 210, 220),
)
_LINK_COLOUR, _VISITED_COLOUR, _PRIMARY_COLOUR, _FOCUS_COLOUR = (
    (37, 99, 235),
    (126, 58, 160),
    (37, 99, 235),
    (245, 158, 11),
)
_FILLS = {
    "bar": (75, 85, 99),
    "foot": (243, 246, 250),
    "primary": _PRIMARY_COLOUR,
    "secondary": (226, 232, 240),
    "card": (248, 250, 252),
    "good": (248, 250, 252),
    "slide": (219, 234, 254),
    "media": (254, 249, 231),
    "picture": (191, 206, 224),
    "badge": (220, 38, 38),
    "sign": (226, 232, 240),
    "remove": (254, 226, 226),
    "mark": (147, 180, 229),
    "turn": (203, 222, 247),
}
#: Classes of what is written on a dark ground.
_ON_DARK = ("brand", "fold", "badge", "primary")
#: Signs that the font lacks, by ones that it has.
_SIGNS = str.maketrans("\u2261\u2039\u203a\u00d7", "=<>x")
_MARGIN, _LABEL_SIZE, _VALUE_SIZE = 16, 12, 15


def draw_frame(
    page: np.ndarray, records: Sequence[ElementRecord], instruction: Sequence[tuple[str, str]]
) -> np.ndarray:
    """The instruction and, next to it, the part of the page that holds the focus: uint8 (560, 768, 3).

    Args:
        page: The page's picture, uint8 (height, 480, 3).
        records: Its elements.
        instruction: (label, value) pairs.
    """
    top = window_top(page.shape[0], FRAME_HEIGHT, records)
    shown = page[top : top + FRAME_HEIGHT]
    window = np.full((FRAME_HEIGHT, PAGE_WIDTH, 3), _PAGE_COLOUR, np.uint8)
    window[: len(shown)] = shown
    return np.concatenate([_draw_panel(tuple(instruction)), window], axis=1)


def draw_page(records: Sequence[ElementRecord]) -> np.ndarray:
    """A page drawn from its elements, as a plan of the real one: uint8 (height, 480, 3)."""
    picture = Image.new("RGB", (PAGE_WIDTH, records[0].box.height), _PAGE_COLOUR)
    draw = ImageDraw.Draw(picture)
    for record in records:
        if record.visible:
            _draw_element(draw, record)
    return np.asarray(picture)


def window_top(height: int, window: int, records: Sequence[ElementRecord]) -> int:
    """The row of a page of this height that a window of so many rows begins with: as far down as the focus needs."""
    focus = next((record.box for record in records if record.active), Box(0, 0, 0, 0))
    middle = focus.top + focus.height // 2 - window // 2
    return max(0, min(middle, height - window))


def _draw_element(draw: ImageDraw.ImageDraw, record: ElementRecord) -> None:
    left, top, width, height = record.box
    area = (left, top, left + width - 1, top + height - 1)
    fill = next((_FILLS[name] for name in record.classes if name in _FILLS), None)
    outline = _LINE_COLOUR if record.tag in ("input", "select", "button") else None
    if record.active:
        outline = _FOCUS_COLOUR
    round_ = "radio" in record.attributes[:1]
    if round_:
        draw.ellipse(area, fill, outline, 2)
    elif fill or outline:
        draw.rounded_rectangle(area, 4, fill, outline, 2 if record.active else 1)
    if record.value == CHECKED:
        inner = (left + 5, top + 5, left + width - 6, top + height - 6)
        (draw.ellipse if round_ else draw.rectangle)(inner, _PRIMARY_COLOUR)
    elif text := _shown_text(record):
        size = 12 if height <= 20 else 14
        pad = 8 if record.tag in ("input", "select") else 0
        words = _cut(text, size, width - 2 * pad)
        at: float = left + pad
        if record.tag in ("button", "span", "a") and record.classes[:1] != ("link",):
            at = left + (width - font(size).getlength(words)) / 2
        draw.text((at, top + height / 2), words, _colour(record), font(size), anchor="lm")


def _shown_text(record: ElementRecord) -> str:
    if record.tag in ("input", "select"):
        typed = "*" * len(record.value) if "password" in record.attributes[:1] else record.value
        placeholder = record.attributes[1] if record.tag == "input" and len(record.attributes) > 1 else ""
        return typed or ("" if "radio" in record.attributes[:1] else placeholder)
    return record.text.translate(_SIGNS)


def _colour(record: ElementRecord) -> tuple[int, int, int]:
    if record.tag in ("input", "select"):
        return _TEXT_COLOUR if record.value else _FAINT_COLOUR
    if record.classes[-1:] == (VISITED,):
        return _VISITED_COLOUR
    if any(name in _ON_DARK for name in record.classes):
        return _PAGE_COLOUR
    return _LINK_COLOUR if record.tag == "a" else _TEXT_COLOUR


@cache
def _draw_panel(instruction: tuple[tuple[str, str], ...]) -> np.ndarray:
    """The instruction: a label and its value below it, in one column or, where they are many, with less room."""
    picture = Image.new("RGB", (PANEL_WIDTH, FRAME_HEIGHT), _PANEL_COLOUR)
    draw = ImageDraw.Draw(picture)
    room = (FRAME_HEIGHT - 2 * _MARGIN) / len(instruction)
    one_line = room < 2.6 * _VALUE_SIZE
    for number, (label, value) in enumerate(instruction):
        top = _MARGIN + number * min(room, 44)
        value_left = _MARGIN + (120 if one_line else 0)
        value_top = top if one_line else top + _LABEL_SIZE + 4
        draw.text((_MARGIN, top), _cut(label, _LABEL_SIZE, 116 if one_line else 256), _PANEL_LABEL, font(_LABEL_SIZE))
        size = _LABEL_SIZE if one_line else _VALUE_SIZE
        words = _cut(value, size, PANEL_WIDTH - _MARGIN - value_left)
        draw.text((value_left, value_top), words, _PANEL_TEXT, font(size))
    return np.asarray(picture)


def _cut(text: str, size: int, width: int) -> str:
    """``text`` in one line of at most ``width`` pixels."""
    fitting = partial(fits, size, width)
    if fitting(text):
        return text
    text = text[: width // 2]  # no letter is narrower than two pixels: long values need not be measured
    while text and not fitting(text + "\u2026"):
        text = text[:-1]
    return text + "\u2026"
