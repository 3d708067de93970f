"""What is seen next is foreseen where it can be: errors by hand, what is learned, and that learning goes on."""

import numpy as np
import pytest
from gymnasium import spaces

from procgen_bench.baselines.curricula.transition_model import BATCH, TransitionModel
from procgen_bench.baselines.training.contracts import EpisodeSteps

SPACE = spaces.Dict({"far": spaces.Box(-np.inf, np.inf, (1,)), "ring": spaces.Box(0, 4, (2,), np.int8)})
ACTIONS = spaces.Discrete(3)


def model(seed=0):
    return TransitionModel(SPACE, ACTIONS, np.random.default_rng(seed))


def episodes(count, seed=0, noise=0.0):
    """Two places on a ring of five, moved on by the action; ``far`` says the action before. Some places are noise."""
    rng, made = np.random.default_rng(seed), []
    for length in rng.integers(1, 12, count).tolist():
        actions = rng.integers(3, size=length)
        places = (rng.integers(5, size=2) + np.cumsum(np.concatenate([[0], actions]))[:, None]) % 5
        places = np.where(rng.random(places.shape) < noise, rng.integers(5, size=places.shape), places)
        far = np.concatenate([[0], actions]).astype(np.float32)[:, None]
        made.append(EpisodeSteps({"far": far, "ring": places.astype(np.int8)}, actions, np.zeros(length, np.float32)))
    return made


def test_errors_are_means_over_an_episodes_own_steps():
    """Without weights it says 0 of what has no bounds and a half of what has."""
    untrained = model()
    for parameter in untrained.network.parameters():
        parameter.data.zero_()
    long, short = episodes(1, 1)[0], episodes(1, 5)[0]
    assert len(long) != len(short)
    for got, episode in zip(untrained.errors([long, short]), (long, short), strict=True):
        ring = np.abs(episode.observations["ring"][1:] / 4 - 0.5)
        assert got == pytest.approx(np.concatenate([np.abs(episode.observations["far"][1:]), ring], axis=1).mean())


def test_what_can_be_foreseen_is_learned_and_noise_is_not():
    learning = model()
    learning.optimizer.param_groups[0]["lr"] = 1e-2  # a hundred times as fast
    first = learning.errors(episodes(BATCH, 1)).mean()
    for seed in range(150):
        learning.errors(episodes(BATCH, 100 + seed))
    known, noisy = (learning.errors(episodes(200, 2, noise)).mean() for noise in (0.0, 1.0))
    assert known < 0.6 * noisy < 0.6 * first


def test_it_learns_after_it_was_asked():
    """A batch's errors are those before its own step; the next batch's are those after it."""
    ours, again = model(), model()
    batch, other = episodes(BATCH, 1), episodes(BATCH, 2)
    together = ours.errors([*batch, *other])
    assert together == pytest.approx(np.concatenate([again.errors(batch), again.errors(other)]))
    assert model().errors(other) != pytest.approx(together[BATCH:], abs=1e-6)
    assert len(ours.errors([])) == 0


def test_it_goes_on_from_its_state():
    ours, again = model(), model(seed=1)
    ours.errors(episodes(40, 1))
    again.restore(ours.state())
    assert ours.errors(episodes(40, 2)).tolist() == again.errors(episodes(40, 2)).tolist()
