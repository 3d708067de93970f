"""The table of methods: what ``--policy NAME`` and ``train METHOD`` know. Nothing is imported until it is used."""

import importlib
from dataclasses import dataclass
from typing import Any

from procgen_bench.errors import UnknownNameError
from procgen_bench.extras import import_extra


@dataclass(frozen=True)
class Method:
    """One method.

    Attributes:
        name: What the command line calls it.
        description: One sentence.
        policy: ``"module:class"`` of its policy.
        configuration: ``"module:class"`` of its configuration dataclass; ``None``: it needs no training.
        train: ``"module:function"`` that trains it; ``None``: it needs no training.
        extra: The extra that brings the packages it needs; ``None``: it needs none.
    """

    name: str
    description: str
    policy: str
    configuration: str | None = None
    train: str | None = None
    extra: str | None = None

    @property
    def trainable(self) -> bool:
        """Whether the method has to be trained before it can be evaluated."""
        return self.train is not None

    def load(self, part: str) -> Any:
        """Import the ``"policy"``, ``"configuration"`` or ``"train"`` of the method.

        Raises:
            MissingExtraError: It needs a package that is not installed.
        """
        module, _, name = getattr(self, part).partition(":")
        if self.extra is None:
            return getattr(importlib.import_module(module), name)
        return getattr(import_extra(module, self.extra, _PACKAGES[self.extra]), name)


#: The packages that each extra brings.
_PACKAGES = {"baselines": ("torch", "stable_baselines3", "tensorboard"), "mujoco": ("mujoco",)}

_SCRIPTED = "procgen_bench.baselines.scripted.policies"
_XLAND = "procgen_bench.baselines.scripted.xland_scripted"

METHODS = {
    method.name: method
    for method in (
        Method("random", "Actions drawn uniformly: the floor.", f"{_SCRIPTED}:RandomPolicy"),
        Method("constant", "Always the same action: the no-op's row.", f"{_SCRIPTED}:ConstantPolicy"),
        Method("null", "Never acts: what an empty submission scores.", f"{_SCRIPTED}:NullPolicy"),
        Method("solver", "The exact solution of every task: the ceiling.", f"{_SCRIPTED}:SolverPolicy"),
        Method(
            "site-random",
            "Random links, buttons and inputs of those that a page of GMiniWoB-v0 shows, and random fields.",
            "procgen_bench.baselines.scripted.site_random:SiteRandomPolicy",
        ),
        Method(
            "ant-expert",
            "SparseAntMaze-v0's shortest way, walked by its low-level controller.",
            "procgen_bench.baselines.scripted.ant_expert:AntExpertPolicy",
            extra="mujoco",
        ),
        Method(
            "fetch-expert",
            "FetchProgram-v0's and FetchBlocks-v0's scripted expert: waypoints, and plans of atomic programs.",
            "procgen_bench.baselines.scripted.fetch_expert:FetchExpertPolicy",
        ),
        Method(
            "xland-scripted",
            "XLand-v0's scripted player, which sees the whole world and pursues its goal.",
            f"{_XLAND}:ScriptedPolicy",
            extra="mujoco",
        ),
        *(
            Method(
                f"xland-{name}",
                f"XLand-v0's frozen co-player {name!r}, as player 1.",
                f"{_XLAND}:{name.capitalize()}Policy",
                extra="mujoco",
            )
            for name in ("clumsy", "steady", "swift", "contrary", "hunter")
        ),
        Method(
            "dqn",
            "Deep Q-learning on the target task alone, with APT-Gen's network and stabilisers (section B).",
            "procgen_bench.baselines.sb3.policy:NetworkPolicy",
            "procgen_bench.baselines.dqn.configuration:DQNConfiguration",
            "procgen_bench.baselines.dqn.train:train",
            "baselines",
        ),
        Method(
            "ppo",
            "Proximal policy optimisation over the native vector environment, under a teacher.",
            "procgen_bench.baselines.sb3.policy:NetworkPolicy",
            "procgen_bench.baselines.ppo.configuration:PPOConfiguration",
            "procgen_bench.baselines.ppo.train:train",
            "baselines",
        ),
        Method(
            "sibling-rivalry",
            "PPO on pairs of rollouts that relabel each other's rewards (Sibling Rivalry, algorithm 1).",
            "procgen_bench.baselines.episodic.policy:GoalPolicy",
            "procgen_bench.baselines.sibling_rivalry.configuration:SiblingRivalryConfiguration",
            "procgen_bench.baselines.sibling_rivalry.train:train",
            "baselines",
        ),
        Method(
            "ppo-naive",
            "PPO on the distance that is left at the end (Sibling Rivalry, equation 2).",
            "procgen_bench.baselines.episodic.policy:GoalPolicy",
            "procgen_bench.baselines.ppo_naive.configuration:NaiveConfiguration",
            "procgen_bench.baselines.ppo_naive.train:train",
            "baselines",
        ),
        Method(
            "ppo-icm",
            "PPO on the sparse reward and intrinsic curiosity (Sibling Rivalry, section 4).",
            "procgen_bench.baselines.episodic.policy:GoalPolicy",
            "procgen_bench.baselines.ppo_icm.configuration:CuriosityConfiguration",
            "procgen_bench.baselines.ppo_icm.train:train",
            "baselines",
        ),
        Method(
            "ppo-rnd",
            "PPO on the sparse reward and random network distillation (Sibling Rivalry, section 4).",
            "procgen_bench.baselines.episodic.policy:GoalPolicy",
            "procgen_bench.baselines.ppo_rnd.configuration:DistillationConfiguration",
            "procgen_bench.baselines.ppo_rnd.train:train",
            "baselines",
        ),
        Method(
            "ppo-grid-oracle",
            "PPO on the sparse reward and the regions of the plane visited (Sibling Rivalry, appendix E).",
            "procgen_bench.baselines.episodic.policy:GoalPolicy",
            "procgen_bench.baselines.ppo_grid_oracle.configuration:GridOracleConfiguration",
            "procgen_bench.baselines.ppo_grid_oracle.train:train",
            "baselines",
        ),
        Method(
            "ddpg-her",
            "DDPG with hindsight experience replay, for goals and actions that are vectors (Sibling Rivalry, table 2).",
            "procgen_bench.baselines.ddpg_her.policy:DeterministicPolicy",
            "procgen_bench.baselines.ddpg_her.configuration:DDPGHERConfiguration",
            "procgen_bench.baselines.ddpg_her.train:train",
            "baselines",
        ),
        Method(
            "dqn-her",
            "DQN with hindsight experience replay, for discrete actions (Sibling Rivalry, table 2).",
            "procgen_bench.baselines.episodic.policy:GoalPolicy",
            "procgen_bench.baselines.dqn_her.configuration:DQNHERConfiguration",
            "procgen_bench.baselines.dqn_her.train:train",
            "baselines",
        ),
        Method(
            "dqn-dense",
            "DQN rewarded at every step by how far it came nearer to the goal (Sibling Rivalry, appendix F).",
            "procgen_bench.baselines.episodic.policy:GoalPolicy",
            "procgen_bench.baselines.dqn_dense.configuration:DQNDenseConfiguration",
            "procgen_bench.baselines.dqn_dense.train:train",
            "baselines",
        ),
    )
}


def get_method(name: str) -> Method:
    """The method ``name``.

    Raises:
        UnknownNameError: There is no such method.
    """
    if name not in METHODS:
        raise UnknownNameError("method", name, list(METHODS))
    return METHODS[name]
