"""Texts by number, so that compiled rules can tell equal values from different ones."""

import numpy as np

from procgen_bench.tasks.sites.library import text_numbers


class Texts:
    """The texts that values may be, with numbers: those of the profiles' lists first, others as they come."""

    def __init__(self):
        self._numbers = dict(text_numbers())
        self._texts = list(self._numbers)
        self._num_listed = len(self._texts)

    def number(self, text: str) -> int:
        """The number of a text; a text that has none gets the next one."""
        if text not in self._numbers:
            self._numbers[text] = len(self._texts)
            self._texts.append(text)
        return self._numbers[text]

    def __getitem__(self, number: int) -> str:
        return self._texts[number]

    def save(self) -> np.ndarray:
        """The texts beyond the lists, in the order of their numbers."""
        return np.array(self._texts[self._num_listed :], dtype=np.str_)

    def restore(self, saved: np.ndarray) -> None:
        """Give the texts that :meth:`save` returned the numbers that they had."""
        Texts.__init__(self)
        for text in saved.tolist():
            self.number(text)
