"""Goal: what rewards a player, options of which one must hold, each a conjunction of atoms and negated atoms (2.2)."""

from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise

import numpy as np

from procgen_bench.core.checks import check_array
from procgen_bench.core.errors import InvalidTaskError
from procgen_bench.core.task import Task
from procgen_bench.tasks.xland.games.atoms import ATOM_INDEX, ATOMS, OBJECTS, read_atom
from procgen_bench.tasks.xland.games.scanner import Scanner

#: Literals by sign and atom: ``LITERALS[1]`` are atoms, ``LITERALS[-1]`` negated ones.
LITERALS = {1: tuple(map(str, ATOMS)), -1: tuple(f"~{atom}" for atom in ATOMS)}
# Alphabetical places of all literals: negated ones come after all others.
_RANKS = {text: rank for rank, text in enumerate(sorted(LITERALS[1] + LITERALS[-1]))}


@dataclass(frozen=True, eq=False, repr=False)
class Goal(Task):
    """A goal in disjunctive normal form.

    Options are kept in alphabetical order of their text, so goals of the same options are equal, whatever the order in
    which these were given.

    Attributes:
        matrix: int8 (options, 212): 1 where an option needs the atom, -1 where it needs its negation, 0 elsewhere.
            Every option names an atom, and no option is there twice.

    Raises:
        InvalidTaskError: The matrix is none of these.
    """

    matrix: np.ndarray

    def __post_init__(self):
        super().__post_init__()
        _check(self.matrix)
        options = sorted(zip(self._option_ranks(), self.matrix), key=lambda option: option[0])
        for (ranks, row), (next_ranks, _) in pairwise(options):
            if ranks == next_ranks:
                raise InvalidTaskError("option of the goal", _option_text(row), "options that are all different")
        object.__setattr__(self, "matrix", np.array([row for _, row in options]))
        super().__post_init__()

    def reward(self, truths: np.ndarray) -> np.ndarray:
        """Whether the goal is satisfied, bool (...), where the atoms are as in ``truths``, bool (..., 212)."""
        used = self.atoms
        return np.any(options_met(self.matrix[:, used], np.asarray(truths, np.bool_)[..., used]), axis=-1)

    @property
    def atoms(self) -> np.ndarray:
        """Places in ``ATOMS`` of the atoms that the goal names, int64 (atoms,), ascending."""
        return np.flatnonzero(self.matrix.any(axis=0))

    @cached_property
    def objects(self) -> frozenset[tuple[str, str]]:
        """Shapes and colours of the objects that the goal names."""
        names = {name for place in self.atoms for name in ATOMS[place][1:]} & set(OBJECTS)
        return frozenset((shape, colour) for colour, shape in map(str.split, names))

    def __str__(self) -> str:
        return " | ".join(map(_option_text, self.matrix))

    def __repr__(self) -> str:
        return f"parse_goal({str(self)!r})"

    def _option_ranks(self) -> list[list[int]]:
        return [sorted(_RANKS[literal] for literal in _literals(row)) for row in self.matrix]


def options_met(matrix: np.ndarray, truths: np.ndarray) -> np.ndarray:
    """Which options of a goal are met, bool (..., options), where n atoms are as in ``truths``, bool (..., n).

    Args:
        matrix: int8 (..., options, n), as :attr:`Goal.matrix`; an option that names no atom is always met.
        truths: Whether each atom holds.
    """
    return np.all(np.where(truths[..., np.newaxis, :], matrix >= 0, matrix <= 0), axis=-1)


def parse_goal(text: str) -> Goal:
    """The goal of a text such as ``hold(me,purple sphere) & near(me,yellow sphere) | ~see(opponent,me)``.

    Raises:
        InvalidTaskError: The text is no goal; names the column, from 1.
    """
    return read_goal(Scanner(text, "goal"))


def read_goal(scanner: Scanner) -> Goal:
    """The goal of the rest of the scanner's line, see :func:`parse_goal`."""
    options: list[np.ndarray] = []
    while True:
        column = scanner.column
        option = _read_option(scanner)
        if any(np.array_equal(option, earlier) for earlier in options):
            scanner.fail("options that are all different", _option_text(option), column)
        options.append(option)
        if scanner.at_end:
            return Goal(np.array(options))
        if not scanner.accept("|"):
            scanner.fail("'&', '|' or the end of the goal")


def _read_option(scanner: Scanner) -> np.ndarray:
    """The row of the option that comes next, int8 (212,)."""
    row = np.zeros(len(ATOMS), np.int8)
    while True:
        column = scanner.column
        sign = -1 if scanner.accept("~") else 1
        atom = ATOM_INDEX[read_atom(scanner)]
        if row[atom]:
            scanner.fail("every atom at most once in an option", LITERALS[sign][atom], column)
        row[atom] = sign
        if not scanner.accept("&"):
            return row


def _literals(row: np.ndarray) -> list[str]:
    return [LITERALS[int(row[atom])][atom] for atom in np.flatnonzero(row)]


def _option_text(row: np.ndarray) -> str:
    return " & ".join(sorted(_literals(row)))


def _check(matrix: np.ndarray) -> None:
    check_array("matrix", matrix, np.int8, (None, len(ATOMS)))
    if len(matrix) == 0:
        raise InvalidTaskError("number of options of a goal", 0, "1 or more")
    for option, atom in np.argwhere((matrix < -1) | (matrix > 1)):
        raise InvalidTaskError(f"matrix[{option}, {atom}] of a goal", matrix[option, atom].item(), "-1, 0 or 1")
    for option in np.flatnonzero(~matrix.any(axis=1)):
        raise InvalidTaskError(f"number of atoms in option {option} of a goal", 0, "1 or more")
