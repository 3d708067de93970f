"""TaskCount: how many tasks a space has."""

from dataclasses import dataclass

#: Up to here, numbers are written out.
_WRITTEN_OUT = 10**9


@dataclass(frozen=True)
class TaskCount:
    """A number of tasks, and of the marks by which they are told apart (:meth:`.TaskSpace.hold_out_marks`).

    Attributes:
        tasks: How many tasks there are; where that is not ``exact``, there are more.
        marks: How many different marks, counted in the same way.
        exact: Whether there are so many and no more.
    """

    tasks: int
    marks: int
    exact: bool = False

    def of_tasks(self) -> str:
        """The number of tasks in words."""
        return self._in_words(self.tasks)

    def of_marks(self) -> str:
        """The number of marks in words."""
        return self._in_words(self.marks)

    def _in_words(self, number: int) -> str:
        if self.exact and number < _WRITTEN_OUT:
            return f"{number:,}"
        return f"{'about' if self.exact else 'more than'} 10^{len(str(number)) - 1}"


def more_than(exponent: int) -> TaskCount:
    """Of a space of more than 10 to the power of ``exponent`` tasks, each with a mark of its own."""
    return TaskCount(10**exponent, 10**exponent)
