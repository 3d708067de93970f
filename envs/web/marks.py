"""Set of marks: what can be used on a picture of a page, framed, with the id that calls take (Yang et al., 2023)."""

import numpy as np
from PIL import Image, ImageDraw

from procgen_bench.engine.lettering import font
from procgen_bench.envs.web.shown_page import ShownPage
from procgen_bench.tasks.sites.elements import Behaviour

#: Colours of marks that follow each other, all dark enough for white letters.
_COLOURS = ((185, 28, 28), (29, 78, 216), (4, 120, 87), (126, 34, 206), (180, 83, 9), (15, 118, 110))
_SIZE, _MARGIN = 12, 2


def marked(picture: np.ndarray, page: ShownPage, top: int) -> np.ndarray:
    """A copy of a picture on which every element that can be used has a frame, with its id inside its upper corner.

    Args:
        picture: uint8 (height, width, 3), the page from a row on.
        page: The page's elements.
        top: That row.
    """
    image = Image.fromarray(picture)
    draw = ImageDraw.Draw(image)
    usable = [
        index
        for index, record in enumerate(page.records)
        if record.visible and page.element(index).behaviour != Behaviour.NONE
    ]
    for place, index in enumerate(usable):
        box, colour = page.records[index].box, _COLOURS[place % len(_COLOURS)]
        right, upper = box.left + box.width, box.top - top
        draw.rectangle((box.left, upper, right - 1, upper + box.height - 1), outline=colour, width=2)
        name = str(page.first + index)
        width = round(font(_SIZE).getlength(name)) + 2 * _MARGIN
        left = max(right - width, 0)
        draw.rectangle((left, upper, left + width - 1, upper + _SIZE + _MARGIN), fill=colour)
        draw.text((left + _MARGIN, upper + _SIZE / 2 + 1), name, (255, 255, 255), font(_SIZE), anchor="lm")
    return np.asarray(image)
