"""The registered environments: ids and lazy entry points only; no room is imported until one is asked for."""

from dataclasses import dataclass
from typing import TYPE_CHECKING

import gymnasium

from procgen_bench.errors import UnknownNameError

if TYPE_CHECKING:
    from procgen_bench.task_env import TaskEnv


@dataclass(frozen=True)
class Registration:
    """One family's entry in Gymnasium's registry.

    Attributes:
        id: Environment id with its version.
        entry_point: ``"module:class"`` of the single environment.
        vector_entry_point: ``"module:class"`` of the native vector environment, or ``None``.
        max_episode_steps: Time limit in steps.
    """

    id: str
    entry_point: str
    vector_entry_point: str | None
    max_episode_steps: int


REGISTRATIONS = (
    Registration(
        id="GridWorld-v0",
        entry_point="procgen_bench.envs.grid_world:GridWorldEnv",
        vector_entry_point="procgen_bench.envs.grid_world:GridWorldVectorEnv",
        max_episode_steps=50,
    ),
    Registration(
        id="GMiniWoB-v0",
        entry_point="procgen_bench.envs.web:GMiniWoBEnv",
        vector_entry_point="procgen_bench.envs.web:GMiniWoBVectorEnv",
        max_episode_steps=25,
    ),
    Registration(
        id="BitGrid-v0",
        entry_point="procgen_bench.envs.bit_grid:BitGridEnv",
        vector_entry_point="procgen_bench.envs.bit_grid:BitGridVectorEnv",
        max_episode_steps=50,
    ),
    Registration(
        id="SparsePointMaze-v0",
        entry_point="procgen_bench.envs.point_maze:SparsePointMazeEnv",
        vector_entry_point="procgen_bench.envs.point_maze:SparsePointMazeVectorEnv",
        max_episode_steps=50,
    ),
    Registration(
        id="SparseAntMaze-v0",
        entry_point="procgen_bench.envs.ant_maze:SparseAntMazeEnv",
        vector_entry_point="procgen_bench.envs.ant_maze:SparseAntMazeVectorEnv",
        max_episode_steps=500,
    ),
    Registration(
        id="VoxelBuild-v0",
        entry_point="procgen_bench.envs.voxel_build:VoxelBuildEnv",
        vector_entry_point="procgen_bench.envs.voxel_build:VoxelBuildVectorEnv",
        max_episode_steps=100,
    ),
    Registration(
        id="CompositionalMiniGrid-v0",
        entry_point="procgen_bench.envs.compositional_minigrid:CompositionalMiniGridEnv",
        vector_entry_point="procgen_bench.envs.compositional_minigrid:CompositionalMiniGridVectorEnv",
        max_episode_steps=256,
    ),
    Registration(
        id="XLand-v0",
        entry_point="procgen_bench.envs.xland:XLandEnv",
        vector_entry_point="procgen_bench.envs.xland:XLandVectorEnv",
        max_episode_steps=900,
    ),
    Registration(
        id="FetchBlocks-v0",
        entry_point="procgen_bench.envs.fetch_blocks:FetchBlocksEnv",
        vector_entry_point="procgen_bench.envs.fetch_blocks:FetchBlocksVectorEnv",
        max_episode_steps=50,
    ),
    Registration(
        id="FetchProgram-v0",
        entry_point="procgen_bench.envs.fetch_blocks:FetchProgramEnv",
        vector_entry_point="procgen_bench.envs.fetch_blocks:FetchProgramVectorEnv",
        max_episode_steps=200,
    ),
    Registration(
        id="TablePush-v0",
        entry_point="procgen_bench.envs.table_push:TablePushEnv",
        vector_entry_point="procgen_bench.envs.table_push:TablePushVectorEnv",
        max_episode_steps=15,
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


def environment_type(environment_id: str) -> "type[TaskEnv]":
    """The class behind one of this package's ids (loads its module).

    Raises:
        UnknownNameError: The package registers no such environment.
        MissingExtraError: The environment needs a package that is not installed.
    """
    if environment_id not in ENVIRONMENT_IDS:
        raise UnknownNameError("environment", environment_id, list(ENVIRONMENT_IDS))
    return gymnasium.envs.registration.load_env_creator(gymnasium.spec(environment_id).entry_point)
