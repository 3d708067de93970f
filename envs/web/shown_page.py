"""A page as agents of words are given it: the elements of its design, with what they are like now."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache

from procgen_bench.envs.web.holes import AnyPlace
from procgen_bench.envs.web.observations import NO_PARENT, ElementRecord
from procgen_bench.envs.web.page.document import labelled_controls, target_of
from procgen_bench.tasks.sites.elements import HIDDEN, Behaviour, Element
from procgen_bench.tasks.sites.pages import Page, PlacedElement, placed_block, placed_elements
from procgen_bench.tasks.sites.primitive import Primitive


@dataclass(frozen=True)
class PageStructure:
    """What never changes of elements, by their indices.

    Attributes:
        page: The primitives that they are of.
        placed: The elements as they were designed.
        children: For each element those directly inside it.
        controls: By label the control that it belongs to.
        labels: By control its label.
        targets: By button the element that it hides and shows.
    """

    page: Page
    placed: tuple[PlacedElement, ...]
    children: tuple[tuple[int, ...], ...]
    controls: Mapping[int, int]
    labels: Mapping[int, int]
    targets: Mapping[int, int | None]


@lru_cache(maxsize=4096)
def page_structure(page: Page) -> PageStructure:
    """That of a whole page."""
    return _structure(page, placed_elements(page))


@lru_cache(maxsize=4096)
def block_structure(primitive: Primitive) -> PageStructure:
    """That of a primitive's elements by themselves, which begin with index 0."""
    return _structure((primitive,), placed_block(primitive))


def _structure(page: Page, placed: tuple[PlacedElement, ...]) -> PageStructure:
    children: list[list[int]] = [[] for _ in placed]
    for index, one in enumerate(placed):
        if one.parent != NO_PARENT:
            children[one.parent].append(index)
    controls = {
        children[index][label]: children[index][control]
        for index, one in enumerate(placed)
        for label, control in labelled_controls(one.element).items()
    }
    toggles = (index for index, one in enumerate(placed) if one.element.behaviour == Behaviour.TOGGLE)
    labels = {control: label for label, control in controls.items()}
    targets = {index: target_of(placed, index) for index in toggles}
    return PageStructure(page, placed, tuple(map(tuple, children)), controls, labels, targets)


class ShownPage:
    """Elements of the current page of a site, by index.

    Args:
        structure: What never changes of them.
        records: What they are like now.
        first: The id of the first one, as a number; those of the others follow. Or any place, which texts leave open.
    """

    def __init__(self, structure: PageStructure, records: Sequence[ElementRecord], first: int | AnyPlace = 0):
        self.page, self.placed, self.records, self.first = structure.page, structure.placed, tuple(records), first
        self.children, self.controls, self.labels = structure.children, structure.controls, structure.labels
        self._targets = structure.targets

    def __len__(self) -> int:
        return len(self.placed)

    def element(self, index: int) -> Element:
        """An element as it was designed."""
        return self.placed[index].element

    def is_shown(self, index: int) -> bool:
        """Whether an element is drawn, or an option of a list that is."""
        drawn = self.placed[index].parent if self.placed[index].element.tag == "option" else index
        return self.records[drawn].visible

    def expanded(self, index: int) -> bool | None:
        """Whether what a button hides and shows is shown; ``None`` of what does no such thing."""
        if index not in self._targets:
            return None
        target = self._targets[index]
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
