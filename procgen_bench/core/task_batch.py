"""TaskBatch: many tasks of one class as arrays, each of which becomes an object only when it is asked for."""

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import fields
from functools import cached_property
from typing import Generic, overload

import numpy as np

from procgen_bench.core.task import TaskT


class TaskBatch(Sequence[TaskT], Generic[TaskT]):
    """A sequence of tasks that are made of arrays of fixed shapes, of an axis or more, and of nothing else.

    What is done with every level that a run begins (to look whether it is held out, to record and to load it) takes a
    tenth of the time on arrays.

    Args:
        task_type: The tasks' class.
        arrays: By the name of every field of it, (n, ...), in the field's dtype: not copied, and not changed from now
            on.

    Raises:
        ValueError: These are not the class's fields, or differ in length.
    """

    def __init__(self, task_type: type[TaskT], arrays: Mapping[str, np.ndarray]):
        names = [field.name for field in fields(task_type)]  # type: ignore[arg-type]  # every task is a dataclass
        lengths = {len(array) for array in arrays.values()}
        if set(names) != set(arrays) or len(lengths) != 1:
            raise ValueError(
                f"arrays are {sorted(arrays)} of lengths {sorted(lengths)}, expected {names} of one length"
            )
        self.task_type = task_type
        self.arrays = {name: arrays[name] for name in names}
        self._length = lengths.pop()

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Sequence) and list(self) == list(other)

    __hash__ = None  # type: ignore[assignment]  # as lists

    def __len__(self) -> int:
        return self._length

    @overload
    def __getitem__(self, place: int) -> TaskT: ...
    @overload
    def __getitem__(self, place: slice) -> "TaskBatch[TaskT]": ...
    def __getitem__(self, place: int | slice) -> "TaskT | TaskBatch[TaskT]":
        if isinstance(place, slice):
            return TaskBatch(self.task_type, {name: array[place] for name, array in self.arrays.items()})
        task = self.task_type(**{name: array[place] for name, array in self.arrays.items()})
        if "digests" in vars(self):
            vars(task)["_fingerprint"] = self.digests[place].hex()
        return task

    @cached_property
    def digests(self) -> list[bytes]:
        """The tasks' fingerprints as 32 bytes each; see :meth:`.Task.fingerprint`."""
        columns = []
        for number, (name, array) in enumerate(self.arrays.items()):
            kind = self.task_type.__name__ if number == 0 else ""
            head = f"{kind}|{name}|{array.dtype.str}{array.shape[1:]}".encode()
            columns.append(np.broadcast_to(np.frombuffer(head, np.uint8), (len(self), len(head))))
            columns.append(np.ascontiguousarray(array).reshape(len(self), -1).view(np.uint8))
        texts = np.concatenate(columns, axis=1)
        return [hashlib.sha256(text).digest() for text in texts]

    def short_fingerprints(self) -> list[int]:
        """As :meth:`.Task.short_fingerprint`."""
        return np.frombuffer(b"".join(self.digests), ">u8").reshape(len(self), 4)[:, 0].tolist()
