"""FetchBlocksTask: a start, and where the blocks are to be."""

from dataclasses import dataclass

import numpy as np

from procgen_bench.core.checks import check_array
from procgen_bench.core.errors import InvalidTaskError
from procgen_bench.core.number_lines import number_line, read_numbers
from procgen_bench.core.task import Task
from procgen_bench.tasks.fetch_blocks.start import FetchBlocksStart

#: What blocks are by default, as FetchPickAndPlace's: kilograms, and the coefficient of sliding friction.
BLOCK_MASS, BLOCK_FRICTION = 2.0, 1.0
USUAL_MATERIALS = {"mass": BLOCK_MASS, "friction": BLOCK_FRICTION}
#: The least and the greatest that they can be.
MATERIALS = {"mass": (0.5, 4.0), "friction": (0.1, 2.0)}


@dataclass(frozen=True, eq=False)
class FetchBlocksTask(Task):
    """Where an episode begins, and the blocks' desired places.

    Attributes:
        start: Where blocks and gripper are when the episode begins.
        first: Index of the block to act on, with which observations begin.
        goal: float64 (N, 3), the desired centres, in the order of the blocks' indices; any finite numbers.
        mass: Kilograms of each block, 0.5 to 4.
        friction: Coefficient of the sliding friction of blocks on the table and on each other, 0.1 to 2. The fingers
            have one of 1; where a block's is greater, it holds between these, too.
    """

    start: FetchBlocksStart
    first: int
    goal: np.ndarray
    mass: float = BLOCK_MASS
    friction: float = BLOCK_FRICTION

    def validate(self) -> None:
        """Raise :class:`InvalidTaskError` unless the fields are as documented."""
        if not isinstance(self.start, FetchBlocksStart):
            raise InvalidTaskError("start", self.start, "a FetchBlocksStart")
        self.start.validate()
        check_first(self.first, self.start.num_blocks)
        check_array("goal", self.goal, np.float64, (self.start.num_blocks, 3))
        if not np.isfinite(self.goal).all():
            raise InvalidTaskError("goal", self.goal.tolist(), "finite numbers")
        for name, (least, greatest) in MATERIALS.items():
            number = getattr(self, name)
            if not isinstance(number, float) or not least <= number <= greatest:
                raise InvalidTaskError(name, number, f"a float from {least} to {greatest}")

    def to_text(self) -> str:
        """The start's lines (:meth:`FetchBlocksStart.to_text`), ``first INDEX``, then ``goal X Y Z`` for each block.

        Then ``mass NUMBER`` and ``friction NUMBER`` where they are not the usual ones.
        """
        goals = (number_line("goal", place) for place in self.goal)
        unusual = {name: getattr(self, name) for name, usual in USUAL_MATERIALS.items() if getattr(self, name) != usual}
        materials = (number_line(name, [number]) for name, number in unusual.items())
        return "\n".join([self.start.to_text(), f"first {self.first}", *goals, *materials])

    @classmethod
    def from_text(cls, text: str) -> "FetchBlocksTask":
        """The task that :meth:`to_text` shows.

        Raises:
            InvalidTaskError: A line that cannot be read.
        """
        lines = text.strip().splitlines()
        places = [number for number, line in enumerate(lines) if line.split()[:1] == ["first"]]
        if len(places) != 1:
            raise InvalidTaskError("number of lines 'first INDEX'", len(places), "1")
        start = FetchBlocksStart.from_text("\n".join(lines[: places[0]]))
        goals, materials = lines[places[0] + 1 :], {}
        while goals and goals[-1].split()[:1] and (name := goals[-1].split()[0]) in MATERIALS:
            materials[name] = float(read_numbers(name, goals.pop(), 1)[0])
        if len(goals) != start.num_blocks:
            raise InvalidTaskError("number of goals", len(goals), f"{start.num_blocks}, one for each block")
        first = float(read_numbers("first", lines[places[0]], 1)[0])
        check_first(int(first) if first.is_integer() else first, start.num_blocks)
        return cls(start, int(first), np.array([read_numbers("goal", line, 3) for line in goals]), **materials)


def check_first(first: object, num_blocks: int) -> None:
    """Raise :class:`InvalidTaskError` unless ``first`` is the index of one of ``num_blocks`` blocks."""
    if not isinstance(first, int | np.integer) or isinstance(first, bool) or not 0 <= first < num_blocks:
        raise InvalidTaskError("first", first, f"the index of a block, 0 to {num_blocks - 1}")
