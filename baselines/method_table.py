"""The table of methods: what ``--policy NAME`` and ``train METHOD`` know. Nothing is imported until it is used."""

import pkgutil
from collections.abc import Mapping
from dataclasses import dataclass, field, fields, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from procgen_bench.baselines.action_kinds import UnsupportedActionsError
from procgen_bench.core.benchmark import Benchmark
from procgen_bench.core.errors import InvalidOptionError, UnknownNameError, UnsupportedEnvironmentError
from procgen_bench.core.extras import import_extra
from procgen_bench.core.plugins import PluginTable
from procgen_bench.core.registrations import ENVIRONMENT_IDS, family_id
from procgen_bench.engine.environment_options import make_environment

if TYPE_CHECKING:  # a table loads nothing that a run needs
    from procgen_bench.baselines.training.run_folder import RunFolder


@dataclass(frozen=True)
class Method:
    """One method.

    Attributes:
        name: What the command line calls it.
        description: One sentence.
        policy: ``"module:class"`` of its policy.
        configuration: ``"module:class"`` of its configuration dataclass; ``None``: it needs no training.
        rows_options: ``"module:function"`` that says, of an environment's id and a configuration, what the method needs
            of rows (:class:`.RowsOptions`); ``None``: it plays in none.
        make_players: ``"module:function"`` that makes its players, of a :class:`.Context`; ``None``: it has none.
        loop: ``"module:function"`` of a method whose learning is another library's, or needs no rows: it trains, given
            a run's folder, and where there are rows the context, in place of the trainer.
        oracle: Whether it knows what a learner does not: the task, or how to solve it.
        floor: Whether it acts without looking at what it does: what a learner has to be better than.
        environments: Ids of the environments that it is made for; none: every one. Others join whose class is one of
            theirs, or a subclass.
        check_actions: ``"module:function"`` that refuses action spaces, by which environments of other packages are
            judged too; ``None``: by ``environments`` alone.
        twin: ``"module:function"`` that gives what computes the same as a learner, faster, or the learner itself.
        families: By environment id, the same method as it is for a family with settings, networks or losses of its own;
            see :meth:`within`.
    """

    name: str
    description: str
    policy: str
    configuration: str | None = None
    rows_options: str | None = None
    make_players: str | None = None
    loop: str | None = None
    oracle: bool = False
    floor: bool = False
    environments: tuple[str, ...] = ()
    check_actions: str | None = None
    twin: str | None = None
    families: Mapping[str, "Method"] = field(default_factory=dict, hash=False)

    @property
    def trainable(self) -> bool:
        """Whether the method has to be trained before it can be evaluated."""
        return self.make_players is not None or self.loop is not None

    def check_environment(self, environment_id: str) -> None:
        """Refuse an environment that the method is not made for.

        Raises:
            UnsupportedEnvironmentError: It is none of those, and of none of their classes.
            UnsupportedActionsError: It is another package's, and its actions are of another kind than the method's.
        """
        if not self.environments or environment_id in self.environments:
            return
        if self.check_actions is not None and environment_id not in ENVIRONMENT_IDS:
            with make_environment(environment_id) as env:
                pkgutil.resolve_name(self.check_actions)(env.action_space)
        elif family_id(environment_id) not in self.environments:
            others = "" if environment_id in ENVIRONMENT_IDS else "; others join as subclasses of one of their classes"
            raise UnsupportedEnvironmentError(f"method {self.name}", environment_id, self.environments, others)

    def suits(self, environment_id: str) -> bool:
        """Whether the method is made for the environment."""
        try:
            self.check_environment(environment_id)
        except (UnknownNameError, UnsupportedEnvironmentError, UnsupportedActionsError):
            return False
        return True

    def within(self, environment_id: str) -> "Method":
        """The method as it is in an environment, or in one whose class is derived from it."""
        return self.families.get(family_id(environment_id), self) if self.families else self

    def configurations(self) -> list[Any]:
        """Its configuration, and those that families have in its place.

        Raises:
            MissingExtraError: It needs a package that is not installed.
        """
        return list(dict.fromkeys(one.load("configuration") for one in (self, *self.families.values())))

    def configured(self, environment_id: str, options: Mapping[str, Any]) -> Any:
        """Its configuration with these options, by field name; others are as the method suggests for the environment.

        Raises:
            InvalidOptionError: It has no such option in the environment.
            MissingExtraError: It needs a package that is not installed.
        """
        kind = self.within(environment_id).load("configuration")
        known = [one.name for one in fields(kind)]
        for name in options:
            if name not in known:
                having = (key for key, own in self.families.items() if hasattr(own.load("configuration"), name))
                where = ", ".join(having)
                expected = f"it is an option in {where}" if where else f"its options: {', '.join(known)}"
                raise InvalidOptionError(f"{self.name} has no option {name} in {environment_id}; {expected}")
        return kind(**kind.suggested.get(family_id(environment_id), {}) | options)

    def load(self, part: str) -> Any:
        """Import a part of the method by the name of its field, e.g. ``"policy"`` or ``"configuration"``.

        Raises:
            MissingExtraError: It needs a package that is not installed.
        """
        module, _, name = getattr(self, part).partition(":")
        return getattr(import_extra(module), name)

    def train(self, benchmark: Benchmark, configuration: Any, seed: int, steps: int, out: Path) -> "RunFolder":
        """Train it; see :func:`procgen_bench.baselines.training.run.run`.

        Raises:
            MissingExtraError: It needs a package that is not installed.
            ProcgenBenchError: The settings are refused (:func:`.check_settings`), before anything else is loaded.
        """
        from procgen_bench.baselines.training.refusals import check_settings

        own, given = self.within(benchmark.environment_id), type(configuration)
        kind = own.load("configuration")
        if given is not kind and (given in self.configurations() or not issubclass(given, kind)):
            raise InvalidOptionError(
                f"configuration is a {given.__name__}, expected a {kind.__name__}, which Method.configured makes for "
                f"{self.name} in {benchmark.environment_id}"
            )
        check_settings(configuration, benchmark.environment_id, steps)
        return import_extra("procgen_bench.baselines.training.run").run(own, benchmark, configuration, seed, steps, out)


_SCRIPTED = "procgen_bench.baselines.policies.scripted.policies"
_XLAND = "procgen_bench.baselines.policies.scripted.xland_scripted"

_ACTOR = "procgen_bench.baselines.parts.actor_critic:ActorPolicy"
_GOALS = "procgen_bench.baselines.parts.hierarchy:GoalPolicy"
_SB3 = "procgen_bench.baselines.methods.stable_baselines3_policy"
_VALUES = "procgen_bench.baselines.parts.value_policy:ValuePolicy"

_KINDS = "procgen_bench.baselines.action_kinds"
_FEW_ACTIONS = (
    "GridWorld-v0",
    "TablePush-v0",
    "CompositionalMiniGrid-v0",
    "CompositionalMiniGridSparse-v0",
    "BitGrid-v0",
    "VoxelBuild-v0",
    "VoxelBuildSmall-v0",
)
_VECTOR_GOALS = ("SparsePointMaze-v0", "SparseAntMaze-v0")
_GOALS_WITHOUT_PICTURES = (*_VECTOR_GOALS, "BitGrid-v0")
#: With those whose tasks are seen as goals.
_GOAL_ENVIRONMENTS = (*_GOALS_WITHOUT_PICTURES, "VoxelBuild-v0", "VoxelBuildSmall-v0", "FetchBlocks-v0", "GridWorld-v0")


def _learned(
    name: str,
    description: str,
    policy: str,
    module: str,
    kind: str,
    environments: tuple[str, ...] = (),
    check_actions: str | None = None,
) -> Method:
    """A trained method: its module in baselines/ and, beside it, the class of its configuration, ``kind``."""
    module = f"procgen_bench.baselines.{module}"
    return Method(
        name,
        description,
        policy,
        f"{module}_settings:{kind}Configuration",
        f"{module}:rows_options",
        f"{module}:make_players",
        environments=environments,
        check_actions=check_actions,
    )


def _with_agents(method: Method, kind: str) -> Method:
    """A method that in XLand trains agents, with ``kind`` of configuration."""
    agents = "procgen_bench.baselines.papers.open_ended.agents"
    own = replace(
        method,
        policy="procgen_bench.baselines.papers.open_ended.agent_policy:AgentPolicy",
        configuration=f"{agents}_settings:{kind}Configuration",
        rows_options=f"{agents}:rows_options",
        make_players=f"{agents}:make_players",
        twin=None,
    )
    return replace(method, families=dict.fromkeys(("XLand-v0", "XLandSmall-v0"), own))


def _with_twin(method: Method) -> Method:
    """A method whose learners are compiled where that is known how."""
    return replace(method, twin="procgen_bench.baselines.fast.ppo:twin_of")


def _looped(*description: Any, has_rows: bool = True, **limits: Any) -> Method:
    """A trained method, described as to :func:`_learned`, whose module has a loop of its own and makes no players."""
    method = _learned(*description, **limits)
    loop = str(method.make_players).replace(":make_players", ":loop")
    return replace(method, rows_options=method.rows_options if has_rows else None, make_players=None, loop=loop)


_OWN = (
    Method("random", "Actions drawn uniformly: the floor.", f"{_SCRIPTED}:RandomPolicy", floor=True),
    Method("constant", "Always the same action: the no-op's row.", f"{_SCRIPTED}:ConstantPolicy", floor=True),
    Method("noop", "The action that does nothing, where there is one.", f"{_SCRIPTED}:NoopPolicy", floor=True),
    Method("null", "Never acts: what an empty submission scores.", f"{_SCRIPTED}:NullPolicy", floor=True),
    Method("solver", "The exact solution of every task: the ceiling.", f"{_SCRIPTED}:SolverPolicy", oracle=True),
    Method(
        "site-random",
        "Random links, buttons and inputs of those that a page of GMiniWoB-v0 shows, and random fields.",
        "procgen_bench.baselines.policies.scripted.site_random:SiteRandomPolicy",
        floor=True,
    ),
    *(
        Method(name, says, f"procgen_bench.baselines.policies.scripted.site_floors:{policy}", floor=True)
        for name, policy, says in (
            (
                "site-in-order",
                "SiteInOrderPolicy",
                "Reads no label: the k-th field of the instruction into the k-th thing to fill in.",
            ),
            ("site-lists", "SiteListsPolicy", "Reads no label: values where they are offered, others line by line."),
            (
                "site-usual-order",
                "SiteUsualOrderPolicy",
                "Reads no label: knows in which order GMiniWoB-v0's five sites ask for their fields.",
            ),
            ("site-trier", "SiteTrierPolicy", "Reads no label: tries, and keeps what pays where it is given rewards."),
        )
    ),
    Method(
        "site-matcher",
        "Compares words in GMiniWoB-v0: values go where the published name of their field stands.",
        "procgen_bench.baselines.policies.scripted.site_matcher:SiteMatcherPolicy",
    ),
    Method(
        "ant-expert",
        "SparseAntMaze-v0's shortest way, walked by its low-level controller.",
        "procgen_bench.baselines.policies.scripted.ant_expert:AntExpertPolicy",
        oracle=True,
    ),
    Method(
        "fetch-expert",
        "FetchProgram-v0's and FetchBlocks-v0's scripted expert: waypoints, and plans of atomic programs.",
        "procgen_bench.baselines.policies.scripted.fetch_expert:FetchExpertPolicy",
        oracle=True,
    ),
    Method(
        "xland-scripted",
        "XLand-v0's scripted player, which sees the whole world and pursues its goal.",
        f"{_XLAND}:ScriptedPolicy",
        oracle=True,
    ),
    *(
        Method(
            f"xland-{name}",
            f"XLand-v0's frozen co-player {name!r}, as player 1.",
            f"{_XLAND}:{name.capitalize()}Policy",
            oracle=True,
        )
        for name in ("clumsy", "steady", "swift", "contrary", "hunter")
    ),
    _learned(
        "dqn",
        "Deep Q-learning under a teacher, with APT-Gen's stabilisers, for few discrete actions.",
        _VALUES,
        "methods.dqn",
        "DQN",
        _FEW_ACTIONS,
        f"{_KINDS}:check_few",
    ),
    _learned(
        "dqn-icm",
        "The same with a bonus for what its forward model does not predict (ICM), a baseline of APT-Gen.",
        _VALUES,
        "methods.dqn",
        "ICM",
        _FEW_ACTIONS,
        f"{_KINDS}:check_few",
    ),
    _learned(
        "dqn-rnd",
        "The same with a bonus for novel states (random network distillation), a baseline of APT-Gen.",
        _VALUES,
        "methods.dqn",
        "RND",
        _FEW_ACTIONS,
        f"{_KINDS}:check_few",
    ),
    _learned(
        "dqn-ride",
        "The same with a bonus for its impact, in an episode's new states (RIDE), a baseline of APT-Gen.",
        _VALUES,
        "methods.dqn",
        "RIDE",
        _FEW_ACTIONS,
        f"{_KINDS}:check_few",
    ),
    _learned(
        "sac",
        "Soft actor-critic under a teacher, for continuous actions, with hindsight replay where there are goals.",
        "procgen_bench.baselines.methods.sac:SquashedPolicy",
        "methods.sac",
        "SAC",
        ("SparsePointMaze-v0", "SparseAntMaze-v0", "FetchProgram-v0"),
        f"{_KINDS}:check_bounded",
    ),
    _with_agents(
        _with_twin(
            _learned(
                "ppo",
                "Proximal policy optimisation under a teacher, in any environment.",
                _ACTOR,
                "methods.ppo",
                "PPO",
                check_actions=f"{_KINDS}:check_learnable",
            ),
        ),
        "AgentPPO",
    ),
    _with_agents(
        _with_twin(
            _learned(
                "recurrent-ppo",
                "The same with a gated recurrent unit, which remembers what was seen.",
                _ACTOR,
                "methods.ppo",
                "RecurrentPPO",
                check_actions=f"{_KINDS}:check_learnable",
            ),
        ),
        "AgentRecurrentPPO",
    ),
    _with_agents(
        _with_twin(
            _learned(
                "a2c",
                "Advantage actor-critic under a teacher, in any environment.",
                _ACTOR,
                "methods.ppo",
                "A2C",
                check_actions=f"{_KINDS}:check_learnable",
            ),
        ),
        "AgentA2C",
    ),
    _learned(
        "pair-ppo",
        "PPO over pairs of an element and a field: CoDE's learner of web sites, or the population of its generator.",
        "procgen_bench.baselines.papers.code.site_policy:PairPolicy",
        "papers.code.pair_ppo",
        "PairPPO",
        ("GMiniWoB-v0", "GMiniWoBLiteral-v0"),
    ),
    _with_agents(
        _learned(
            "vmpo",
            "V-MPO with PopArt under a teacher, in any environment: the algorithm of XLand's agents.",
            _ACTOR,
            "methods.vmpo",
            "VMPO",
            check_actions=f"{_KINDS}:check_learnable",
        ),
        "AgentVMPO",
    ),
    _looped(
        "sb3",
        "An algorithm of stable-baselines3 or sb3-contrib, unchanged, under a teacher, for comparison.",
        f"{_SB3}:SB3Policy",
        "methods.stable_baselines3",
        "SB3",
        check_actions=f"{_KINDS}:check_learnable",
    ),
    *(
        _looped(
            f"sb3-{algorithm.lower()}",
            f"The same with --algorithm {algorithm}, under its older name.",
            f"{_SB3}:SB3Policy",
            "methods.stable_baselines3",
            f"SB3{algorithm}",
            environments=environments,
            check_actions=f"{_KINDS}:{check}",
        )
        for algorithm, check, environments in (
            ("PPO", "check_learnable", ()),
            ("DQN", "check_choice", _FEW_ACTIONS),
            ("SAC", "check_bounded", (*_VECTOR_GOALS, "FetchProgram-v0")),
        )
    ),
    _learned(
        "sibling-rivalry",
        "PPO on pairs of rollouts that relabel each other's rewards (Sibling Rivalry, algorithm 1).",
        _GOALS,
        "papers.sibling_rivalry.sibling_rivalry",
        "SiblingRivalry",
        _GOAL_ENVIRONMENTS,
    ),
    _learned(
        "ppo-naive",
        "PPO on the distance that is left at the end (Sibling Rivalry, equation 2).",
        _GOALS,
        "papers.sibling_rivalry.sibling_rivalry",
        "Naive",
        _GOAL_ENVIRONMENTS,
    ),
    _learned(
        "ppo-icm",
        "PPO on the sparse reward and intrinsic curiosity (Sibling Rivalry, section 4).",
        _GOALS,
        "papers.sibling_rivalry.sibling_rivalry",
        "Curiosity",
        _GOALS_WITHOUT_PICTURES,
    ),
    _learned(
        "ppo-rnd",
        "PPO on the sparse reward and random network distillation (Sibling Rivalry, section 4).",
        _GOALS,
        "papers.sibling_rivalry.sibling_rivalry",
        "Distillation",
        _GOALS_WITHOUT_PICTURES,
    ),
    _learned(
        "ppo-grid-oracle",
        "PPO on the sparse reward and the regions of the plane visited (Sibling Rivalry, appendix E).",
        _GOALS,
        "papers.sibling_rivalry.sibling_rivalry",
        "GridOracle",
        _VECTOR_GOALS,
    ),
    _learned(
        "ddpg-her",
        "DDPG with hindsight experience replay, for goals and actions that are vectors (Sibling Rivalry, table 2).",
        "procgen_bench.baselines.parts.deterministic:DeterministicPolicy",
        "papers.sibling_rivalry.goal_replay",
        "DDPGHER",
        _VECTOR_GOALS,
    ),
    _learned(
        "dqn-her",
        "DQN with hindsight experience replay, for discrete actions (Sibling Rivalry, table 2).",
        _GOALS,
        "papers.sibling_rivalry.goal_replay",
        "DQNHER",
        ("BitGrid-v0",),
    ),
    _learned(
        "dqn-dense",
        "DQN rewarded at every step by how far it came nearer to the goal (Sibling Rivalry, appendix F).",
        _GOALS,
        "papers.sibling_rivalry.goal_replay",
        "DQNDense",
        ("BitGrid-v0",),
    ),
    _learned(
        "npi-goals",
        "AlphaNPI-X's goal policy: DDPG with hindsight on FetchBlocks, then calls of programs in a row (stage 1).",
        "procgen_bench.baselines.papers.alphanpi_x.block_policy:BlockPolicy",
        "papers.alphanpi_x.npi_goals",
        "NPIGoals",
        ("FetchBlocks-v0",),
    ),
    _looped(
        "alphanpi-x",
        "Programs that call programs, learned by planning in imagination; the scripted expert carries out atomic ones.",
        "procgen_bench.baselines.papers.alphanpi_x.programs.planner_policy:PlannerPolicy",
        "papers.alphanpi_x.alphanpi_x",
        "AlphaNPIX",
        environments=("FetchProgram-v0",),
        has_rows=False,
    ),
)

#: Ours, and those of other packages (entry point group ``procgen_bench.methods``: a :class:`Method`).
METHODS: PluginTable[Method] = PluginTable("methods", Method, {method.name: method for method in _OWN})


def get_method(name: str) -> Method:
    """The method ``name``.

    Raises:
        UnknownNameError: There is no such method.
    """
    if name not in METHODS:
        raise UnknownNameError("method", name, list(METHODS))
    return METHODS[name]
