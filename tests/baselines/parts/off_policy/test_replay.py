"""The replay of rollouts: what it holds, what it draws, and with which goals."""

import numpy as np
import pytest
import torch
from gymnasium import spaces

from procgen_bench.baselines.parts import replay as replay_module
from procgen_bench.baselines.parts.replay import Hindsight, Replay
from procgen_bench.baselines.training.learner import Rollout

ROWS, STEPS = 3, 5
SPACE = spaces.Dict(
    {
        "observation": spaces.Box(-np.inf, np.inf, (3,), np.float32),
        **{name: spaces.Box(-np.inf, np.inf, (1,), np.float32) for name in ("achieved_goal", "desired_goal")},
    }
)


class Line:
    """Goals on a line."""

    distance_threshold = 0.5

    @staticmethod
    def distance(achieved, desired):
        return np.abs(achieved - desired)[:, 0]

    def compute_reward(self, achieved, desired, info):
        return np.where(self.distance(achieved, desired) <= 0.5, 1.0, -1.0)


class FinishedEpisodes:
    """Rows that show (row, episode, step); the achieved goal is the step, the desired one 100 + episode."""

    def __init__(self, seed=0):
        self.rng = np.random.default_rng(seed)
        self.now, self.starts = np.zeros((ROWS, 2), int), np.ones(ROWS, bool)

    def shown(self):
        episodes, steps = self.now.T
        columns = {
            "observation": np.stack([np.arange(ROWS), episodes, steps], axis=1),
            "achieved_goal": steps[:, None],
            "desired_goal": 100 + episodes[:, None],
        }
        return {name: torch.as_tensor(column, dtype=torch.float32) for name, column in columns.items()}

    def rollout(self):
        """A rollout, and its actions: twice the row, and the step."""
        seen, lasts, rewards, terminated, truncated, starts = [], [], [], [], [], []
        for _ in range(STEPS):
            seen.append(self.shown())
            starts.append(self.starts.copy())
            self.now[:, 1] += 1
            ends = self.rng.random(ROWS) < 0.25
            cut = ends & (self.rng.random(ROWS) < 0.5)
            lasts.append({name: column[torch.as_tensor(ends)] for name, column in self.shown().items()})
            rewards.append(self.now[:, 1] / 10)
            terminated.append(ends & ~cut)
            truncated.append(cut)
            self.now[ends] = np.stack([self.now[ends, 0] + 1, np.zeros(ends.sum(), int)], axis=1)
            self.starts = ends
        observations = {name: torch.stack([one[name] for one in seen]) for name in SPACE}
        rollout = Rollout(
            observations=observations,
            actions=torch.zeros(STEPS, ROWS, 2),
            aux={},
            rewards=np.array(rewards, np.float32),
            terminations=np.array(terminated),
            truncations=np.array(truncated),
            starts=np.array(starts),
            train=np.array([[episode % 4 > 0 for episode in one["observation"][:, 1]] for one in seen]),
            memory=torch.zeros(ROWS, 0),
            last_observations=self.shown(),
            last_starts=self.starts.copy(),
            last_memory=torch.zeros(ROWS, 0),
            end_observations={name: torch.cat([last[name] for last in lasts]) for name in SPACE},
            cut_memory=torch.zeros(0, 0),
            rewards_before=np.zeros((STEPS, ROWS), np.float32),
            infos={},
        )
        return rollout, observations["observation"][:, :, [0, 2]].numpy() * [2, 1]


def replay(seed=0, steps=64, hindsight=0, goals=None, as_bytes=False, **keywords):
    rule = Hindsight(goals, hindsight, **keywords) if goals else None
    action, rng = np.zeros(2, np.float32), np.random.default_rng(seed)
    return Replay(steps * ROWS, SPACE, action, ROWS, rng, hindsight=rule, as_bytes=as_bytes)


def filled(rollouts=10, **keywords):
    """A replay, the ends of the episodes that are over by (row, episode): steps, and whether for good."""
    kept, played, ends = replay(**keywords), FinishedEpisodes(), {}
    for _ in range(rollouts):
        rollout, actions = played.rollout()
        kept.extend(rollout, actions)
        for t, row in np.argwhere(rollout.ends):
            _, episode, step = rollout.observations["observation"][t, row].tolist()
            ends[row, int(episode)] = (int(step) + 1, bool(rollout.terminations[t, row]))
    return kept, ends


@pytest.mark.parametrize("steps", [64, 13])
def test_transitions_are_drawn_as_they_were_played(steps):
    kept, ends = filled(steps=steps)
    drawn = kept.sample(900)
    identities = set()
    for place in range(900):
        row, episode, step = map(int, drawn.observations["observation"][place])
        identities.add((row, episode, step))
        assert episode % 4 > 0, "these may not be learned from"
        assert drawn.next_observations["observation"][place].tolist() == [row, episode, step + 1]
        assert drawn.actions[place].tolist() == [2 * row, step]
        assert drawn.rewards[place].item() == pytest.approx((step + 1) / 10)
        assert drawn.terminations[place].item() == (ends.get((row, episode)) == (step + 1, True))
    assert len(identities) == len(kept), "every one is drawn"
    assert len(kept) == kept.train[: min(steps, 50)].sum()


@pytest.mark.parametrize("steps", [64, 13])
def test_hindsight_gives_goals_that_were_achieved_later(steps):
    kept, ends = filled(steps=steps, hindsight=3, goals=Line())
    drawn = kept.sample(4_000)
    goals = drawn.observations["desired_goal"][:, 0].numpy()
    assert np.array_equal(goals, drawn.next_observations["desired_goal"][:, 0].numpy())
    _, episodes, at = drawn.observations["observation"].numpy().astype(int).T
    relabelled = goals < 100
    assert relabelled.mean() == pytest.approx(0.75, abs=0.03)
    assert np.array_equal(goals[~relabelled], 100 + episodes[~relabelled])
    lengths = np.array([ends[tuple(map(int, one[:2]))][0] for one in drawn.observations["observation"].tolist()])
    assert (goals[relabelled] > at[relabelled]).all() and (goals[relabelled] <= lengths[relabelled]).all()
    far = relabelled & (lengths - at == 4)
    assert set(goals[far] - at[far]) == {1, 2, 3, 4}
    reached = relabelled & (goals == at + 1)
    rewards, dones = drawn.rewards[:, 0].numpy(), drawn.terminations[:, 0].numpy()
    assert (rewards[reached] == 1).all() and (dones[reached] == 1).all()
    assert (rewards[relabelled & ~reached] == -1).all() and (dones[relabelled & ~reached] == 0).all()


def test_what_begins_in_its_new_goal_is_not_drawn():
    class Near(Line):
        distance_threshold = 1.5

    kept, _ = filled(hindsight=3, goals=Near())
    drawn = kept.sample(2_000)
    goals, at = drawn.observations["desired_goal"][:, 0], drawn.observations["achieved_goal"][:, 0]
    assert (torch.abs(goals - at) > 1.5).all() and (goals < 100).any()
    relabelled = kept._candidates(2_000)[2] >= 0
    assert 500 < len(relabelled) < 1_800 and (~relabelled).sum() == pytest.approx(500, abs=80)


def test_whole_numbers_are_drawn_as_they_were_when_kept_in_bytes():
    plain, kept = (filled(hindsight=3, goals=Line(), as_bytes=as_bytes)[0] for as_bytes in (False, True))
    assert kept.observations["observation"].nbytes * 4 == plain.observations["observation"].nbytes
    left, right = plain.sample(500), kept.sample(500)
    for name in SPACE:
        for part in ("observations", "next_observations"):
            one, other = getattr(left, part), getattr(right, part)
            assert one[name].dtype == other[name].dtype and torch.equal(one[name], other[name])
    assert torch.equal(left.rewards, right.rewards) and torch.equal(left.terminations, right.terminations)


@pytest.mark.parametrize("value", [0.5, -1.0, 256.0])
def test_what_does_not_fit_into_a_byte_is_refused(value):
    kept, (rollout, actions) = replay(as_bytes=True), FinishedEpisodes().rollout()
    rollout.observations["observation"][2, 1, 2] = value
    with pytest.raises(ValueError, match=rf"observation holds {value}, expected integers from 0 to 255"):
        kept.extend(rollout, actions)


def test_episodes_that_were_broken_off_are_not_relabelled():
    kept, played = replay(hindsight=3, goals=Line()), FinishedEpisodes()
    first, actions = played.rollout()
    kept.extend(first, actions)
    again, actions = FinishedEpisodes(seed=1).rollout()  # all rows restart
    kept.extend(again, actions)
    for row in range(ROWS):
        ends = np.flatnonzero(first.ends[:, row])
        over = ends[-1] + 1 if len(ends) else 0
        assert (kept.left[over:STEPS, row] == -1).all() and (kept.left[:over, row] >= 0).all()


@pytest.mark.parametrize("steps", [64, 13])
def test_a_restored_replay_draws_alike(steps):
    kept, _ = filled(steps=steps, hindsight=2, goals=Line())
    other = replay(steps=steps, hindsight=2, goals=Line())
    other.restore(*kept.state())
    for name in SPACE:
        assert np.array_equal(kept.next_observations[name], other.next_observations[name])
    for one in (kept, other):
        one._rng = np.random.default_rng(5)
        one.extend(*FinishedEpisodes(seed=3).rollout())
    first, second = kept.sample(100), other.sample(100)
    assert torch.equal(first.observations["observation"], second.observations["observation"])
    assert torch.equal(first.observations["desired_goal"], second.observations["desired_goal"])


def test_an_empty_replay_is_restored():
    kept = replay()
    kept.restore(*replay().state())
    assert len(kept) == 0


def test_replays_of_pictures_are_no_larger_than_the_memory_for_them(monkeypatch):
    monkeypatch.setattr(replay_module, "MOST_BYTES", 40 * 10 * ROWS)
    assert replay(steps=64).capacity == 10
    assert replay(steps=8).capacity == 8


def test_final_hindsight_gives_what_the_episode_achieved_at_its_end():
    kept, ends = filled(hindsight=3, goals=Line(), strategy="final")
    drawn = kept.sample(1_000)
    goals, relabelled = drawn.observations["desired_goal"][:, 0].numpy(), 0
    for goal, one in zip(goals, drawn.observations["observation"].tolist()):
        if goal < 100:
            relabelled += 1
            assert goal == ends[tuple(map(int, one[:2]))][0]
    assert relabelled / 1_000 == pytest.approx(0.75, abs=0.05)
