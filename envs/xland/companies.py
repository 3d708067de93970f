"""Companies: frozen policies at many seats of many worlds, each asked for all of them at once."""

from collections.abc import Callable, Iterable, Mapping
from copy import deepcopy
from typing import Any

import numpy as np

from procgen_bench.core.policy import NoisyPolicy, Policy
from procgen_bench.envs.xland.participants import asked, frozen

_NOBODY = -1


class Company:
    """One policy at all the seats that it has.

    A seat keeps its place in the policy's batch for as long as it is the company's, so that policies can remember.
    Places that nobody has are filled with another row's observations; what is chosen there is left alone.

    Attributes:
        player: Who was given to sit here.
        policy: What plays: ``player`` as it was when its first seat was taken.
        rows: int64 (n,), the row that sits at every place of the batch; -1: none.
    """

    player: Policy | Callable[..., np.ndarray] | None

    def __init__(self, player: Policy | Callable[..., np.ndarray], seed: int):
        self.player, self.policy = player, frozen(player)
        self.policy.seed(seed)
        self.rows, self._starts = np.zeros(0, np.int64), np.zeros(0, np.bool_)

    def sit(self, row: int, seed: int) -> None:
        """A row whose episode begins, whose randomness follows from ``seed``, takes a place."""
        free = np.flatnonzero(self.rows == _NOBODY)
        if not len(free):
            free = np.array([len(self.rows)])
            self.rows, self._starts = np.append(self.rows, row), np.append(self._starts, True)
        place = int(free[0])
        self.rows[place], self._starts[place] = row, True
        if isinstance(self.policy, NoisyPolicy):
            self.policy.begin_noise(place, seed)

    def leave(self, rows: np.ndarray) -> None:
        """These rows (bool (N,)) are somebody else's from now on; with nobody left, no place is kept."""
        self.rows[(self.rows != _NOBODY) & rows[self.rows]] = _NOBODY
        if (self.rows == _NOBODY).all():
            self.rows, self._starts = self.rows[:0], self._starts[:0]

    def saved(self) -> "Company":
        """A copy as it is, for :meth:`resumed`; whom it is of is forgotten."""
        copy = deepcopy(self, {id(self.player): None})
        copy.player = None
        return copy

    def resumed(self, rows: Mapping[int, int]) -> "Company":
        """A copy in which the rows that are the keys of ``rows`` go on as those that they name, and no others."""
        copy = deepcopy(self)
        copy.rows = np.array([rows.get(int(row), _NOBODY) for row in self.rows], np.int64)
        return copy

    def act(self, observations: dict[str, np.ndarray], playing: np.ndarray, actions: np.ndarray) -> None:
        """Write what the rows that are ``playing`` (bool (N,)) do into ``actions`` (int64 (N, 6)), by ``observations``
        (N, ...).

        Raises:
            InvalidActionError: The policy chooses what are no actions of XLand's.
        """
        sits = (self.rows != _NOBODY) & playing[self.rows]
        if not sits.any():
            return
        chosen = asked(self.policy, {name: array[self.rows] for name, array in observations.items()}, self._starts)
        actions[self.rows[sits]] = chosen[sits]
        self._starts = np.zeros(len(self.rows), np.bool_)


class Companies:
    """The companies of a vector environment: one of every policy that sits somewhere."""

    def __init__(self) -> None:
        self._companies: list[Company] = []

    def sit(self, player: Any, row: int, seed: int) -> None:
        """``player`` plays a row whose episode begins; its randomness follows from ``seed``."""
        company = next((one for one in self._companies if one.player is player), None)
        if company is None:
            company = Company(player, seed)
            self._companies.append(company)
        company.sit(row, seed)

    def join(self, companies: Iterable[Company]) -> None:
        """Take in companies whose rows go on from a saved state."""
        self._companies += companies

    def leave(self, rows: np.ndarray) -> None:
        """These rows (bool (N,)) are nobody's from now on."""
        for company in self._companies:
            company.leave(rows)
        self._companies = [company for company in self._companies if len(company.rows)]

    def of_row(self, row: int) -> Company | None:
        """Whose a row is."""
        return next((company for company in self._companies if row in company.rows), None)

    def act(self, observations: dict[str, np.ndarray], playing: np.ndarray, actions: np.ndarray) -> None:
        """As :meth:`Company.act`, of every company: ``observations`` (N, ...), ``playing`` bool (N,), ``actions`` int64
        (N, 6)."""
        for company in self._companies:
            company.act(observations, playing, actions)
