"""Two libraries of invented primitives: one to train with, and one of others, which is held out."""

import importlib.resources
from collections.abc import Mapping
from functools import cache
from typing import Any

import numpy as np
import yaml

from procgen_bench.core.errors import InvalidTaskError
from procgen_bench.core.suites import Arrays
from procgen_bench.tasks.sites.elements import renamed
from procgen_bench.tasks.sites.invention import DomTemplate, run_algorithm
from procgen_bench.tasks.sites.library import PrimitiveLibrary
from procgen_bench.tasks.sites.own_check import check_own
from procgen_bench.tasks.sites.primitive import Primitive
from procgen_bench.tasks.sites.variable_templates import VARIABLE_TEMPLATES
from procgen_bench.tasks.sites.vocabulary import words_of

#: Primitives of each template in each of the two libraries: of those that ask for something, and of all others.
_COUNTS, _COUNT = {"input": 10, "selection": 4, "multi-selection": 4, "drop-down": 4}, 2
_LOOK_ALIKE = "other_"
#: Their names in a suite's file: what training may place, besides the published primitives, and what it may not.
_TRAINED, _HELD_OUT = "trained", "held_out"


def invent_libraries(rng: np.random.Generator) -> tuple[PrimitiveLibrary, PrimitiveLibrary]:
    """A library to train with, which places the published primitives, too, and one that is held out, which does not.

    Algorithm 2 is run on every template, and what it makes goes to either in turn. No two of all primitives look alike,
    and no two ask for something under one label, which is always there; the key of its field is another word for it
    (``data/invented.yaml``). What offers options offers two at least. Each that asks for something has one in its
    library that looks the same but for the label, and is asked for by nobody (:func:`look_alike_name`).
    """
    halves: tuple[list[Primitive], list[Primitive]] = ([], [])
    taken: set[str] = set()
    unasked = {kind: iter(rng.permutation(names).tolist()) for kind, names in _words_for()["unasked"].items()}
    for kind, template in VARIABLE_TEMPLATES.items():
        for number in range(2 * _COUNTS.get(kind, _COUNT)):
            primitive = _invented(template, f"{kind.replace(' ', '_')}_{number + 1}", taken, rng)
            taken |= {primitive.content, primitive.label}
            halves[number % 2].append(primitive)
            if primitive.active:
                label = next(unasked["boxes" if kind == "selection" else "fields"])
                halves[number % 2].append(_look_alike(primitive, label))
    return PrimitiveLibrary(tuple(halves[0])), PrimitiveLibrary(tuple(halves[1]), published=False)


def look_alike_name(name: str) -> str:
    """The name of the primitive that looks like an invented one that asks for something, and asks for nothing."""
    return _LOOK_ALIKE + name


@cache
def _words_for() -> Mapping[str, Mapping[str, Any]]:
    """What ``data/invented.yaml`` says."""
    words = yaml.safe_load((importlib.resources.files(__package__) / "data" / "invented.yaml").read_text("utf-8"))
    return {"keys": words["keys"], "unasked": {kind: words[f"unasked_{kind}"] for kind in ("fields", "boxes")}}


def _look_alike(primitive: Primitive, label: str) -> Primitive:
    """A primitive of the same look under another label, which asks for nothing."""
    root = renamed(primitive.root, primitive.label, label)
    return Primitive(look_alike_name(primitive.name), primitive.template, root, decoy=True)


def _invented(template: DomTemplate, passive_name: str, taken: set[str], rng: np.random.Generator) -> Primitive:
    while True:
        root, values = run_algorithm(template, rng)
        label = values.get(template.label, "")
        name = "_".join(words_of(label)) if template.label else passive_name
        key = _words_for()["keys"][label] if label else ""
        primitive = Primitive(name, template.kind, root, key, label)
        if bool(label) != bool(template.label) or {label} & taken - {""} or primitive.content in taken:
            continue
        if len(primitive.options) == 1 or not _says_something(primitive):
            continue
        try:
            check_own(primitive)
        except InvalidTaskError:
            continue
        return primitive


def _says_something(primitive: Primitive) -> bool:
    """Whether it is more than pictures: some element has a text, or a name of its own."""
    return any(one.text or one.attribute("placeholder") or one.attribute("aria-label") for one in primitive.root)


def library_arrays(trained: PrimitiveLibrary, held_out: PrimitiveLibrary) -> Arrays:
    """The two as a suite's file keeps them, ``trained`` and ``held_out``: the bytes of their JSON, uint8 (bytes,)."""
    libraries = {_TRAINED: trained, _HELD_OUT: held_out}
    return {name: np.frombuffer(one.to_json().encode(), np.uint8) for name, one in libraries.items()}


def libraries_of(arrays: Arrays) -> tuple[PrimitiveLibrary, PrimitiveLibrary]:
    """The two libraries, trained and held out, of the arrays that :func:`library_arrays` gave, uint8 (bytes,)."""
    trained, held_out = (PrimitiveLibrary.from_json(arrays[name].tobytes().decode()) for name in (_TRAINED, _HELD_OUT))
    return trained, held_out
