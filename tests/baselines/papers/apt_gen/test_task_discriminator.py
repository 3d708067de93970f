"""The discriminator's logit of an episode, from scores that are given, and what a choice looks like to it."""

import numpy as np
import pytest
from gymnasium import spaces

pytest.importorskip("torch")

from procgen_bench.baselines.papers.apt_gen.task_discriminator import EpisodeSample, TaskDiscriminator

SPACE = spaces.Dict({"seen": spaces.Box(0.0, 1.0, (2,))})


class Scores:
    """In a network's place: gives these scores, and keeps how the loss grows with them."""

    def __init__(self, scores):
        self.scores = np.array(scores, np.float32)[:, None]

    def forward(self, given):
        return self.scores

    def learn(self, gradients):
        self.gradients = gradients


def judged():
    """A discriminator that scores two episodes of 2 and 6 steps, of which it is shown two each."""
    discriminator = TaskDiscriminator(SPACE, spaces.Discrete(3), 1e-3, capacity=2, num_steps=2, decay=0.0)
    discriminator._first, discriminator._step = Scores([1.0, -2.0]), Scores([3.0, 5.0, 0.5, 1.5])
    seen = {"seen": np.zeros((4, 2), np.float32)}
    first = {"seen": np.zeros((2, 2), np.float32)}
    lengths = np.array([2, 6], np.float32)
    return discriminator, EpisodeSample(first, seen, np.zeros(4, np.int64), seen, np.zeros(4, np.float32), lengths)


def test_the_logit_is_the_mean_score_of_the_first_state_and_all_steps():
    """Of the second episode two steps stand for six."""
    discriminator, episodes = judged()
    assert discriminator.logits(episodes).tolist() == pytest.approx([(1 + 3 + 5) / 3, (-2 + 6 * 1.0) / 7])


def test_gradients_of_the_scores_are_those_of_the_logits():
    discriminator, episodes = judged()
    gradients = np.array([0.5, -2.0], np.float32)
    discriminator.learn(episodes, gradients)
    for network in (discriminator._first, discriminator._step):
        for place in range(len(network.scores)):
            before = (gradients * discriminator.logits(episodes)).sum()
            network.scores[place] += 1
            assert network.gradients[place, 0] == pytest.approx(
                (gradients * discriminator.logits(episodes)).sum() - before
            )
            network.scores[place] -= 1
