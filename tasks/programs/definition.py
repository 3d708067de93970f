"""ProgramDefinition: a program as data, the paper's or the user's own."""

from collections.abc import Callable
from dataclasses import dataclass


@dataclass(frozen=True)
class ProgramDefinition:
    """What a library is made of: a name, a level, what the program may call, and up to three functions.

    The functions are of one state, and compilable by Numba (decorated by ``numba.njit``, or plain). They may call
    those of :mod:`procgen_bench.tasks.programs.relations`. They are given

    - ``state``: float64 (15 N + 10,), see :mod:`procgen_bench.tasks.programs.states`;
    - ``arguments``: int64, what stands in the definition's ``arguments``, then zeros;
    - ``goal``: float64 (3 N,), the goal that was set when the program began; zeros where it sets none.

    Attributes:
        name: Its name, like ``"Stack_0_1"``.
        text: What it does, in words.
        level: 0 for atomic programs, greater for others, which call programs of lower levels.
        phi: The pre-condition ``phi(state, arguments) -> bool``; ``None``: it can start anywhere.
        theta: The goal setter ``theta(state, arguments, goal)``, which writes x, y, z of every block; a program
            that has one is atomic.
        psi: The post-condition ``psi(state, arguments, goal) -> bool``. ``None``, of atomic programs only: every block
            is within 0.05 of its place in the goal.
        arguments: What tells it from others with the same functions: blocks, zones, other whole numbers.
        calls: Names of the programs that it is made of; none for an atomic program.
        most_atomic_calls: Atomic calls that it is given, each of 50 steps.
        precondition_text: What its pre-condition asks for, in words.
        blocks: Of an atomic program: the block that it moves, then the one, if any, that it stacks it on.
        zone: Of a program that moves a block to a zone: the zone's place in ``COLOURS``.
    """

    name: str
    text: str
    level: int
    phi: Callable | None = None
    theta: Callable | None = None
    psi: Callable | None = None
    arguments: tuple[int, ...] = ()
    calls: tuple[str, ...] = ()
    most_atomic_calls: int = 1
    precondition_text: str = "nothing: it can be called from anywhere"
    blocks: tuple[int, ...] = ()
    zone: int | None = None

    @property
    def is_atomic(self) -> bool:
        """Whether it is played by a goal-conditioned policy, for the steps of one call."""
        return self.theta is not None
