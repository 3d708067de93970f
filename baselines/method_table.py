"""The table of methods: what ``--policy NAME`` and ``train METHOD`` know. Nothing is imported until it is used."""

import pkgutil
from collections.abc import Mapping
from dataclasses import dataclass, field, fields, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from procgen_bench.baselines import own_methods as own
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

    def options_in(self, environment_id: str) -> list[str]:
        """Names of its options in an environment.

        Raises:
            MissingExtraError: It needs a package that is not installed.
        """
        return [one.name for one in fields(self.within(environment_id).load("configuration"))]

    def configured(self, environment_id: str, options: Mapping[str, Any]) -> Any:
        """Its configuration with these options, by field name; others are as the method suggests for the environment.

        Raises:
            InvalidOptionError: It has no such option in the environment.
            MissingExtraError: It needs a package that is not installed.
        """
        kind, known = self.within(environment_id).load("configuration"), self.options_in(environment_id)
        for name in options:
            if name not in known:
                where = ", ".join(family for family in self.families if name in self.options_in(family))
                expected = f"it is an option in {where}" if where else f"its options: {', '.join(known)}"
                raise InvalidOptionError(f"{self.name} has no option {name} in {environment_id}; {expected}")
        return kind.within(environment_id, **options)

    def load(self, part: str) -> Any:
        """Import a part of the method by the name of its field, e.g. ``"policy"`` or ``"configuration"``.

        Raises:
            InvalidOptionError: The method has no such part.
            MissingExtraError: It needs a package that is not installed.
        """
        if getattr(self, part) is None:
            raise InvalidOptionError(f"method {self.name} has no {part}: it is not trained, or not in this way")
        module, _, name = getattr(self, part).partition(":")
        return getattr(import_extra(module), name)

    def train(self, benchmark: Benchmark, configuration: Any, seed: int, steps: int, out: Path) -> "RunFolder":
        """Train it; see :func:`procgen_bench.baselines.training.run.run`.

        Raises:
            MissingExtraError: It needs a package that is not installed.
            ProcgenBenchError: The settings are refused (:func:`.check_settings`), before anything else is loaded.
        """
        from procgen_bench.baselines.training.refusals import check_settings

        method, given = self.within(benchmark.environment_id), type(configuration)
        kind = method.load("configuration")
        elsewhere = [other for other in self.configurations() if not issubclass(kind, other)]
        if not issubclass(given, kind) or given.method != kind.method or issubclass(given, tuple(elsewhere)):
            raise InvalidOptionError(
                f"configuration is a {given.__name__}, expected a {kind.__name__}, which Method.configured makes for "
                f"{self.name} in {benchmark.environment_id}"
            )
        check_settings(configuration, benchmark.environment_id, steps)
        return import_extra(own.RUN).run(method, benchmark, configuration, seed, steps, out)


def _scripted(name: str, description: str, policy: str, what: str) -> Method:
    return Method(name, description, _path(policy), floor=what == "floor", oracle=what == "oracle")


def _learned(name: str, description: str, policy: str, module: str, kind: str) -> Method:
    """A trained method, with what the other tables say of it."""
    is_looped, check, twin = name in own.LOOPS, own.ACTIONS.get(name), own.TWINS.get(name)
    method = Method(
        name,
        description,
        _path(policy),
        f"{_path(module)}_settings:{kind}Configuration",
        None if name in own.WITHOUT_ROWS else f"{_path(module)}:rows_options",
        make_players=None if is_looped else f"{_path(module)}:make_players",
        loop=f"{_path(module)}:loop" if is_looped else None,
        environments=own.ENVIRONMENTS.get(name, ()),
        check_actions=check and _path(f"action_kinds:{check}"),
        twin=twin and _path(twin),
    )
    if name not in own.AGENTS_KINDS:
        return method
    module = _path(own.AGENTS_MODULE)
    agents = replace(
        method,
        policy=_path(own.AGENTS_POLICY),
        configuration=f"{module}_settings:{own.AGENTS_KINDS[name]}Configuration",
        rows_options=f"{module}:rows_options",
        make_players=f"{module}:make_players",
        twin=twin and _path(own.AGENTS_TWIN),
    )
    return replace(method, families=dict.fromkeys(own.AGENTS, agents))


def _path(name: str) -> str:
    """The full name of what lies below baselines/."""
    return f"procgen_bench.baselines.{name}"


_OWN = (
    *(_scripted(name, *entry) for name, entry in own.SCRIPTED.items()),
    *(_learned(name, *entry) for name, entry in own.LEARNED.items()),
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


def policy_type_of(method: str, environment_id: str) -> Any:
    """The class of the policies that a method trains for an environment.

    Raises:
        UnknownNameError: There is no such method.
        MissingExtraError: It needs a package that is not installed.
    """
    return get_method(method).within(environment_id).load("policy")
