"""PrimitiveLibrary: primitives besides the published ones, out of which designs can be made."""

import json
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import count
from pathlib import Path
from types import MappingProxyType

from procgen_bench.core.atomic import write_text
from procgen_bench.core.errors import InvalidTaskError
from procgen_bench.core.task import Task
from procgen_bench.tasks.sites.elements import Behaviour
from procgen_bench.tasks.sites.own_check import check_own
from procgen_bench.tasks.sites.plain_primitives import plain_primitive, primitive_of
from procgen_bench.tasks.sites.primitive import Primitive
from procgen_bench.tasks.sites.primitives import CATALOGUE, FIELDS, PRIMITIVES
from procgen_bench.tasks.sites.profiles import value_lists
from procgen_bench.tasks.sites.typed_values import values_of_line

#: What a library's file says that it is, and of which form.
_FORMAT, _VERSION = "procgen_bench primitives", 1


@dataclass(frozen=True, eq=False)
class PrimitiveLibrary(Task):
    """What there is to make designs of.

    Designs may hold its own primitives and all published ones; generators place its catalogue's.

    Attributes:
        own: Its own primitives, by name.
        published: Whether generators place the 40 of table 4, too.

    Raises:
        InvalidTaskError: An own primitive cannot stand on pages (:func:`check_own`), two have one name, a field has
            other options in one primitive than in another, or generators would have no active primitive to place.
    """

    own: tuple[Primitive, ...] = ()
    published: bool = True

    def __post_init__(self):
        object.__setattr__(self, "own", tuple(sorted(self.own, key=lambda primitive: primitive.name)))
        super().__post_init__()
        for primitive in self.own:
            check_own(primitive)
        for one, other in zip(self.own, self.own[1:]):
            if one.name == other.name:
                raise InvalidTaskError("name of a primitive", one.name, "each once")
        _options_by_field([*PRIMITIVES.values(), *self.own])
        if not any(primitive.active for primitive in self.catalogue.values()):
            raise InvalidTaskError("library's active primitives", 0, "at least one, or the published ones besides them")

    @cached_property
    def known(self) -> Mapping[str, Primitive]:
        """All that designs may hold, by name."""
        return MappingProxyType(PRIMITIVES | {primitive.name: primitive for primitive in self.own})

    @cached_property
    def catalogue(self) -> Mapping[str, Primitive]:
        """What generators place, by name; a place in it is a primitive's number in raw parameters, less one."""
        published = CATALOGUE if self.published else {}
        return MappingProxyType({**published, **{primitive.name: primitive for primitive in self.own}})

    @cached_property
    def fields(self) -> tuple[str, ...]:
        """The fields that the catalogue's primitives ask for, in the order of instructions."""
        return ordered_fields(self.catalogue.values())

    @cached_property
    def value_lists(self) -> Mapping[str, tuple[str, ...]]:
        """For every published and every own field the values that profiles draw from.

        An own field that takes any text has values of what its line says that it is about (:func:`.values_of_line`),
        else those of MiniWoB's field ``text``.
        """
        published = value_lists()
        options, about = _options_by_field(self.own), _values_by_field(self.own)
        own = {
            field: options[field] or about.get(field) or published["text"]
            for field in ordered_fields(self.own)
            if field not in FIELDS
        }
        return MappingProxyType({**published, **own})

    def profile(self, fields: Iterable[str], places: Mapping[str, int]) -> tuple[tuple[str, str], ...]:
        """The profile of ``fields``, in their order, whose values stand at ``places`` of their lists."""
        return tuple((field, self.value_lists[field][places[field]]) for field in fields)

    def to_json(self) -> str:
        """The library as JSON, a line per primitive."""
        head = json.dumps({"format": _FORMAT, "version": _VERSION, "published": self.published})
        lines = ",\n".join(json.dumps(plain_primitive(primitive), ensure_ascii=False) for primitive in self.own)
        return f'{head[:-1]}, "primitives": [\n{lines}\n]}}\n'

    @classmethod
    def from_json(cls, text: str) -> "PrimitiveLibrary":
        """The library that :meth:`to_json` writes.

        Raises:
            InvalidTaskError: ``text`` is none.
        """
        try:
            data = json.loads(text)
        except (ValueError, RecursionError) as error:
            raise InvalidTaskError("library of primitives", f"{text[:60]}...", f"JSON ({error})") from None
        keys = {"format", "version", "published", "primitives"}
        if not isinstance(data, dict) or set(data) != keys or (data["format"], data["version"]) != (_FORMAT, _VERSION):
            expected = f"an object of {', '.join(sorted(keys))}, of format {_FORMAT!r} and version {_VERSION}"
            raise InvalidTaskError("library of primitives", f"{text[:60]}...", expected)
        if not isinstance(data["primitives"], list) or type(data["published"]) is not bool:
            raise InvalidTaskError("library's primitives", data["primitives"], "a list, and published true or false")
        return cls(tuple(map(primitive_of, data["primitives"])), data["published"])

    def write(self, path: Path) -> None:
        """Write the library's file, whole or not at all."""
        write_text(path, self.to_json())


def read_library(path: Path) -> PrimitiveLibrary:
    """The library that a file holds.

    Raises:
        InvalidTaskError: There is no such file, or it is no library's.
    """
    try:
        text = path.read_text("utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise InvalidTaskError("library's file", str(path), f"one that can be read ({error})") from None
    return PrimitiveLibrary.from_json(text)


def ordered_fields(primitives: Iterable[Primitive]) -> tuple[str, ...]:
    """The fields that primitives ask for, in the order of instructions: published ones, then others by name."""
    asked = {primitive.field for primitive in primitives if primitive.active}
    return (*(field for field in FIELDS if field in asked), *sorted(asked.difference(FIELDS)))


def named_apart(primitives: Iterable[Primitive], library: PrimitiveLibrary) -> tuple[Primitive, ...]:
    """Primitives whose names no published one has, and whose fields no other primitive asks for with other options.

    A name or a field that is taken gets a number behind it, from 2: a list of states is called ``state_2``.

    Args:
        primitives: Those to come.
        library: Those that there are.
    """
    options = _options_by_field([*PRIMITIVES.values(), *library.own])
    found = []
    for primitive in primitives:
        name = next(name for name in _numbered(primitive.name) if name not in PRIMITIVES)
        field = primitive.field and next(
            field
            for field in _numbered(primitive.field)
            if set(options.get(field, primitive.options)) == set(primitive.options)
        )
        found.append(replace(primitive, name=name, field=field))
    return tuple(found)


def _numbered(name: str) -> Iterator[str]:
    yield name
    base, _, last = name.rpartition("_")
    yield from (f"{base if base and last.isdecimal() else name}_{number}" for number in count(2))


def _values_by_field(primitives: Iterable[Primitive]) -> dict[str, tuple[str, ...]]:
    """By field the values of the first line that says what it is about."""
    found: dict[str, tuple[str, ...]] = {}
    for primitive in primitives:
        for element in primitive.root:
            if primitive.active and element.behaviour == Behaviour.TYPE and (values := values_of_line(element)):
                found.setdefault(primitive.field, values)
    return found


def _options_by_field(primitives: Iterable[Primitive]) -> dict[str, tuple[str, ...]]:
    """For every field the options of the primitives that ask for it; none where it takes any text."""
    options: dict[str, tuple[str, ...]] = {}
    for primitive in primitives:
        if not primitive.active:
            continue
        known = options.setdefault(primitive.field, primitive.options)
        if set(known) != set(primitive.options):
            expected = f"those of others that ask for {primitive.field!r}, {', '.join(known) or 'any text'}"
            raise InvalidTaskError(f"options of primitive {primitive.name!r}", primitive.options, expected)
    return options


#: The published primitives, and no other.
PUBLISHED_LIBRARY = PrimitiveLibrary()
