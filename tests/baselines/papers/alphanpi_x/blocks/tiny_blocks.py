"""A world of two blocks that knows its answer: the first is held, and slides on after it has been pushed.

Where the hand can let go, blocks are in place, and a fourth number above 0.5 opens it: it goes on alone from then on.
"""

from dataclasses import replace

import numpy as np
import torch
from gymnasium import spaces

from procgen_bench.baselines.papers.alphanpi_x.block_learner import BlockLearner, Phase, achieved_goals, block_rewards
from procgen_bench.baselines.papers.alphanpi_x.episode_replay import EpisodeForm, EpisodeReplay
from procgen_bench.baselines.papers.alphanpi_x.npi_goals import make_learner
from procgen_bench.baselines.papers.alphanpi_x.npi_goals_settings import NPIGoalsConfiguration
from procgen_bench.baselines.parts.replay_settings import TargetUpdates
from procgen_bench.baselines.policies.tensors import torch_seeded_from
from procgen_bench.tasks.programs import goal_reached
from procgen_bench.tasks.programs.hand import is_let_go
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
)


def begun(rng: np.random.Generator, far: float) -> tuple[np.ndarray, np.ndarray]:
    """States (ROWS, 40) at rest, and goals (ROWS, 6): the first block so far off, at most, the other where it is."""
    states = np.zeros((ROWS, 15 * BLOCKS + GRIPPER_SIZE))
    blocks, gripper = split(states)
    blocks[:, :, :3] = CENTRE + rng.uniform(-_FAR, _FAR, (ROWS, BLOCKS, 3))
    gripper[:, :3] = blocks[:, 0, :3]
    blocks[:, :, 6:9] = blocks[:, :, :3] - gripper[:, None, :3]
    goals = block_positions(states).copy()
    goals[:, 0] += rng.uniform(-far, far, (ROWS, 3))
    return states, goals.reshape(ROWS, -1)


def stepped(states: np.ndarray, actions: np.ndarray, lets_go: bool = False) -> np.ndarray:
    """The states that follow actions (ROWS, 4)."""
    states = states.copy()
    blocks, gripper = split(states)
    held = np.linalg.norm(blocks[:, 0, 6:9], axis=1) < 1e-6
    held &= (actions[:, 3] <= 0.5) | (not lets_go)
    gripper[:, 5:8] = _KEPT * gripper[:, 5:8] + _PUSH * actions[:, :3]
    gripper[:, :3] += gripper[:, 5:8]
    blocks[held, 0, :3] = gripper[held, :3]
    blocks[:, :, 6:9] = blocks[:, :, :3] - gripper[:, None, :3]
    blocks[:, 1:, 9:12] = -gripper[:, None, 5:8]
    return states


def tiny_learner(seed: int = 0, phase: Phase = Phase.OWN_BLOCK, **options) -> BlockLearner:
    """The method's learner for this world."""
    configuration = replace(CONFIGURATION, **options)
    rng = np.random.default_rng(seed)
    with torch_seeded_from(rng, torch.device("cpu")):
        learner = make_learner(configuration, BLOCKS, ACTIONS, lambda: phase, 1_000, rng)
    learner.settings = replace(learner.settings, target_updates=TargetUpdates(0.05, "gradient steps"))
    size = 15 * BLOCKS + GRIPPER_SIZE
    form = EpisodeForm(HORIZON, size, 4, 3 * BLOCKS, achieved_goals)
    learner.replay = EpisodeReplay(20_000, form, configuration.relabelled, configuration.strategy, rng, block_rewards)
    learner._follow(phase)  # which says what counts as reached in it
    return learner


def shown(states: np.ndarray, goals: np.ndarray) -> dict[str, torch.Tensor]:
    """As the environment shows them."""
    return {"observation": torch.as_tensor(states).float(), "desired_goal": torch.as_tensor(goals).float()}


def play(learner: BlockLearner, rng: np.random.Generator, lets_go: bool = False) -> float:
    """Play and keep an episode in every row; the share of goals met at the end, with the hand off where it can be."""
    states, goals = begun(rng, 0.0 if lets_go else _FAR)
    seen, done = [states], []
    for _ in range(HORIZON):
        actions, _, _ = learner.act(shown(states, goals), torch.zeros(ROWS, 0))
        done.append(actions.numpy())
        states = stepped(states, done[-1], lets_go)
        seen.append(states)
    for row in range(ROWS):
        learner.replay.add(np.array(seen)[:, row], np.array(done)[:, row], goals[row])
    for network in learner.networks.values():
        network.update_normaliser(shown(np.concatenate(seen), np.tile(goals, (HORIZON + 1, 1))))
    met = goal_reached(achieved_goals(states), goals)
    return float((met & (is_let_go(states, 0) | (not lets_go))).mean())


def taught(learner: BlockLearner, cycles: int = 28, updates: int = 28, seed: int = 1, lets_go: bool = False) -> float:
    """Learn from scratch; the share of 80 goals that are met at the end without noise."""
    rng, threads = np.random.default_rng(seed), torch.get_num_threads()
    torch.set_num_threads(1)  # as in a run: more wait for each other
    try:
        for _ in range(cycles):
            play(learner, rng, lets_go)
            with torch_seeded_from(learner.rng, learner.device):
                learner.train(updates)
    finally:
        torch.set_num_threads(threads)
    learner.greedy_rows = ROWS
    return float(np.mean([play(learner, rng, lets_go) for _ in range(5)]))
