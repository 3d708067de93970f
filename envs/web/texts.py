"""Texts by number, so that compiled rules can tell equal values from different ones."""

from collections.abc import Iterable
from copy import copy

import numpy as np

from procgen_bench.tasks.sites.element_arrays import listed_texts


class Texts:
    """The texts that values may be, with numbers: those of the profiles' lists first, others as they come."""

    def __init__(self):
        self._texts = list(listed_texts())
        self._numbers = {text: number for number, text in enumerate(self._texts)}
        self._num_listed = len(self._texts)

    def __copy__(self) -> "Texts":
        twin = Texts.__new__(Texts)
        vars(twin).update({name: copy(part) for name, part in vars(self).items()})
        return twin

    def number(self, text: str) -> int:
        """The number of a text; a text that has none gets the next one."""
        if text not in self._numbers:
            self._numbers[text] = len(self._texts)
            self._texts.append(text)
        return self._numbers[text]

    def __getitem__(self, number: int) -> str:
        return self._texts[number]

    def unlisted(self, numbers: np.ndarray) -> tuple[tuple[int, str], ...]:
        """(number, text) of those of ``numbers``, int32 (...), whose texts are beyond the lists."""
        return tuple((number, self[number]) for number in np.unique(numbers).tolist() if number >= self._num_listed)

    def numbered_here(self, numbers: np.ndarray, unlisted: Iterable[tuple[int, str]]) -> np.ndarray:
        """The numbers (...) that texts have here, by those, of the same shape and dtype, that they have where
        :meth:`unlisted` was asked."""
        here = numbers.copy()
        for number, text in unlisted:
            here[numbers == number] = self.number(text)
        return here

    def save(self) -> np.ndarray:
        """The texts beyond the lists, in the order of their numbers: an array (texts,) of dtype str."""
        return np.array(self._texts[self._num_listed :], dtype=np.str_)

    def restore(self, saved: np.ndarray) -> None:
        """Give the texts that :meth:`save` returned (dtype str, (texts,)) the numbers that they had."""
        Texts.__init__(self)
        for text in saved.tolist():
            self.number(text)
