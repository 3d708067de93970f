"""A site as its specification says it, in plain Python: slow, and sharing nothing with the environment's rules."""

import re
import time
from dataclasses import dataclass, field

from procgen_bench.tasks.sites import Primitive, SiteTask
from procgen_bench.tasks.sites.elements import Behaviour
from procgen_bench.tasks.sites.pages import PlacedElement, placed_elements

HORIZON = 25
#: Valid floating-point numbers of HTML.
NUMBER = re.compile(r"-?([0-9]+(\.[0-9]+)?|\.[0-9]+)([eE][+-]?[0-9]+)?")
NOWHERE = (0, 0, 0, 0)
OBSERVED = ("type", "value", "placeholder", "title", "alt", "aria-label", "aria-description")
OBSERVED += ("min", "max", "step", "required", "disabled", "readonly", "multiple")
DATE, TIME = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}"), re.compile(r"([0-1][0-9]|2[0-3]):[0-5][0-9]")
WORD = "[a-zA-Z0-9]([a-zA-Z0-9-]{0,61}[a-zA-Z0-9])?"
EMAIL = re.compile(rf"[a-zA-Z0-9.!#$%&'*+/=?^_`{{|}}~-]+@{WORD}(\.{WORD})*")


def is_date(text: str) -> bool:
    try:
        return bool(DATE.fullmatch(text) and time.strptime(text, "%Y-%m-%d"))
    except ValueError:
        return False


@dataclass
class Node:
    """An element of the current page."""

    placed: PlacedElement
    #: Its primitive; none of the elements around all of them.
    primitive: Primitive | None
    hidden: bool
    parent: "Node | None"
    value: str = ""
    visited: bool = False
    children: list["Node"] = field(default_factory=list)

    @property
    def element(self):
        return self.placed.element

    @property
    def first_value(self) -> str:
        attributes = dict(self.element.attributes)
        if self.element.tag == "input":
            held = "checked" if "checked" in attributes else ""
            return held if attributes["type"] in ("checkbox", "radio") else attributes.get("value", "")
        if self.element.tag != "select":
            return ""
        options = [(one.text, dict(one.attributes)) for one in self.element.children]
        chosen = [text for text, about in options if "selected" in about]
        free = [text for text, about in options if "disabled" not in about and "multiple" not in attributes]
        return next(iter([*chosen, *free]), "")

    @property
    def visible(self) -> bool:
        if self.hidden or self.element.tag == "option":
            return False
        return self.parent is None or self.parent.visible


class ReferenceSite:
    """One episode on a site.

    Attributes:
        task: The site and the instruction.
        page: Number of the current page.
        nodes: Its elements in the order of the document.
        focused: Index of the one with the focus, or ``None``.
        num_steps: Steps taken.
        terminated, success: How the episode has ended, if it has.
        filled, new: Indices of the elements that a value was put into, and of those that were not shown before.
        event: What the last step did, for tests that count what they have seen.
    """

    def __init__(self, task: SiteTask, step_penalty: float = 0.05, idle_penalty: float = 0.5, literal: bool = False):
        self.task, self.step_penalty, self.idle_penalty = task, step_penalty, idle_penalty
        self.literal = literal
        self.num_steps, self.terminated, self.success = 0, False, False
        self.last_action: tuple[int, int] | None = None
        self.right: dict[tuple[int, str], bool] = {}
        self.spoiled: dict[int, set[int]] = {}
        self.event = "start"
        for page in reversed(range(len(task.pages))):
            self.open(page)
            self.right |= self.right_on_page()
        self.new: set[int] = set()

    def open(self, page: int) -> None:
        """Show a page as it is at first."""
        self.page, self.focused, self.nodes, self.filled = page, None, [], set()
        primitives = self.task.pages[page]
        for placed in placed_elements(primitives):
            parent = self.nodes[placed.parent] if placed.parent >= 0 else None
            primitive = primitives[placed.block] if placed.block >= 0 else None
            node = Node(placed, primitive, placed.element.hidden, parent)
            node.value = node.first_value
            if parent:
                parent.children.append(node)
            self.nodes.append(node)

    @property
    def values(self) -> list[str]:
        """The instruction's values, by number of the field."""
        return [value for _, value in self.task.profile]

    @property
    def num_right(self) -> int:
        """How many of the places on the site where a field is asked for are right now."""
        spoiled = self.spoiled | {self.page: self.spoiled_on_page()}
        return sum((self.right | self.right_on_page()).values()) - sum(map(len, spoiled.values()))

    def spoiled_on_page(self) -> set[int]:
        """Blocks of the current page that nobody asked for, and that were not left as they were."""
        return {
            node.placed.block
            for node in self.nodes
            if node.primitive is not None and node.primitive.decoy and node.value != node.first_value
        }

    def right_on_page(self) -> dict[tuple[int, str], bool]:
        """By (page, primitive): whether an active primitive of the current page is right."""
        profile, right = dict(self.task.profile), {}
        for node in self.nodes:
            if node.primitive is None or not node.primitive.active:
                continue
            wanted, key = profile[node.primitive.field], (self.page, node.primitive.name)
            right.setdefault(key, False)
            match node.element.behaviour:
                case (
                    Behaviour.TYPE
                    | Behaviour.NUMBER
                    | Behaviour.SELECT
                    | Behaviour.DATE
                    | Behaviour.TIME
                    | Behaviour.EMAIL
                ):
                    right[key] |= node.value == wanted
                case Behaviour.CHECK:
                    right[key] |= (node.value == "checked") == (wanted == "true")
                case Behaviour.CHOOSE:
                    right[key] |= node.value == "checked" and node.element.attribute("value") == wanted
        return right

    def step(self, action: tuple[int, int]) -> tuple[float, bool, bool]:
        """Reward, terminated, success."""
        assert not self.terminated
        action = tuple(map(int, action))
        before, looks, shown = self.num_right, self.looks(), self.shown()
        self.num_steps += 1
        self.act(*action)
        self.last_action = action
        self.new = self.shown() - (shown if looks[0] == self.page else set())
        self.success = self.terminated and self.event == "submit" and self.num_right == self.task.design.num_active
        reward = (self.num_right - before) / self.task.design.num_active
        if self.success:
            reward += 1.0
        elif self.terminated or self.num_steps == HORIZON:
            reward -= 1.0
        else:
            reward -= self.step_penalty
            if self.looks() == looks:
                reward -= self.idle_penalty
        return reward, self.terminated, self.success

    def looks(self) -> tuple:
        """What a person sees of the page, but for the focus."""
        return self.page, [record[:-1] for record in self.records()]

    def shown(self) -> set[int]:
        """Indices of the elements that are drawn."""
        return {index for index, node in enumerate(self.nodes) if node.visible}

    def act(self, index: int, number: int) -> None:
        """What an action does to the page."""
        if index >= len(self.nodes):
            self.event = "no such element"
            return
        node = self.nodes[index]
        if number >= len(self.task.profile):
            self.event = "no such field"
        elif not node.visible:
            self.event = "not visible"
        elif node.element.behaviour == Behaviour.NONE:
            self.event = "nothing to do"
        else:
            self.touch(index, node, self.values[number])

    def clicked_by(self, node: Node) -> str:
        """The value for which a box is not as it was at first."""
        return "false" if node.element.attribute("checked") else "true"

    def touch(self, index: int, node: Node, value: str) -> None:
        """A person acts on an element that they see and that does something."""
        if node.element.behaviour == Behaviour.SELECT and value not in [
            one.element.text for one in node.children if not one.element.attribute("disabled")
        ]:
            self.event = "no such option"
            return
        if node.element.behaviour == Behaviour.CHOOSE and not self.literal:
            meant = [other for other in self.group(node) if other.element.attribute("value") == value]
            if meant:
                (node,) = meant
                index = self.nodes.index(node)
        if node.element.behaviour == Behaviour.CHOOSE and value != node.element.attribute("value"):
            self.event = "another option"
            return
        self.event, self.focused = node.element.behaviour.name.lower(), index
        if node.element.tag in ("input", "select"):
            self.filled.add(index)
        if node.element.behaviour == Behaviour.CHOOSE and not self.literal:
            self.filled |= {
                place for place, other in enumerate(self.nodes) if any(other is o for o in self.group(node))
            }
        if node.element.behaviour == Behaviour.CHECK and not self.literal and value != self.clicked_by(node):
            self.event, node.visited = "visited box", True
            return
        if node.element.behaviour == Behaviour.SELECT and not self.literal and value == node.value:
            self.event, node.visited = "visited list", True
            return
        match node.element.behaviour:
            case Behaviour.TYPE | Behaviour.SELECT:
                node.value = value
            case Behaviour.NUMBER:
                node.value = value if NUMBER.fullmatch(value) and abs(float(value)) < float("inf") else ""
            case Behaviour.DATE:
                node.value = value if is_date(value) else ""
            case Behaviour.TIME:
                node.value = value if TIME.fullmatch(value) else ""
            case Behaviour.EMAIL:
                node.value = value if EMAIL.fullmatch(value) else ""
            case Behaviour.CHECK:
                node.value = "" if node.value else "checked"
            case Behaviour.CHOOSE:
                for other in self.group(node):
                    other.value = ""
                node.value = "checked"
            case Behaviour.VISIT:
                node.visited = True
            case Behaviour.TOGGLE:
                target = self.target(node)
                target.hidden = not target.hidden
            case Behaviour.LEAVE:
                self.leave(node)
            case Behaviour.END:
                self.terminated = True
            case Behaviour.SUBMIT:
                self.terminated = self.page == len(self.task.pages) - 1
                self.event = "submit" if self.terminated else "submit too early"
        if self.focused is not None and not self.nodes[self.focused].visible:
            self.focused = None

    def leave(self, node: Node) -> None:
        """The next page, fresh; what was right on this one stays right."""
        if self.page == len(self.task.pages) - 1:
            self.event, node.visited = "leave the last page", True
            return
        self.right |= self.right_on_page()
        self.spoiled[self.page] = self.spoiled_on_page()
        self.open(self.page + 1)

    @property
    def usable(self) -> list[bool]:
        """Of every element whether an action is made of it: of a group's options, unless literal, only of the first."""
        return [
            node.visible
            and node.element.behaviour != Behaviour.NONE
            and (self.literal or all(node is not other for other in [o for o in self.group(node) if o.visible][1:]))
            for node in self.nodes
        ]

    def block_of(self, node: Node) -> list[Node]:
        """The elements of a node's primitive."""
        return [other for other in self.nodes if other.placed.block == node.placed.block]

    def group(self, node: Node) -> list[Node]:
        """The options to choose among which it is one."""
        return [other for other in self.block_of(node) if other.element.behaviour == Behaviour.CHOOSE]

    def target(self, node: Node) -> Node:
        """The element that a button changes."""
        (target,) = (other for other in self.block_of(node) if other.element.name == node.element.target)
        return target

    def records(self) -> list[tuple]:
        """What is observed of the page, as tuples in the order of ``ElementRecord``'s fields."""
        return [self.record(index, node) for index, node in enumerate(self.nodes)]

    def record(self, index: int, node: Node) -> tuple:
        state = ("hidden",) if node.hidden else ("visited",) if node.visited else ()
        return (
            node.element.tag,
            (*node.element.classes, *state),
            node.element.text,
            tuple(
                value
                for name, value in node.element.attributes
                if name in OBSERVED and (name != "value" or node.element.attribute("type") == "radio")
            ),
            node.value,
            node.placed.depth,
            node.placed.parent,
            tuple(node.placed.box) if node.visible else NOWHERE,
            self.focused == index,
        )
