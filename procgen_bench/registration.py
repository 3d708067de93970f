"""The registered environments: ids and lazy entry points only; nothing of the rooms is imported here."""

from dataclasses import dataclass

import gymnasium


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
            )
