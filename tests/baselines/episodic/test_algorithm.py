"""EpisodePPO: what it keeps of episodes, and how it steps."""

import numpy as np
import pytest
import torch
from stable_baselines3.common.logger import configure

from procgen_bench.baselines.episodic.actor_critic import tensors_of
from procgen_bench.baselines.episodic.algorithm import EpisodePPO
from procgen_bench.baselines.episodic.labels import Labeller, Labels
from procgen_bench.baselines.sb3.vec_env import TaskVecEnv
from tests.baselines.episodic.test_buffer import slow_advantages

ROWS = 6


class EvenRows(Labeller):
    """Includes every second episode; rewards count the steps; anti-goals are the ends."""

    def __init__(self, anti_goal: bool):
        self.anti_goal, self.episodes = anti_goal, []

    def label(self, episodes) -> Labels:
        self.episodes.append(episodes)
        steps = np.arange(len(episodes.actions), dtype=np.float64)[:, None]
        return Labels(
            rewards=np.where(episodes.played, steps, 0.0),
            included=np.arange(ROWS) % 2 == 0,
            anti_goals=episodes.ends if self.anti_goal else None,
            measures={"steps": float(episodes.lengths.mean())},
        )


def make_algorithm(bootstrap=True, anti_goal=True, **options) -> EpisodePPO:
    algorithm = EpisodePPO(
        TaskVecEnv("SparsePointMaze-v0", ROWS, tasks="corridor/2-0"),
        EvenRows(anti_goal),
        "start and goal" if anti_goal else "none",
        anti_goal=anti_goal,
        bootstrap=bootstrap,
        seed=0,
        **{"minibatches": 4, "learning_rate_decay": 0.5, "gamma": 0.9, "gae_lambda": 0.8, "n_epochs": 3, **options},
    )
    algorithm.set_logger(configure(None, []))
    return algorithm


@pytest.mark.parametrize("bootstrap", [True, False])
@pytest.mark.parametrize("anti_goal", [True, False])
def test_returns_are_bootstrapped_where_an_episode_was_cut_off(bootstrap, anti_goal):
    algorithm = make_algorithm(bootstrap, anti_goal)
    with torch.no_grad():
        algorithm.policy.critic[-1].bias += 7.0  # so that a value that is left out is noticed
    kept = {}
    train = algorithm.train
    algorithm.train = lambda: kept.update(buffer=algorithm.rollout_buffer)
    algorithm.learn(1)
    (episodes,) = algorithm._labeller.episodes
    assert 0 < episodes.successes.sum() < ROWS

    def value(observations, row):
        seen = {name: array[None] for name, array in observations.items()}
        if anti_goal:
            seen["anti_goal"] = episodes.ends[row][None]
        with torch.no_grad():
            return algorithm.policy.predict_values(tensors_of(seen)).item()

    expected = []
    for row in range(0, ROWS, 2):
        length = episodes.lengths[row]
        values = [
            value({name: array[step, row] for name, array in episodes.observations.items()}, row)
            for step in range(length)
        ]
        final = value({name: array[row] for name, array in episodes.final_observations.items()}, row)
        final = final if bootstrap and not episodes.successes[row] else 0.0
        advantages = slow_advantages(range(length), values, final, 0.9, 0.8)
        expected += [a + v for a, v in zip(advantages, values)]
    assert sorted(kept["buffer"].returns.tolist()) == pytest.approx(sorted(expected), rel=1e-4, abs=1e-4)
    train()


def test_minibatches_and_learning_rate_follow_the_updates():
    algorithm = make_algorithm(learning_rate=0.25, minibatches=3)
    sizes, rates = [], []
    step = algorithm.policy.optimizer.step

    def counted_step(*arguments, **keywords):
        rates.append(algorithm.policy.optimizer.param_groups[0]["lr"])
        return step(*arguments, **keywords)

    get = algorithm.rollout_buffer.get
    algorithm.rollout_buffer.get = lambda size: sizes.append((size, len(algorithm.rollout_buffer))) or get(size)
    algorithm.policy.optimizer.step = counted_step
    algorithm.learn(1)
    algorithm.learn(1, reset_num_timesteps=False)
    assert [size for size, _ in sizes] == [-(-length // 3) for _, length in sizes]
    assert rates == [0.25] * 9 + [0.125] * 9


def test_steps_and_measures_are_those_of_all_episodes():
    algorithm = make_algorithm()
    algorithm.learn(1)
    algorithm.learn(1, reset_num_timesteps=False)
    episodes = algorithm._labeller.episodes
    assert algorithm.num_timesteps == sum(one.num_steps for one in episodes)
    scores = {}
    algorithm.after_evaluation(scores)
    assert scores == {
        "training_success": pytest.approx(np.mean([one.successes.mean() for one in episodes])),
        "steps": pytest.approx(np.mean([one.lengths.mean() for one in episodes])),
    }
    algorithm.after_evaluation(scores)
    assert scores == {"training_success": 0.0, "steps": 0.0}, "measures of an earlier evaluation came again"


def test_the_policy_ignores_the_anti_goal_and_the_critic_does_not():
    algorithm = make_algorithm()
    algorithm.learn(1)
    episodes = algorithm._labeller.episodes[0]
    seen = tensors_of(episodes.final_observations)
    here, there = seen | {"anti_goal": seen["achieved_goal"]}, seen | {"anti_goal": seen["desired_goal"] + 1}
    with torch.no_grad():
        assert torch.equal(algorithm.policy.actor(here), algorithm.policy.actor(there))
        assert not torch.equal(algorithm.policy.predict_values(here), algorithm.policy.predict_values(there))


def test_the_first_policy_is_nearly_uniform():
    algorithm = make_algorithm()
    outputs = algorithm.policy.actor(tensors_of(algorithm.env.reset()))
    assert outputs.abs().max() < 0.05


def test_gaussian_exploration_noise_is_refused():
    with pytest.raises(ValueError, match="use_sde is True, expected False"):
        make_algorithm(use_sde=True)
