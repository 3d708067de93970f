"""What a key that is pressed in an element of a page comes to, as in Chromium."""

from procgen_bench.envs.web.shown_page import ShownPage
from procgen_bench.tasks.sites.elements import Behaviour

_NEXT = {"ArrowDown": 1, "ArrowRight": 1, "ArrowUp": -1, "ArrowLeft": -1}
#: Lines in which letters go behind what is there, whatever they are.
_FREE = (Behaviour.TYPE, Behaviour.EMAIL)
#: Attributes by which arrows go through other numbers.
_LIMITS = ("min", "max", "step")


def pressed_key(page: ShownPage, index: int, key: str) -> tuple[int, str] | None:
    """What is used by a key, and the text that it is used with; empty: it is clicked.

    Args:
        page: The page.
        index: The element that the key is pressed in.
        key: ``"Enter"``, ``"Backspace"``, an arrow, or a letter, by the names of browsers' events.

    Returns:
        The element and the text that a line then holds or a list has selected; ``None``: nothing that a click, or
        filling in, would do.
    """
    element, held = page.element(index), page.records[index].value
    if element.behaviour in _FREE:
        return _in_line(index, held, key)
    if element.behaviour == Behaviour.NUMBER:
        return _in_number(page, index, key)
    if element.behaviour == Behaviour.SELECT and key in _NEXT and not element.attribute("multiple"):
        return _in_list(page, index, _NEXT[key])
    if element.behaviour == Behaviour.CHOOSE and key in _NEXT:
        return _among_options(page, index, _NEXT[key])
    by_key = {"button": ("Enter", " "), "a": ("Enter",), "input": (" ",)}
    if key in by_key.get(element.tag, ()) and element.behaviour != Behaviour.NONE:
        return index, ""
    return None


def _in_line(index: int, held: str, key: str) -> tuple[int, str] | None:
    if key == "Enter":
        return index, held
    if key == "Backspace":
        return index, held[:-1]
    return (index, held + key) if len(key) == 1 else None


def _in_number(page: ShownPage, index: int, key: str) -> tuple[int, str] | None:
    element, held = page.element(index), page.records[index].value
    if key == "Enter":
        return index, held
    whole = held.removeprefix("-")
    if key not in ("ArrowDown", "ArrowUp") or any(map(element.attribute, _LIMITS)) or (whole and not whole.isdecimal()):
        return None
    return index, str(int(held or 0) - _NEXT[key])


def _in_list(page: ShownPage, index: int, on: int) -> tuple[int, str] | None:
    """The option after, or before, the one that is selected, of those that can be."""
    held = page.records[index].value
    texts = [page.records[child].text for child in page.children[index]]
    at = texts.index(held) if held in texts else -1
    usable = [
        place for place, child in enumerate(page.children[index]) if not page.element(child).attribute("disabled")
    ]
    further = [place for place in usable if (place - at) * on > 0]
    if not further:
        return index, held
    return index, texts[min(further) if on > 0 else max(further)]


def _among_options(page: ShownPage, index: int, on: int) -> tuple[int, str]:
    """The option after, or before, this one; behind the last one comes the first."""
    block = page.placed[index].block
    options = [
        place
        for place, placed in enumerate(page.placed)
        if placed.block == block and placed.element.behaviour == Behaviour.CHOOSE and page.is_shown(place)
    ]
    chosen = options[(options.index(index) + on) % len(options)]
    return chosen, page.element(chosen).attribute("value")
