"""Algorithm 2 of CoDE (A.7): new primitives out of templates whose texts, attributes and classes are variables."""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace

import numpy as np

from procgen_bench.core.errors import InvalidTaskError
from procgen_bench.tasks.sites.elements import Behaviour, Element
from procgen_bench.tasks.sites.primitive import Primitive
from procgen_bench.tasks.sites.primitive_check import check_primitive

#: What a variable begins with where it stands for a text, an attribute's value or a class: ``"{label}"``.
MARK = "{"


@dataclass(frozen=True)
class DomTemplate:
    """A tree of elements, some of them with variables.

    Attributes:
        kind: The template's name in table 4, e.g. ``"input"``.
        root: The tree D; a text, value of an attribute, or class such as ``"{label}"`` is a variable.
        values: For every variable the values that it can be assigned. One that several elements have is one variable:
            it has one value wherever it is assigned.
        kept: An element with one of these behaviours stays, whatever the coins say: it is what the template is for.
        label: Of a template of active primitives the variable that says what is asked for; else empty.

    The root stays as well.
    """

    kind: str
    root: Element
    values: Mapping[str, tuple[str, ...]]
    kept: frozenset[Behaviour] = field(default_factory=frozenset)
    label: str = ""

    def is_removable(self, element: Element) -> bool:
        """Whether an element inside the root is one of V: it has variables and is not one that is kept."""
        return element.behaviour not in self.kept and bool(variables_of(element))


def variables_of(element: Element) -> tuple[str, ...]:
    """The variables A of an element, each once: of its text, its attributes and its classes."""
    parts = (element.text, *(value for _, value in element.attributes), *element.classes)
    return tuple(dict.fromkeys(part for part in parts if part.startswith(MARK)))


def invent_primitive(template: DomTemplate, rng: np.random.Generator, name: str) -> Primitive:
    """A new primitive ``name``; Algorithm 2 is run until :func:`check_primitive` accepts what it makes.

    An active one asks for a field of its own name.
    """
    while True:
        root, values = run_algorithm(template, rng)
        asked_for = (name, values.get(template.label, name)) if template.label else ("", "")
        primitive = Primitive(name, template.kind, root, *asked_for)
        try:
            check_primitive(primitive)
        except InvalidTaskError:
            continue
        return primitive


def run_algorithm(template: DomTemplate, rng: np.random.Generator) -> tuple[Element, dict[str, str]]:
    """Algorithm 2, once.

    For every element of V a coin: heads removes it with all inside. Then for every variable of every element left a
    coin: heads samples and assigns a value. An element of V without any value assigned is removed, too; elsewhere what
    has no value is left out. (The paper's last line says this of elements *with* a value left; then nothing would be.)

    Returns:
        The tree without variables, and the values assigned.
    """
    bound: dict[str, str] = {}
    root = _assigned(template, _thinned(template, template.root, rng), bound, rng, removable=False)
    assert root is not None  # what cannot be removed stays
    return root, bound


def _thinned(template: DomTemplate, element: Element, rng: np.random.Generator) -> Element:
    """The first loop: what the coins leave of the elements inside."""
    left = [child for child in element.children if not (template.is_removable(child) and _heads(rng))]
    return replace(element, children=tuple(_thinned(template, child, rng) for child in left))


def _assigned(
    template: DomTemplate, element: Element, bound: dict[str, str], rng: np.random.Generator, removable: bool
) -> Element | None:
    """The second loop: the element with values for its variables; ``None`` where it goes for want of any."""
    assigned: dict[str, str] = {}
    for variable in variables_of(element):
        if _heads(rng):
            assigned[variable] = bound.setdefault(variable, _sampled(template.values[variable], rng))
    if removable and not assigned:
        return None

    def value_of(part: str) -> str:
        return assigned.get(part, "") if part.startswith(MARK) else part

    children = (_assigned(template, child, bound, rng, template.is_removable(child)) for child in element.children)
    return replace(
        element,
        text=value_of(element.text),
        attributes=tuple((name, value_of(value)) for name, value in element.attributes if value_of(value)),
        classes=tuple(value_of(class_) for class_ in element.classes if value_of(class_)),
        children=tuple(child for child in children if child is not None),
    )


def _sampled(values: tuple[str, ...], rng: np.random.Generator) -> str:
    return values[rng.integers(len(values))]


def _heads(rng: np.random.Generator) -> bool:
    return bool(rng.integers(2))
