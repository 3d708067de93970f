"""The registered environments: ids and lazy entry points only; no package is imported until one is asked for."""

import contextlib
import importlib
import pkgutil
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any

import gymnasium

from procgen_bench.core.errors import UnknownNameError
from procgen_bench.core.own_environments import ENVIRONMENTS

if TYPE_CHECKING:
    import numpy as np
    from gymnasium.envs.registration import EnvSpec

    from procgen_bench.core.task import Task
    from procgen_bench.core.task_space import Solver, TaskSpace


@dataclass(frozen=True)
class Registration:
    """One family's entry in Gymnasium's registry.

    Attributes:
        id: Environment id with its version.
        description: One sentence: the first of its class's documentation, which takes a simulator to read.
        entry_point: ``"module:class"`` of the single environment.
        max_episode_steps: Time limit in steps.
        task_space: ``"module:callable"`` that makes the family's space of tasks.
        solver: ``"module:function"`` that solves its tasks in a simulator; ``None`` where the space itself solves.
        extra: The extra that brings the packages without which it cannot be made; ``None``: it needs none.
        editor: ``"module:class"`` of what `procgen-bench edit` draws its levels with; ``None``: they are not drawn.
        text_form: ``"module:callable"`` that makes what language models play it by (a
            :class:`~procgen_bench.engine.text_form.TextForm`); ``None``: they do not.
    """

    id: str
    description: str
    entry_point: str
    max_episode_steps: int
    task_space: str
    solver: str | None = None
    extra: str | None = None
    editor: str | None = None
    text_form: str | None = None

    @property
    def vector_entry_point(self) -> str:
        """``"module:class"`` of the vector environment: that of ``FamilyEnv`` is ``FamilyVectorEnv``."""
        return self.entry_point.removesuffix("Env") + "VectorEnv"


REGISTRATIONS = tuple(Registration(**fields) for fields in ENVIRONMENTS)

#: Every id that ``import procgen_bench`` registers.
ENVIRONMENT_IDS = tuple(registration.id for registration in REGISTRATIONS)


def register_all() -> None:
    """Register every environment with Gymnasium (again without effect)."""
    for registration in REGISTRATIONS:
        if registration.id not in gymnasium.registry:
            gymnasium.register(
                registration.id,
                entry_point=registration.entry_point,
                vector_entry_point=registration.vector_entry_point,
                max_episode_steps=registration.max_episode_steps,
                # Gymnasium's checker breaks the environment for good when a first reset is refused (bad options).
                # The environments check their own input, and the conformance suite checks them.
                disable_env_checker=True,
            )


def find_registration(environment_id: str) -> Registration:
    """The entry of an id.

    Raises:
        UnknownNameError: The package registers no such environment.
    """
    for registration in REGISTRATIONS:
        if registration.id == environment_id:
            return registration
    raise UnknownNameError("environment", environment_id, list(ENVIRONMENT_IDS))


def _is_ours(environment_id: str) -> bool:
    return any(registration.id == environment_id for registration in REGISTRATIONS)


def find_spec(environment_id: str) -> "EnvSpec":
    """What Gymnasium knows of an environment, this package's or another's.

    Args:
        environment_id: A registered id, or ``"module:Id-v0"``: the module, which registers it, is imported first.

    Raises:
        UnknownNameError: There is no such environment.
    """
    module, _, name = environment_id.rpartition(":")
    try:
        if module:
            importlib.import_module(module)
        return gymnasium.spec(name)
    except (gymnasium.error.Error, ImportError):
        raise UnknownNameError("environment", environment_id, list(ENVIRONMENT_IDS)) from None


def environment_type(environment_id: str) -> Any:
    """The class (a :class:`~procgen_bench.engine.task_env.TaskEnv`) behind an id, as :func:`find_spec` takes it.

    Raises:
        UnknownNameError: There is no such environment.
        MissingExtraError: The environment needs a package that is not installed.
    """
    found = find_registration(environment_id) if _is_ours(environment_id) else find_spec(environment_id)
    return pkgutil.resolve_name(found.entry_point) if isinstance(found.entry_point, str) else found.entry_point


def family_id(environment_id: str) -> str:
    """The id of this package's of whose class an environment is, or a subclass; its own id where there is none.

    Raises:
        UnknownNameError: There is no such environment.
        MissingExtraError: The environment needs a package that is not installed.
    """
    if _is_ours(environment_id):
        return environment_id
    for kind in getattr(environment_type(environment_id), "__mro__", ()):
        for registration in REGISTRATIONS:
            module, _, name = registration.entry_point.partition(":")
            if kind.__name__ == name and f"{kind.__module__}.".startswith(f"{module}."):
                return registration.id
    return environment_id


def make_task_space(environment_id: str, **options: Any) -> "TaskSpace":
    """The space of an environment's tasks, without its simulator, which only ``solve`` may have to load.

    Args:
        environment_id: One of this package's ids, e.g. ``"GridWorld-v0"``, or another's that follows its contract, as
            :func:`find_spec` takes it.
        options: Arguments of the environment's that decide which tasks there are: BitGrid's ``side``, SparsePointMaze's
            ``kind``, FetchBlocks' ``num_blocks``.

    Raises:
        UnknownNameError: There is no such environment.
        InvalidOptionError: There are no tasks under these options.
    """
    if not _is_ours(environment_id):
        with contextlib.closing(environment_type(environment_id)(**options)) as env:
            return env.task_space
    solver = solver_of(environment_id)
    if solver is not None:
        options["solver"] = solver
    return pkgutil.resolve_name(find_registration(environment_id).task_space)(**options)


def solver_of(environment_id: str) -> "Solver | None":
    """What solves an environment's tasks in its simulator, loaded when it is first called; ``None``: nothing does."""
    name = find_registration(environment_id).solver if _is_ours(environment_id) else None
    return None if name is None else partial(_solve, name)


def _solve(solver: str, task: "Task") -> "np.ndarray | None":
    """Solve by the function that ``solver`` names, which is loaded only now (a module's function, so it pickles)."""
    return pkgutil.resolve_name(solver)(task)
