"""Words in pictures: the font that Pillow brings, and whether a text fits."""

from functools import cache

from PIL import ImageFont


@cache
def font(size: int) -> ImageFont.FreeTypeFont:
    """Pillow's own font, whose letters are ``size`` pixels high."""
    found = ImageFont.load_default(size)
    assert isinstance(found, ImageFont.FreeTypeFont)  # Pillow's wheels draw such
    return found


def fits(size: int, width: int, text: str) -> bool:
    """Whether ``text`` takes at most ``width`` pixels in one line of that font."""
    return font(size).getlength(text) <= width
