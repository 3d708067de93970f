"""The registered environments: ids and lazy entry points only; no package is imported until one is asked for."""

import contextlib
import importlib
import pkgutil
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any

import gymnasium

from procgen_bench.core.errors import UnknownNameError

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
    """

    id: str
    description: str
    entry_point: str
    max_episode_steps: int
    task_space: str
    solver: str | None = None
    extra: str | None = None
    editor: str | None = None

    @property
    def vector_entry_point(self) -> str:
        """``"module:class"`` of the vector environment: that of ``FamilyEnv`` is ``FamilyVectorEnv``."""
        return self.entry_point.removesuffix("Env") + "VectorEnv"


REGISTRATIONS = (
    Registration(
        id="GridWorld-v0",
        description="The parameterised grid world of APT-Gen.",
        entry_point="procgen_bench.envs.grid_world:GridWorldEnv",
        max_episode_steps=50,
        task_space="procgen_bench.tasks.grid_world:GridWorldTaskSpace",
        editor="procgen_bench.envs.grid_world.editor:GridWorldEditor",
    ),
    Registration(
        id="GMiniWoB-v0",
        description="Generated web sites to fill in from an instruction (gMiniWoB).",
        entry_point="procgen_bench.envs.web:GMiniWoBEnv",
        max_episode_steps=25,
        task_space="procgen_bench.tasks.sites:SiteTaskSpace",
        editor="procgen_bench.envs.web.editor:SiteEditor",
    ),
    Registration(
        id="GMiniWoBLiteral-v0",
        description="GMiniWoB, harder: an agent that uses a box or an option has to know the field's value.",
        entry_point="procgen_bench.envs.web:GMiniWoBLiteralEnv",
        max_episode_steps=25,
        task_space="procgen_bench.tasks.sites:SiteTaskSpace",
        editor="procgen_bench.envs.web.editor:SiteEditor",
    ),
    Registration(
        id="BitGrid-v0",
        description="The two-dimensional bit flipping of Sibling Rivalry.",
        entry_point="procgen_bench.envs.bit_grid:BitGridEnv",
        max_episode_steps=50,
        task_space="procgen_bench.tasks.bit_grid:BitGridTaskSpace",
    ),
    Registration(
        id="SparsePointMaze-v0",
        description="The continuous point maze of Sibling Rivalry.",
        entry_point="procgen_bench.envs.point_maze:SparsePointMazeEnv",
        max_episode_steps=50,
        task_space="procgen_bench.tasks.point_maze:make_task_space",
        editor="procgen_bench.envs.point_maze.editor:PointMazeEditor",
    ),
    Registration(
        id="SparseAntMaze-v0",
        description="The U-shaped ant maze of Sibling Rivalry.",
        extra="mujoco",
        entry_point="procgen_bench.envs.ant_maze:SparseAntMazeEnv",
        max_episode_steps=500,
        task_space="procgen_bench.tasks.ant_maze:AntMazeTaskSpace",
    ),
    Registration(
        id="VoxelBuild-v0",
        description="The construction task of Sibling Rivalry: Minecraft's, without Minecraft.",
        entry_point="procgen_bench.envs.voxel_build:VoxelBuildEnv",
        max_episode_steps=100,
        task_space="procgen_bench.tasks.voxel_build:VoxelBuildTaskSpace",
    ),
    Registration(
        id="VoxelBuildSmall-v0",
        description="Construction in the small: an arena of 5 x 5 x 3 cells, whose agent knows where it is.",
        entry_point="procgen_bench.envs.voxel_build:VoxelBuildSmallEnv",
        max_episode_steps=100,
        task_space="procgen_bench.tasks.voxel_build:VoxelBuildSmallTaskSpace",
    ),
    Registration(
        id="CompositionalMiniGrid-v0",
        description="Compositional MiniGrid: rooms whose tasks are any set of five subtasks.",
        entry_point="procgen_bench.envs.compositional_minigrid:CompositionalMiniGridEnv",
        max_episode_steps=256,
        task_space="procgen_bench.tasks.compositional_minigrid:CompositionalMiniGridTaskSpace",
    ),
    Registration(
        id="CompositionalMiniGridSparse-v0",
        description="Compositional MiniGrid, harder: subtasks earn nothing, and the goal everything.",
        entry_point="procgen_bench.envs.compositional_minigrid:CompositionalMiniGridSparseEnv",
        max_episode_steps=256,
        task_space="procgen_bench.tasks.compositional_minigrid:CompositionalMiniGridTaskSpace",
    ),
    Registration(
        id="XLand-v0",
        description="XLand: rigid worlds of ramps and ledges in which players pursue goals made of predicates.",
        extra="mujoco",
        entry_point="procgen_bench.envs.xland:XLandEnv",
        max_episode_steps=900,
        task_space="procgen_bench.tasks.xland:XLandTaskSpace",
        solver="procgen_bench.envs.xland:solve",
        editor="procgen_bench.envs.xland.editor:XLandEditor",
    ),
    Registration(
        id="XLandSmall-v0",
        description="XLand to learn in the small: small worlds, short games, forty seconds, "
        "and states in place of pictures.",
        extra="mujoco",
        entry_point="procgen_bench.envs.xland:XLandSmallEnv",
        max_episode_steps=300,
        task_space="procgen_bench.tasks.xland:XLandSmallTaskSpace",
        solver="procgen_bench.envs.xland:solve_small",
        editor="procgen_bench.envs.xland.editor:XLandEditor",
    ),
    Registration(
        id="FetchBlocks-v0",
        description="Coloured blocks on a table, which the Fetch arm is to bring to desired places.",
        extra="fetch",
        entry_point="procgen_bench.envs.fetch_blocks:FetchBlocksEnv",
        max_episode_steps=50,
        task_space="procgen_bench.tasks.fetch_blocks:FetchBlocksTaskSpace",
        solver="procgen_bench.envs.fetch_blocks:solve_blocks",
    ),
    Registration(
        id="FetchProgram-v0",
        description="One program of AlphaNPI-X, played with the Fetch arm and four coloured blocks.",
        extra="fetch",
        entry_point="procgen_bench.envs.fetch_blocks:FetchProgramEnv",
        max_episode_steps=200,
        task_space="procgen_bench.tasks.fetch_blocks:FetchProgramTaskSpace",
        solver="procgen_bench.envs.fetch_blocks:solve_program",
    ),
    Registration(
        id="TablePush-v0",
        description="Pushing cans on a generated table of blocks, pits and roadblocks.",
        extra="pybullet",
        entry_point="procgen_bench.envs.table_push:TablePushEnv",
        max_episode_steps=15,
        task_space="procgen_bench.tasks.table_push:TablePushTaskSpace",
        solver="procgen_bench.envs.table_push:solve",
    ),
)

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
