"""A world of two blocks that knows its answer: the first is held, and slides on after it has been pushed."""

from dataclasses import replace

import numpy as np
import torch
from gymnasium import spaces

from procgen_bench.baselines.methods.npi_goals import NPIGoalsConfiguration, achieved_goals, make_learner
from procgen_bench.baselines.parts.block_learner import BlockLearner, Phase
from procgen_bench.baselines.parts.episode_replay import EpisodeForm, EpisodeReplay
from procgen_bench.baselines.policies.tensors import torch_seeded_from
from procgen_bench.tasks.programs import goal_reached
from procgen_bench.tasks.programs.states import GRIPPER_SIZE, block_positions, split

BLOCKS, ROWS, HORIZON = 2, 16, 20
ACTIONS = spaces.Box(-1.0, 1.0, (4,))
#: How far goals are from where the block starts, at most, along each axis; what is kept of a velocity; what is pushed.
_FAR, _KEPT, _PUSH = 0.2, 0.8, 0.02
#: The table is far from the world's middle, so that places are large numbers that hardly differ.
CENTRE = np.array([13.0, 7.0, 5.0])
CONFIGURATION = NPIGoalsConfiguration(
    batch_size=64,
    width=64,
    discount=0.9,
    buffer_size=20_000,
    greedy_rows=0,
    action_l2=0.1,
    learning_rate=2e-3,
    tau=0.05,
)


def begun(rng: np.random.Generator) -> tuple[np.ndarray, np.ndarray]:
    """States (ROWS, 40) at rest, and goals (ROWS, 6): the first block elsewhere, the other where it is."""
    states = np.zeros((ROWS, 15 * BLOCKS + GRIPPER_SIZE))
    blocks, gripper = split(states)
    blocks[:, :, :3] = CENTRE + rng.uniform(-_FAR, _FAR, (ROWS, BLOCKS, 3))
    gripper[:, :3] = blocks[:, 0, :3]
    blocks[:, :, 6:9] = blocks[:, :, :3] - gripper[:, None, :3]
    goals = block_positions(states).copy()
    goals[:, 0] += rng.uniform(-_FAR, _FAR, (ROWS, 3))
    return states, goals.reshape(ROWS, -1)


def stepped(states: np.ndarray, actions: np.ndarray) -> np.ndarray:
    """The states that follow actions (ROWS, 4)."""
    states = states.copy()
    blocks, gripper = split(states)
    gripper[:, 5:8] = _KEPT * gripper[:, 5:8] + _PUSH * actions[:, :3]
    gripper[:, :3] += gripper[:, 5:8]
    blocks[:, 0, :3] = gripper[:, :3]
    blocks[:, :, 6:9] = blocks[:, :, :3] - gripper[:, None, :3]
    blocks[:, 1:, 9:12] = -gripper[:, None, 5:8]
    return states


def tiny_learner(seed: int = 0, **options) -> BlockLearner:
    """The method's learner for this world."""
    configuration = replace(CONFIGURATION, **options)
    rng = np.random.default_rng(seed)
    with torch_seeded_from(rng, torch.device("cpu")):
        learner = make_learner(configuration, BLOCKS, ACTIONS, lambda: Phase.ALL_BLOCKS, 1_000, rng)
    size = 15 * BLOCKS + GRIPPER_SIZE
    form = EpisodeForm(HORIZON, size, 4, 3 * BLOCKS, achieved_goals)
    learner.replay = EpisodeReplay(20_000, form, configuration.relabelled, configuration.strategy, rng)
    learner._follow(learner.phase)  # which says what counts as reached in it
    return learner


def shown(states: np.ndarray, goals: np.ndarray) -> dict[str, torch.Tensor]:
    """As the environment shows them."""
    return {"observation": torch.as_tensor(states).float(), "desired_goal": torch.as_tensor(goals).float()}


def play(learner: BlockLearner, rng: np.random.Generator) -> float:
    """Play an episode in every row, and keep it; the share of goals that are met at the end."""
    states, goals = begun(rng)
    seen, done = [states], []
    for _ in range(HORIZON):
        actions, _, _ = learner.act(shown(states, goals), torch.zeros(ROWS, 0))
        done.append(actions.numpy())
        states = stepped(states, done[-1])
        seen.append(states)
    for row in range(ROWS):
        learner.replay.add(np.array(seen)[:, row], np.array(done)[:, row], goals[row])
    for network in learner.networks.values():
        network.see(shown(np.concatenate(seen), np.tile(goals, (HORIZON + 1, 1))))
    return float(goal_reached(achieved_goals(states), goals).mean())


def taught(learner: BlockLearner, cycles: int = 28, updates: int = 28, seed: int = 1) -> float:
    """Learn from scratch; the share of 80 goals that are met at the end without noise."""
    rng, threads = np.random.default_rng(seed), torch.get_num_threads()
    torch.set_num_threads(1)  # as in a run: more wait for each other
    try:
        for _ in range(cycles):
            play(learner, rng)
            with torch_seeded_from(learner.rng, learner.device):
                learner.train(updates)
    finally:
        torch.set_num_threads(threads)
    learner.greedy_rows = ROWS
    return float(np.mean([play(learner, rng) for _ in range(5)]))
