"""A site as its specification says it, in plain Python: slow, and sharing nothing with the environment's rules."""

from dataclasses import dataclass, field

from procgen_bench.tasks.sites import PRIMITIVES, SiteTask
from procgen_bench.tasks.sites.elements import Behaviour
from procgen_bench.tasks.sites.pages import PlacedElement, placed_elements

HORIZON = 25
NOWHERE = (0, 0, 0, 0)
OBSERVED = ("type", "name", "value", "placeholder", "title", "alt")


@dataclass
class Node:
    """An element of the current page."""

    placed: PlacedElement
    #: Name of its primitive; empty of the two elements around all of them.
    primitive: str
    hidden: bool
    parent: "Node | None"
    value: str = ""
    visited: bool = False
    children: list["Node"] = field(default_factory=list)

    @property
    def element(self):
        return self.placed.element

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
        event: What the last step did, for tests that count what they have seen.
    """

    def __init__(self, task: SiteTask, step_penalty: float = 0.05, repeat_penalty: float = 0.5):
        self.task, self.step_penalty, self.repeat_penalty = task, step_penalty, repeat_penalty
        self.num_steps, self.terminated, self.success = 0, False, False
        self.last_action: tuple[int, int] | None = None
        self.right_before: dict[tuple[int, str], bool] = {}
        self.event = "start"
        self.open(0)

    def open(self, page: int) -> None:
        """Show a page as it is at first."""
        self.page, self.focused, self.nodes = page, None, []
        names = self.task.design.pages[page]
        for placed in placed_elements(names):
            parent = self.nodes[placed.parent] if placed.parent >= 0 else None
            primitive = names[placed.block] if placed.block >= 0 else ""
            node = Node(placed, primitive, placed.element.hidden, parent)
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
        return sum(self.right_before.values()) + sum(self.right_on_page().values())

    def right_on_page(self) -> dict[tuple[int, str], bool]:
        """By (page, primitive): whether an active primitive of the current page is right."""
        profile, right = dict(self.task.profile), {}
        for node in self.nodes:
            if not node.primitive or not PRIMITIVES[node.primitive].active:
                continue
            wanted, key = profile[PRIMITIVES[node.primitive].field], (self.page, node.primitive)
            right.setdefault(key, False)
            match node.element.behaviour:
                case Behaviour.TYPE | Behaviour.SELECT:
                    right[key] |= node.value == wanted
                case Behaviour.CHECK:
                    right[key] |= node.value == "checked"
                case Behaviour.CHOOSE:
                    right[key] |= node.value == "checked" and node.element.attribute("value") == wanted
        return right

    def step(self, action: tuple[int, int]) -> tuple[float, bool, bool]:
        """Reward, terminated, success."""
        assert not self.terminated
        action = tuple(map(int, action))
        before = self.num_right
        self.num_steps += 1
        self.act(*action)
        reward = -self.step_penalty
        if action == self.last_action:
            reward -= self.repeat_penalty
        reward += (self.num_right - before) / self.task.design.num_active
        self.last_action = action
        if self.terminated:
            self.success = self.num_right == self.task.design.num_active
            reward += 1.0 if self.success else -1.0
        elif self.num_steps == HORIZON:
            reward -= 1.0
        return reward, self.terminated, self.success

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

    def touch(self, index: int, node: Node, value: str) -> None:
        """A person acts on an element that they see and that does something."""
        if node.element.behaviour == Behaviour.SELECT and value not in [one.element.text for one in node.children]:
            self.event = "no such option"
            return
        self.event, self.focused = node.element.behaviour.name.lower(), index
        match node.element.behaviour:
            case Behaviour.TYPE | Behaviour.SELECT:
                node.value = value
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
            case Behaviour.FORWARD | Behaviour.BACK:
                slides = self.target(node).children
                (shown,) = (place for place, slide in enumerate(slides) if not slide.hidden)
                step = 1 if node.element.behaviour == Behaviour.FORWARD else -1
                slides[shown].hidden = True
                slides[(shown + step) % len(slides)].hidden = False
            case Behaviour.LEAVE:
                self.leave(node)
            case Behaviour.SUBMIT:
                self.terminated = True
        if self.focused is not None and not self.nodes[self.focused].visible:
            self.focused = None

    def leave(self, node: Node) -> None:
        """The next page, fresh; what was right on this one stays right."""
        if self.page == len(self.task.design.pages) - 1:
            self.event, node.visited = "leave the last page", True
            return
        self.right_before |= self.right_on_page()
        self.open(self.page + 1)

    def block_of(self, node: Node) -> list[Node]:
        """The elements of a node's primitive."""
        return [other for other in self.nodes if other.placed.block == node.placed.block]

    def group(self, node: Node) -> list[Node]:
        """The options to choose among which it is one."""
        name = node.element.attribute("name")
        return [
            other
            for other in self.block_of(node)
            if other.element.behaviour == Behaviour.CHOOSE and other.element.attribute("name") == name
        ]

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
            tuple(value for name, value in node.element.attributes if name in OBSERVED),
            node.value,
            node.placed.depth,
            node.placed.parent,
            tuple(node.placed.box) if node.visible else NOWHERE,
            self.focused == index,
        )
