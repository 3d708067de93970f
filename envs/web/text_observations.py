"""What agents of words and of pictures observe of a site: its instruction and page as text, or as a screenshot."""

from collections.abc import Sequence
from typing import Any

import numpy as np
from gymnasium import spaces

from procgen_bench.core.checks import check_count
from procgen_bench.core.errors import InvalidOptionError
from procgen_bench.engine.text_space import AnyText
from procgen_bench.envs.web.calls import MAX_CALL_LENGTH
from procgen_bench.envs.web.marks import marked
from procgen_bench.envs.web.rendering import window_top
from procgen_bench.envs.web.shown_page import ShownPage, page_structure
from procgen_bench.tasks.sites.templates import PAGE_WIDTH

#: Rows of a screenshot, unless said otherwise: all pages of the suite ``test`` fit.
PICTURE_HEIGHT = 960
#: Characters of the longest text: eight times those of any page that the suites have.
LONGEST_TEXT = 2**17


def call_space() -> AnyText:
    """The space of actions that are calls in writing."""
    return AnyText(MAX_CALL_LENGTH)


class TextView:
    """The instruction, the page as HTML and as its accessibility tree, and why the last action could not be done."""

    def __init__(self) -> None:
        names = ("instruction", "html", "axtree", "last_action_error")
        self.space = spaces.Dict({name: AnyText(LONGEST_TEXT) for name in names})

    def observe(self, simulation: Any, instructions: Sequence[str], errors: Sequence[str]) -> dict[str, Any]:
        """What is observed of all rows, each under its instruction: a text of each kind a row."""
        texts = simulation.texts()
        return {
            "instruction": tuple(map(_fitted, instructions)),
            "html": tuple(_fitted(one.html) for one in texts),
            "axtree": tuple(_fitted(one.tree) for one in texts),
            "last_action_error": tuple(map(_fitted, errors)),
        }


class PictureView:
    """The instruction, the page's screenshot, and why the last action could not be done.

    Args:
        height: Rows of the picture. A shorter page is white below; of a longer one those around the focus are seen.
        marks: Whether what can be used has a frame with its id.
    """

    def __init__(self, height: int, marks: bool):
        self._height, self._marks = height, marks
        picture = spaces.Box(0, 255, (height, PAGE_WIDTH, 3), np.uint8)
        texts = {name: AnyText(LONGEST_TEXT) for name in ("instruction", "last_action_error")}
        self.space = spaces.Dict({"screenshot": picture, **texts})

    def observe(self, simulation: Any, instructions: Sequence[str], errors: Sequence[str]) -> dict[str, Any]:
        """What is observed of the first row, which is all that there is: a picture, and a text of each kind."""
        screenshot = simulation.screenshot(0)
        top = self.top(simulation)
        rows = screenshot[top : top + self._height]
        seen = np.full((1, self._height, PAGE_WIDTH, 3), 255, np.uint8)
        seen[0, : len(rows)] = marked(rows, shown_page(simulation, 0), top) if self._marks else rows
        return {
            "instruction": tuple(map(_fitted, instructions)),
            "screenshot": seen,
            "last_action_error": tuple(map(_fitted, errors)),
        }

    def top(self, simulation: Any) -> int:
        """The row of the page that the picture begins with."""
        records = simulation.records(0)
        return window_top(records[0].box.height, self._height, records)


def _fitted(text: str) -> str:
    """The text, cut where it is longer than the space has room for: elements of one's own may hold any number."""
    return text if len(text) <= LONGEST_TEXT else text[: LONGEST_TEXT - 1] + "\u2026"


def view_of(observation: str, backend: str, picture_height: int, marks: bool) -> TextView | PictureView | None:
    """What observes in this way; ``None``: arrays do.

    Raises:
        InvalidOptionError: This backend has no pictures, or the height is none; there are marks on no picture.
    """
    check_count("picture_height", picture_height)
    if observation == "pixels" and backend != "browser":
        raise InvalidOptionError(f"observation 'pixels' needs backend 'browser', and backend is {backend!r}")
    if marks and observation != "pixels":
        raise InvalidOptionError(f"marks is True, which needs observation 'pixels', and observation is {observation!r}")
    if observation == "text":
        return TextView()
    return PictureView(picture_height, marks) if observation == "pixels" else None


def shown_page(simulation: Any, row: int = 0) -> ShownPage:
    """The current page of a row."""
    return ShownPage(page_structure(simulation.page(row)), simulation.records(row))
