"""stable-baselines3's checker over every registered environment, and what it counts as success."""

from functools import partial

import gymnasium
import pytest
import stable_baselines3.common.env_checker
from stable_baselines3 import PPO
from stable_baselines3.common.callbacks import EvalCallback
from stable_baselines3.common.monitor import Monitor

from tests.envs.conformance.makers import MAKERS

#: Draws worlds for seconds; one of its other makers gives it a ready observation of the same kind.
LONG = "XLand-v0"


# It warns of every observation that its own networks would have to flatten,
# and takes every one with three dimensions for a picture.
@pytest.mark.filterwarnings("ignore:We recommend you to use a symmetric and normalized Box action space")
@pytest.mark.filterwarnings("ignore:Your observation .* has an unconventional shape")
@pytest.mark.filterwarnings("ignore:It seems that your observation .* is an image")
@pytest.mark.filterwarnings("ignore:It seems that your observation space .* is an image")
@pytest.mark.filterwarnings("ignore:The minimal resolution for an image is 36x36")
@pytest.mark.parametrize(
    "maker",
    [
        pytest.param(*made.values, id=made.id, marks=pytest.mark.slow if made.id == LONG else made.marks)
        for made in MAKERS
    ],
)
def test_stable_baselines3_check_env(maker):
    stable_baselines3.common.env_checker.check_env(maker(render_mode="rgb_array").unwrapped, skip_render_check=False)


@pytest.mark.filterwarnings("ignore:You are trying to run PPO on the GPU")
@pytest.mark.parametrize("solved", [True, False])
def test_stable_baselines3_counts_success(solved):
    """Its callback and its learner count the episodes of a task that is solved whatever is done, or never."""
    rows = Monitor(GivenSuccess(gymnasium.make("GridWorld-v0", flat=True, max_episode_steps=4), solved))
    callback = EvalCallback(rows, eval_freq=16, n_eval_episodes=3, verbose=0)
    model = PPO("MlpPolicy", rows, n_steps=16, batch_size=16, n_epochs=1, device="cpu")
    model.learn(16, callback=callback)
    assert callback._is_success_buffer == [solved] * 3 and set(model.ep_success_buffer) == {solved}


class GivenSuccess(gymnasium.Wrapper):
    """An environment whose simulation takes every step for a success, or for none."""

    def __init__(self, env, solved):
        super().__init__(env)
        self.solved, simulation = solved, env.unwrapped.simulation
        simulation.step = partial(self._step, simulation.step, simulation)

    def _step(self, step, simulation, actions, active):
        step(actions, active)
        simulation.successes[:] = self.solved
