"""SiteTables: primitives, their elements, fields and texts by number, as compiled rules read them."""

import json
from collections.abc import Mapping, Sequence
from copy import copy
from functools import lru_cache
from typing import Any

import numpy as np

from procgen_bench.envs.web.texts import Texts
from procgen_bench.tasks.sites.element_arrays import (
    ELEMENT,
    NOTHING,
    PRIMITIVE,
    VALUES,
    element_rows,
    primitive_row,
    value_row,
)
from procgen_bench.tasks.sites.library import PUBLISHED_LIBRARY, PrimitiveLibrary
from procgen_bench.tasks.sites.plain_primitives import plain_primitive, primitive_of
from procgen_bench.tasks.sites.primitive import Primitive, spaced
from procgen_bench.tasks.sites.primitives import EVERY_PRIMITIVE

#: Attributes of tables that never change.
_SHARED = ("library", "catalogue")


class _Rows:
    """Rows of a structured array, to which others are added."""

    def __init__(self, dtype: np.dtype):
        self._array, self._count = np.zeros(16, dtype), 0

    def __copy__(self) -> "_Rows":
        twin = _Rows(self._array.dtype)
        twin._array, twin._count = self._array.copy(), self._count
        return twin

    def __len__(self) -> int:
        return self._count

    @property
    def array(self) -> np.ndarray:
        """The rows that there are."""
        return self._array[: self._count]

    def add(self, rows: Sequence[tuple]) -> None:
        """Put rows behind the others."""
        end = self._count + len(rows)
        if end > len(self._array):
            grown = np.zeros(max(end, 2 * len(self._array)), self._array.dtype)
            grown[: self._count] = self.array
            self._array = grown
        self._array[self._count : end] = rows
        self._count = end


class SiteTables:
    """What tasks are made of, by number; what a task brings in that was not there gets the next numbers.

    The published primitives in their published look are first, in the order of ``EVERY_PRIMITIVE``, then the library's
    own. Fields are in the order of ``FIELDS``, then by name.

    Args:
        library: Out of which tasks are drawn.

    Attributes:
        library: The same.
        texts: The texts.
        catalogue: int32 (C,), the numbers of what generators place, in the order of the library's catalogue.
    """

    def __init__(self, library: PrimitiveLibrary = PUBLISHED_LIBRARY):
        self.library, self.texts = library, Texts()
        self._elements, self._primitives, self._values = _Rows(ELEMENT), _Rows(PRIMITIVE), _Rows(VALUES)
        self._by_number: list[Primitive] = []
        self._numbers: dict[Primitive, int] = {}
        self._field_names: list[str] = []
        self._fields: dict[str, int] = {}
        for field, values in library.value_lists.items():
            self._add_field(field, values)
        for primitive in (*EVERY_PRIMITIVE.values(), *library.own):
            self.number(primitive)
        self._num_known = len(self._by_number)
        self.catalogue = np.array([self.number(one) for one in library.catalogue.values()], np.int32)

    def __copy__(self) -> "SiteTables":
        twin = SiteTables.__new__(SiteTables)
        vars(twin).update({name: part if name in _SHARED else copy(part) for name, part in vars(self).items()})
        return twin

    def __getstate__(self) -> dict[str, Any]:
        return {"library": self.library, "brought": self.save()}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.library = state["library"]
        self.restore(state["brought"])

    @property
    def elements(self) -> np.ndarray:
        """Those of all primitives: (E,), of the dtype ``ELEMENT``."""
        return self._elements.array

    @property
    def primitives(self) -> np.ndarray:
        """The primitives by number: (P,), of the dtype ``PRIMITIVE``."""
        return self._primitives.array

    @property
    def values(self) -> np.ndarray:
        """The fields by number: (K,), of the dtype ``VALUES``."""
        return self._values.array

    def number(self, primitive: Primitive) -> int:
        """The number of a primitive, in its look."""
        if primitive not in self._numbers:
            number_of = self.texts.number
            field = self.field_number(primitive.field) if primitive.active else NOTHING
            self._primitives.add([primitive_row(primitive, len(self._elements), field, number_of)])
            self._elements.add(element_rows(primitive, number_of))
            self._numbers[primitive] = len(self._by_number)
            self._by_number.append(primitive)
        return self._numbers[primitive]

    def __getitem__(self, number: int) -> Primitive:
        return self._by_number[number]

    def field_number(self, field: str) -> int:
        """The number of a field."""
        if field not in self._fields:
            self._add_field(field, ())
        return self._fields[field]

    def field(self, number: int) -> str:
        """The field of a number."""
        return self._field_names[number]

    def save(self) -> dict[str, np.ndarray]:
        """All that tasks brought in, for :meth:`restore` of tables of the same library.

        Returns:
            ``new_texts``, as :meth:`Texts.save` gives them, and ``new_primitives``, JSON as uint8 (bytes,).
        """
        brought = "\n".join(map(_line, self._by_number[self._num_known :]))
        return {"new_texts": self.texts.save(), "new_primitives": np.frombuffer(brought.encode(), np.uint8)}

    def restore(self, saved: Mapping[str, np.ndarray]) -> None:
        """Give everything that :meth:`save` returned (str and uint8 arrays (...,)) the numbers that it had."""
        vars(self).update(vars(tables_of(self.library)))
        self.texts.restore(saved["new_texts"])
        brought = saved["new_primitives"].tobytes().decode()
        for line in brought.split("\n") if brought else ():
            self.number(_read(line))

    def _add_field(self, field: str, values: Sequence[str]) -> None:
        self._fields[field] = len(self._field_names)
        self._field_names.append(field)
        self._values.add([value_row(field, values, self.texts.number)])


def tables_of(library: PrimitiveLibrary) -> SiteTables:
    """New tables of a library."""
    return copy(_fresh(library))


@lru_cache(maxsize=4)
def _fresh(library: PrimitiveLibrary) -> SiteTables:
    return SiteTables(library)


def _line(primitive: Primitive) -> str:
    return json.dumps(plain_primitive(primitive) | {"gap": primitive.gap})


def _read(line: str) -> Primitive:
    parts = json.loads(line)
    gap = parts.pop("gap")
    return spaced(primitive_of(parts), gap)
