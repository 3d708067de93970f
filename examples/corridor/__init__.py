"""Corridor-v0: the smallest family there is, to be copied and changed.

``task.py`` says what there is to solve, ``space.py`` how a teacher asks for it, ``simulation.py`` holds the compiled
rules and the arrays that they work on, and ``environment.py`` makes environments of them. ``import corridor`` registers
them with Gymnasium, and so does ``gymnasium.make("corridor:Corridor-v0")``.
"""

import gymnasium

from corridor.task import HORIZON

gymnasium.register(
    "Corridor-v0",
    entry_point="corridor.environment:CorridorEnv",
    vector_entry_point="corridor.environment:CorridorVectorEnv",
    max_episode_steps=HORIZON,
    disable_env_checker=True,  # it cannot bear a first reset that is refused
)
