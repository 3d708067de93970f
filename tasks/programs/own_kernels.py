"""The kernels of a library: the paper's, or these with the user's own functions compiled into them."""

from collections.abc import Callable, Iterable, Sequence
from typing import Any, NamedTuple

import numpy as np
from numba import typeof
from numba.core.errors import NumbaError

from procgen_bench.core.compiled import remade
from procgen_bench.tasks.programs import conditions, kernels
from procgen_bench.tasks.programs.checks import InvalidLibraryError
from procgen_bench.tasks.programs.definition import ProgramDefinition

_NUMBERS, _ARGUMENTS, _TRUTH = typeof(np.zeros(1)), typeof(np.zeros(1, np.int64)), typeof(True)
#: Arguments of the paper's programs.
_LEAST_ARGUMENTS = 2


class Kernels(NamedTuple):
    """The compiled functions of a library; what they take is written at :mod:`procgen_bench.tasks.programs.kernels`.

    Attributes:
        preconditions: ``(states, programs, table, results)``.
        goals: ``(states, programs, table, goals)``.
        postconditions: ``(states, programs, goals, table, results)``.
    """

    preconditions: Any
    goals: Any
    postconditions: Any


class _Functions:
    """The functions of one kind, the paper's first, and their numbers."""

    def __init__(self, kind: str, of_paper: Sequence[Callable], signature: tuple, returns: Any):
        self.kind, self.of_paper, self._signature, self._returns = kind, of_paper, signature, returns
        self._numbers: dict[Callable, int] = {function: number for number, function in enumerate(of_paper)}
        self.own: list[Any] = []

    def number(self, function: Callable, name: str) -> int:
        """The function's number; one that is new is compiled."""
        if function not in self._numbers:
            self.own.append(self._compiled(function, name))
            self._numbers[function] = len(self._numbers)
        return self._numbers[function]

    def chosen(self, otherwise: Any) -> Any:
        """The own function of a number, as one compiled function."""
        chosen = otherwise
        for place, function in enumerate(self.own):
            chosen = _either(len(self.of_paper) + place, function, chosen)
        return chosen

    def _compiled(self, function: Callable, name: str) -> Any:
        if not callable(function):
            raise InvalidLibraryError(f"{self.kind} of {name} is {function!r}, expected a function")
        try:
            compiled: Any = function if hasattr(function, "py_func") else remade(function)
            compiled.compile(self._signature)
            returned = compiled.overloads[self._signature].signature.return_type
        except (NumbaError, TypeError) as error:
            raise InvalidLibraryError(f"{self.kind} of {name} cannot be compiled by Numba: {error}") from error
        if self._returns is not None and returned != self._returns:
            raise InvalidLibraryError(f"{self.kind} of {name} returns {returned}, expected a truth value")
        return compiled


def compiled_library(definitions: Iterable[ProgramDefinition]) -> tuple[Kernels, np.ndarray]:
    """The kernels of these programs, and their table: int64 (programs, 3 + arguments), read-only.

    Raises:
        InvalidLibraryError: A function cannot be compiled.
    """
    definitions = list(definitions)
    phis = _Functions("phi", kernels.PHIS, (_NUMBERS, _ARGUMENTS), _TRUTH)
    thetas = _Functions("theta", kernels.THETAS, (_NUMBERS, _ARGUMENTS, _NUMBERS), None)
    psis = _Functions("psi", kernels.PSIS, (_NUMBERS, _ARGUMENTS, _NUMBERS), _TRUTH)
    width = max([_LEAST_ARGUMENTS, *(len(definition.arguments) for definition in definitions)])
    table = np.zeros((len(definitions), kernels.ARGUMENTS + width), np.int64)
    for row, one in zip(table, definitions):
        row[kernels.PHI] = phis.number(one.phi or conditions.always, one.name)
        row[kernels.THETA] = thetas.number(one.theta or conditions.no_goal, one.name)
        row[kernels.PSI] = psis.number(one.psi or conditions.goal_is_met, one.name)
        row[kernels.ARGUMENTS : kernels.ARGUMENTS + len(one.arguments)] = one.arguments
    table.setflags(write=False)
    return _kernels(phis, thetas, psis), table


def _kernels(phis: _Functions, thetas: _Functions, psis: _Functions) -> Kernels:
    preconditions, goals, postconditions = (
        kernels.write_preconditions,
        kernels.write_goals,
        kernels.write_postconditions,
    )
    if phis.own:
        phi = remade(kernels.phi, own_phi=phis.chosen(kernels.own_phi))
        preconditions = remade(preconditions, from_python=True, phi=phi)
    if thetas.own:
        theta = remade(kernels.theta, own_theta=thetas.chosen(kernels.own_theta))
        goals = remade(goals, from_python=True, theta=theta)
    if psis.own:
        psi = remade(kernels.psi, own_psi=psis.chosen(kernels.own_psi))
        postconditions = remade(postconditions, from_python=True, psi=psi)
    return Kernels(preconditions, goals, postconditions)


def _either(number: int, function: Any, otherwise: Any) -> Any:
    """``function`` for its number, ``otherwise`` for others, which is given the number."""

    def chosen(asked, *given):
        if asked == number:
            return function(*given)
        return otherwise(asked, *given)

    return remade(chosen)
