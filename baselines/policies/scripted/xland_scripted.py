"""XLand's scripted players as policies of player 1: each sees the whole of the episode that it plays."""

import importlib
from collections.abc import Callable
from functools import partial
from typing import Any, cast

import gymnasium
import numpy as np

from procgen_bench.core.errors import InvalidPolicyError
from procgen_bench.core.policy import Observations, OraclePolicy
from procgen_bench.core.seeding import seed_from_parts
from procgen_bench.core.task import Task
from procgen_bench.envs.xland.actions import action_space
from procgen_bench.envs.xland.co_players import new_co_player
from procgen_bench.envs.xland.environment import XLandEnv
from procgen_bench.envs.xland.participants import Participant
from procgen_bench.envs.xland.simulation import XLandSimulation

_ENVIRONMENT_IDS = ("XLand-v0", "XLandSmall-v0")


class ParticipantPolicy(OraclePolicy):
    """Plays as a participant in seat 0 does.

    Where a row is a single environment, the participant looks at that. Of every other row's episode the policy runs a
    twin: another environment with the same task and seed, in which everything happens as in the first, since it is
    stepped by the actions that the policy chooses.

    Args:
        environment_id: ``"XLand-v0"`` or ``"XLandSmall-v0"``.
        new_participant: Makes the participant of an episode.

    Raises:
        InvalidPolicyError: Another environment.
    """

    def __init__(self, environment_id: str, new_participant: Callable[[], Participant]):
        if environment_id not in _ENVIRONMENT_IDS:
            known = " and ".join(map(repr, _ENVIRONMENT_IDS))
            raise InvalidPolicyError(f"XLand's players play {known} only, not {environment_id!r}")
        self._new_participant = new_participant
        self._twins: dict[int, XLandEnv] = {}
        self._participants: dict[int, Participant] = {}
        self.seed(0)

    @property
    def environment_options(self) -> dict[str, Any]:
        """The environment's ``blind_options``: the participant looks at the simulation."""
        return dict(XLandEnv.blind_options)

    def seed(self, seed: int) -> None:
        """Seed the participants' random generators."""
        self._seed = seed

    def begin(self, row: int, task: Task, seed: int) -> None:
        """Begin the twin's episode, and seat a participant in it."""
        twin = self._twins.setdefault(row, XLandEnv(**self.environment_options))
        twin.reset(seed=seed, options={"task": task})
        self._seat(twin.simulation, row, seed)

    def begin_in(self, env: gymnasium.Env, row: int, task: Task, seed: int) -> None:
        """Seat a participant in the episode itself."""
        self._twins.pop(row, None)
        self._seat(cast(XLandEnv, env.unwrapped).simulation, row, seed)

    def act(self, observations: Observations, episode_starts: np.ndarray) -> np.ndarray:
        """Every row's participant's action, int8 (N, 6); its twin, if there is one, does it at once."""
        actions = np.array([self._participants[row].act() for row in range(len(episode_starts))])
        actions = actions.astype(action_space().dtype)
        for row, action in enumerate(actions):
            if row in self._twins:
                self._twins[row].step(action)
        return actions

    def _seat(self, simulation: XLandSimulation, row: int, seed: int) -> None:
        self._participants[row] = self._new_participant()
        self._participants[row].begin(simulation, 0, np.random.default_rng(seed_from_parts(self._seed, seed)))


class ScriptedPolicy(ParticipantPolicy):
    """The scripted player that pursues its goal as well as it can."""

    def __init__(self, environment_id: str):
        scripted = importlib.import_module("procgen_bench.envs.xland.scripted")
        super().__init__(environment_id, scripted.ScriptedParticipant)


#: The frozen co-players, as :mod:`procgen_bench.baselines.method_table` names them; each takes the environment's id.
ClumsyPolicy, SteadyPolicy, SwiftPolicy, ContraryPolicy, HunterPolicy = (
    partial(ParticipantPolicy, new_participant=partial(new_co_player, name))
    for name in ("clumsy", "steady", "swift", "contrary", "hunter")
)
