"""Player: a learner with its policy, its policy's settings, its curve, and the numbers of it that may change."""

import copy
import math
import re
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from procgen_bench.baselines.policies.arrays import Arrays, network_arrays
from procgen_bench.baselines.policies.folders import KEPT_POLICIES_FOLDER, POLICY_FOLDER, PolicyFolder
from procgen_bench.baselines.policies.weighted import WeightedPolicy
from procgen_bench.baselines.training.learner import Learner
from procgen_bench.baselines.training.player_names import STUDENT
from procgen_bench.core.errors import InvalidOptionError, ProcgenBenchError
from procgen_bench.core.policy import Policy

_NAME = re.compile(r"[a-z0-9_-]+(/[a-z0-9_-]+)*")


class PlayersError(ProcgenBenchError):
    """The players of a run are not what its teacher, its rows or its checkpoint ask for."""


@dataclass(frozen=True)
class PlayerSnapshot:
    """What a player has learned.

    Attributes:
        arrays, values: as :meth:`.Learner.state` gives them; arrays of any shape and dtype.
        rates: The numbers that may change in a run; see :class:`.Learner`.
    """

    arrays: Arrays
    values: dict[str, Any]
    rates: dict[str, float]


@dataclass
class Player:
    """Who plays in a run: one that learns, or a frozen policy.

    Attributes:
        name: What proposals call it: ``"student"``, ``"student/3"``, ``"antagonist"``.
        learner: Its learner; ``None``: it does not learn, ``policy`` plays as it is, and its steps are not counted.
        policy: Plays with the learner's weights, or is the frozen policy.
        policy_settings: What the policy is built from besides the environment, kept beside its weights.
        curve: Its evaluations so far.
        steps: Environment steps that it has acted in beside other players, which its curve shows; NaN if an older
            checkpoint does not tell, 0 of a player that is alone.
    """

    learner: Learner | None
    policy: Policy
    policy_settings: dict[str, Any] = field(default_factory=dict)
    name: str = STUDENT
    curve: list[dict[str, float]] = field(default_factory=list)
    steps: float = 0

    def __post_init__(self):
        if not _NAME.fullmatch(self.name):
            raise PlayersError(f"a player is called {self.name!r}, expected lower-case letters, digits, - and _, and /")
        if self.learner is not None and not isinstance(self.learner, Learner):
            raise PlayersError(
                f"the learner of player {self.name} is a {type(self.learner).__name__}, expected a Learner, which has "
                "act, update, state, restore and policy_weights"
            )

    @property
    def learns(self) -> bool:
        """Whether it is trained."""
        return self.learner is not None

    @property
    def rates(self) -> dict[str, float]:
        """The numbers that may change in a run; those of a frozen player are none."""
        return {} if self.learner is None else dict(self.learner.rates)

    def set_rate(self, name: str, value: float) -> None:
        """Let the learner go on with another number: a learning rate above 0, say.

        Raises:
            InvalidOptionError: The learner has no such number.
        """
        if self.learner is None or name not in self.learner.rates:
            raise InvalidOptionError(f"player {self.name} has no rate {name!r}, expected one of {sorted(self.rates)}")
        self.learner.rates = {**self.learner.rates, name: float(value)}

    def folder(self, run: Path) -> Path:
        """Where a run keeps its curve and its policy: the run's own folder, or one below for further players."""
        return run if self.name == STUDENT else run / "players" / self.name

    def current_policy(self) -> Policy:
        """The policy as the learner now is."""
        if self.learner is not None:
            assert isinstance(self.policy, WeightedPolicy)  # a learner's weights are for one
            self.policy.load_weights(self.learner.policy_weights())
        return self.policy

    def frozen_policy(self) -> Policy:
        """A copy of the policy as the learner now is."""
        return copy.deepcopy(self.current_policy())

    def write_policy(
        self, run: Path, method: str, environment_id: str, stochastic: bool, steps: int, kept: bool = False
    ) -> None:
        """Write the policy as it now is into the player's folder, and where it is kept beside that."""
        assert isinstance(self.policy, WeightedPolicy)  # another library may train it, without a learner
        learner = self.learner
        weights = network_arrays(self.policy.network) if learner is None else learner.policy_weights()
        scale = {"critic_scale": scale} if learner is not None and (scale := learner.critic_scale()) else {}
        configuration = {"stochastic": stochastic, "training_steps": steps} | self.policy_settings | scale
        folder = PolicyFolder(method, environment_id, configuration, weights)
        for path in (POLICY_FOLDER, *([f"{KEPT_POLICIES_FOLDER}/{steps}"] if kept else [])):
            folder.write(self.folder(run) / path)

    def snapshot(self) -> PlayerSnapshot:
        """A copy of what it has learned.

        Raises:
            PlayersError: It learns nothing.
        """
        if self.learner is None:
            raise PlayersError(f"player {self.name} is frozen, expected one that learns")
        arrays, values = self.learner.state()
        return PlayerSnapshot({name: array.copy() for name, array in arrays.items()}, copy.deepcopy(values), self.rates)

    def load(self, snapshot: PlayerSnapshot) -> None:
        """Continue from a snapshot of a player of the same kind.

        Raises:
            PlayersError: It learns nothing.
        """
        if self.learner is None:
            raise PlayersError(f"player {self.name} is frozen, expected one that learns")
        self.learner.restore({name: array.copy() for name, array in snapshot.arrays.items()}, snapshot.values)
        self.learner.rates = dict(snapshot.rates)

    def state(self) -> tuple[Arrays, dict[str, Any]]:
        """What a checkpoint keeps of it: arrays by name, of any shape and dtype, and plain values."""
        arrays, values = ({}, {}) if self.learner is None else self.learner.state()
        return arrays, {"learner": values, "rates": self.rates, "curve": self.curve, "steps": self.steps}

    def restore(self, arrays: Arrays, values: dict[str, Any]) -> None:
        """Continue from the arrays, with their shapes and dtypes, and values that :meth:`state` returned."""
        if self.learner is not None:
            self.learner.restore(arrays, values["learner"])
            self.learner.rates = values["rates"]
        self.curve, self.steps = values["curve"], values.get("steps", math.nan)
