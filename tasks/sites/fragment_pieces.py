"""A fragment cut into pieces of which each is a primitive: one thing to fill in each, with what is said of it."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from procgen_bench.tasks.sites.elements import HOLDING, Behaviour, Element
from procgen_bench.tasks.sites.fragment_fields import OF_FORM
from procgen_bench.tasks.sites.fragment_kinds import Purpose, purpose_of
from procgen_bench.tasks.sites.fragment_layout import laid_out
from procgen_bench.tasks.sites.own_check import MAX_TEXT_LENGTH
from procgen_bench.tasks.sites.shown_fragment import FragmentError
from procgen_bench.tasks.sites.vocabulary import words_of

_ROOTS = ("div", "nav", "footer", "header")


@dataclass(frozen=True)
class Piece:
    """What a primitive is made of.

    Attributes:
        kind: The template's name.
        root: Its elements, in their places.
        field: What instructions call what is asked for; empty where nothing is.
        label: What the page calls it.
    """

    kind: str
    root: Element
    field: str
    label: str


def pieces_of(elements: Sequence[Element], words: set[str]) -> list[Piece]:
    """The pieces of a fragment, from top to bottom.

    Args:
        elements: Its elements.
        words: Those of its classes' names.

    Raises:
        FragmentError: It is of no kind, or two pieces ask for something under one name.
    """
    whole = _rooted(elements)
    if num_asked(whole) > 1 or (num_asked(whole) and _sends(whole)):
        purposes = [purpose_of(root, set()) for root in _cut(elements)]
    else:
        try:
            purposes = [purpose_of(whole, words)]
        except FragmentError:
            if num_asked(whole) or len(whole.children) < 2:
                raise
            purposes = [purpose_of(root, set()) for root in _cut(elements)]
    fields = _fields(purposes)
    return [Piece(one.kind, laid_out(one.root), field, one.label) for one, field in zip(purposes, fields)]


def num_asked(element: Element) -> int:
    """How many things there are to fill in; options of one group are one."""
    return len(_asked(element))


def _asked(element: Element) -> set[str]:
    holding = [one for one in element if one.behaviour in HOLDING]
    return {one.target if one.behaviour == Behaviour.CHOOSE else one.name for one in holding}


def _rooted(elements: Sequence[Element]) -> Element:
    if len(elements) == 1 and elements[0].tag in _ROOTS:
        return elements[0]
    return Element("div", children=tuple(elements))


def _cut(elements: Sequence[Element]) -> list[Element]:
    """Roots with one thing to fill in each, with the texts that belong to it, and what stands between them."""
    runs: list[list[Element]] = []
    for part in _parts(elements):
        if runs and (_belongs(runs[-1], part)):
            runs[-1].append(part)
        else:
            runs.append([part])
    return [_rooted(run) for run in runs]


def _parts(elements: Sequence[Element]) -> list[Element]:
    """What is not to be cut further."""
    parts: list[Element] = []
    for element in elements:
        asked, pressed = _asked(element), _num_pressed(element)
        is_nav = element.tag in ("nav", "footer") or (pressed > 1 and not _has_button(element))
        whole = (len(asked) == 1 and not _sends(element)) if asked else (pressed <= 1 or is_nav)
        if whole or not element.children or element.behaviour != Behaviour.NONE or "choices" in element.classes:
            parts.append(element)
        else:
            parts += [Element("span", text=element.text)] if element.text else []
            parts += _parts(element.children)
    return parts


def _belongs(run: Sequence[Element], part: Element) -> bool:
    """Whether a part goes on with what stands before it."""
    asked_before = set().union(*(_asked(one) for one in run))
    asked = _asked(part)
    if asked and asked_before:  # more options of one group
        return asked == asked_before and next(iter(asked)).startswith("group ")
    pressed_before, pressed = sum(map(_num_pressed, run)), _num_pressed(part)
    if pressed_before or pressed:
        return False
    if asked:  # a text before it that is its name
        return _says(run, part)
    if asked_before:
        return _describes(part, run)
    return not (_starts(part) and run)


def _starts(part: Element) -> bool:
    """Whether a text that nothing asks for begins something: a heading, or what names a control behind it."""
    return part.tag in ("h2", "h4", "h5", "h6", "span", "label", "p") and bool(part.text)


def _says(run: Sequence[Element], part: Element) -> bool:
    """Whether texts are what a control of a part, or its group, is called by."""
    texts = " ".join(words_of(" ".join(one.text for top in run for one in top)))
    names = {one.attribute("aria-label") for one in part} - {""}
    named = [" ".join(words_of(name)) for name in names]
    is_group = all(one.behaviour in (Behaviour.NONE, Behaviour.CHOOSE) for one in part) and not named
    return len(run) == 1 and bool(texts) and (is_group or any(texts in name or name in texts for name in named))


def _describes(part: Element, run: Sequence[Element]) -> bool:
    """Whether a text says more of the control before it."""
    text = " ".join(words_of(" ".join(one.text for one in part)))
    descriptions = [words_of(one.attribute("aria-description")) for top in run for one in top]
    return bool(text) and any(text in " ".join(words) for words in descriptions if words)


def _num_pressed(element: Element) -> int:
    return sum(one.tag in ("a", "button") for one in element)


def _sends(element: Element) -> bool:
    """Whether there is a button in it that sends a form off."""
    return any(one.name == OF_FORM and one.behaviour == Behaviour.LEAVE for one in element)


def _has_button(element: Element) -> bool:
    return any(one.tag == "button" for one in element)


def _fields(purposes: Sequence[Purpose]) -> list[str]:
    """What instructions call what each asks for: the words of its label."""
    fields = ["_".join(words_of(one.label))[:MAX_TEXT_LENGTH] for one in purposes]
    for one, field in zip(purposes, fields):
        if one.label and not field:
            raise FragmentError(f"the label {one.label!r}, expected one with a word, by which instructions call it")
    often = [field for field, count in Counter(filter(None, fields)).items() if count > 1]
    if often:
        raise FragmentError(f"{often[0]!r} is asked for twice, expected labels that differ")
    return fields
