"""A page as agents of words are told it: the elements of its design, with what they are like now."""

from collections.abc import Sequence
from functools import cached_property

from procgen_bench.envs.web.observations import ElementRecord
from procgen_bench.envs.web.page.document import labelled_controls, target_of
from procgen_bench.tasks.sites.elements import HIDDEN, Behaviour, Element
from procgen_bench.tasks.sites.pages import PlacedElement


class ShownPage:
    """The current page of a site. Elements are called by their index; as text, that is their id.

    Args:
        placed: The elements as they were designed.
        records: The same elements as they are now.
    """

    def __init__(self, placed: Sequence[PlacedElement], records: Sequence[ElementRecord]):
        self.placed, self.records = placed, records

    def __len__(self) -> int:
        return len(self.placed)

    def element(self, index: int) -> Element:
        """An element as it was designed."""
        return self.placed[index].element

    def is_shown(self, index: int) -> bool:
        """Whether an element is drawn, or an option of a list that is."""
        drawn = self.placed[index].parent if self.placed[index].element.tag == "option" else index
        return self.records[drawn].visible

    @cached_property
    def children(self) -> list[list[int]]:
        """For each element those directly inside it."""
        inside: list[list[int]] = [[] for _ in self.placed]
        for index, placed in enumerate(self.placed[1:], 1):
            inside[placed.parent].append(index)
        return inside

    @cached_property
    def controls(self) -> dict[int, int]:
        """By label the control that it belongs to."""
        return {
            self.children[index][label]: self.children[index][control]
            for index, placed in enumerate(self.placed)
            for label, control in labelled_controls(placed.element).items()
        }

    @cached_property
    def labels(self) -> dict[int, int]:
        """By control its label."""
        return {control: label for label, control in self.controls.items()}

    def expanded(self, index: int) -> bool | None:
        """Whether what a button hides and shows is shown; ``None`` of what does no such thing."""
        if self.element(index).behaviour != Behaviour.TOGGLE:
            return None
        target = target_of(self.placed, index)
        return target is not None and HIDDEN not in self.records[target].classes

    @property
    def focused(self) -> int | None:
        """The element that has the focus, if one has."""
        return next((index for index, record in enumerate(self.records) if record.active), None)

    def text_inside(self, index: int) -> str:
        """An element's text and that of all shown inside it."""
        if not self.is_shown(index):
            return ""
        inside = (self.text_inside(child) for child in self.children[index])
        return " ".join(filter(None, (self.records[index].text, *inside)))

    def at(self, left: float, top: float) -> int | None:
        """The element that a pixel of the page belongs to: the last one drawn there."""
        hit = None
        for index, record in enumerate(self.records):
            box = record.box
            if box.left <= left < box.left + box.width and box.top <= top < box.top + box.height:
                hit = index
        return hit

    def used_by_a_click(self, index: int) -> int | None:
        """The element that a click on this one uses: itself or one around it, or the control of a label."""
        at = index
        while at >= 0:
            if self.element(at).behaviour != Behaviour.NONE:
                return at
            if at in self.controls:
                return self.controls[at]
            at = self.placed[at].parent
        return None
