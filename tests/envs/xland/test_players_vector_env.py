"""Every player of many worlds in one batch: as parallel_env plays them, with any players in the seats."""

import copy

import gymnasium
import numpy as np
import pytest
from gymnasium.spaces import MultiDiscrete

import procgen_bench  # noqa: F401 - registers our ids
from procgen_bench.core.errors import InvalidActionError, InvalidOptionError, InvalidTaskError, UnknownNameError
from procgen_bench.core.policy import Policy
from procgen_bench.envs.xland import XLandVectorEnv, parallel_env
from procgen_bench.envs.xland.actions import ACTION_CHOICES, NOOP
from procgen_bench.envs.xland.environment import XLandEnv
from procgen_bench.tasks.xland import load_suite
from tests.envs.conformance.trajectory import assert_equal
from tests.envs.xland.scenes import FLAT, player, simulate

CUBE = "black cube 0.6 m at 3.5 3.5 facing 0"
#: Small worlds of one, two and three players, who are rewarded for what happens soon or never.
ONE, TWO, THREE = (
    simulate(
        FLAT, CUBE, *(player(colour, 1.5 + p, 2.3) for p, colour in enumerate(colours)), game="\n".join(goals)
    ).task
    for colours, goals in (
        (["blue"], ["near(me,black cube)"]),
        (["blue", "red"], ["near(me,black cube)", "see(me,opponent) | hold(me,black cube)"]),
        (["blue", "red", "green"], ["near(me,black cube)", "see(opponent,me)", "hold(me,black cube)"]),
    )
)


def made(num_worlds: int, **options):
    return XLandVectorEnv(num_worlds, **({"players": "all", "observation": "state", "num_threads": 2} | options))


def actions(env, rng) -> np.ndarray:
    return rng.integers(0, ACTION_CHOICES, (env.num_envs, 6)).astype(np.int8)


class Turner(Policy):
    """Remembers how often each row of its batch was asked, and turns by that."""

    def __init__(self):
        self.asked, self.counts = [], np.zeros(0, np.int64)

    def act(self, observations, episode_starts):
        self.asked.append(len(episode_starts))
        counts = np.zeros(len(episode_starts), np.int64)
        counts[: len(self.counts)] = self.counts
        self.counts = np.where(episode_starts, 0, counts) + 1
        chosen = np.tile(np.array(NOOP), (len(episode_starts), 1))
        chosen[:, 2] = self.counts % 7
        return chosen


def test_worlds_are_those_of_parallel_env():
    """Worlds of one to three players: observations, rewards, ends and truths; rows without a player are zeros."""
    env, tasks = made(3, seats=3), [THREE, ONE, TWO]
    observations, infos = env.reset(seed=4, options={"task": tasks})
    assert env.num_envs == 9 and env.observation_space.contains(observations)
    worlds = [parallel_env(task, observation="state") for task in tasks]
    expected = [world.reset(seed=4 + k)[0] for k, world in enumerate(worlds)]
    rng, rewarded = np.random.default_rng(0), 0
    for _ in range(25):
        for k, (task, own) in enumerate(zip(tasks, expected)):
            count = task.game.num_players
            assert infos["plays"].reshape(3, 3)[k].tolist() == [p < count for p in range(3)]
            for p in range(3):
                row = {name: array[3 * k + p] for name, array in observations.items()}
                if p < count:
                    assert_equal(row, own[f"player_{p + 1}"], f"player {p} of world {k}")
                    used = row["goal_atoms"][row["goal_atoms"] < 212]
                    truths = worlds[k].simulation.truths[0, p, used]
                    assert infos["goal_truths"][3 * k + p].tolist() == truths.tolist() + [False] * (12 - len(used))
                else:
                    assert not any(array.any() for array in row.values())
        chosen = actions(env, rng)
        observations, rewards, terminations, truncations, infos = env.step(chosen)
        expected = []
        for k, world in enumerate(worlds):
            found = world.step(dict(zip(world.agents, chosen[3 * k :])))
            own = [found[1].get(f"player_{p + 1}", 0.0) for p in range(3)]
            assert rewards[3 * k : 3 * k + 3].tolist() == own and infos["rewards"][3 * k + 1].tolist() == own
            expected.append(found[0])
            rewarded += sum(own)
        assert not terminations.any() and not truncations.any()
    assert rewarded > 0


def test_a_policy_is_asked_once_for_all_its_seats():
    """A policy and a function sit by world; the policy itself is left alone, its copy keeps every seat's memory."""
    asked, turner = [], Turner()

    def still(observations, starts):
        asked.append((len(starts), starts.all(), observations["entities"].shape))
        return np.tile(np.array(NOOP), (len(starts), 1))

    env = made(4, tasks=THREE, co_players=(turner, still))
    _, infos = env.reset(seed=0, options={"co_players": [None, None, (None, turner), "noop"]})
    assert infos["acts"].reshape(4, 3).tolist() == [[True, False, False]] * 2 + [
        [True, True, False],
        [True, False, False],
    ]
    rng, copied = np.random.default_rng(0), env.simulation._companies._companies
    for _ in range(6):
        env.step(actions(env, rng))
    policy = next(company.policy for company in copied if company.player is turner)
    assert turner.asked == [] and policy.asked == [3] * 6 and policy.counts.tolist() == [6] * 3
    assert asked == [(2, step == 0, (2, 15, 25)) for step in range(6)]
    mask = np.array([False, True, False, False])
    env.reset(options={"reset_mask": mask, "co_players": turner})
    env.step(actions(env, rng))
    assert policy.asked[-1] == 4 and sorted(policy.counts.tolist()) == [1, 1, 7, 7]
    assert asked[-1][0] == 2  # the place that was left waits for somebody else


def test_frozen_seats_play_as_in_the_single_environment():
    """Beside names and policies with memory, player 1 sees what it sees there."""
    co_players = (Turner(), "swift")
    env, single = (
        made(2, tasks=THREE, co_players=co_players),
        XLandEnv(THREE, co_players=co_players, observation="state"),
    )
    observations, _ = env.reset(seed=[7, 3])
    expected, _ = single.reset(seed=3)
    rng = np.random.default_rng(0)
    for _ in range(30):
        chosen = actions(env, rng)
        observations, rewards, _, _, infos = env.step(chosen)
        expected, reward, _, _, info = single.step(chosen[3])
        assert_equal({name: array[3] for name, array in observations.items()}, expected, "player 1")
        assert rewards[3] == reward and infos["rewards"][3].tolist() == info["rewards"].tolist()


def test_saved_worlds_go_on_bit_for_bit():
    """Here, in other worlds, in a copy, and, where nobody is seated, in parallel_env."""
    env, rng = made(2, tasks=THREE, co_players=(Turner(), None)), np.random.default_rng(0)
    env.reset(seed=0)
    for _ in range(5):
        env.step(actions(env, rng))
    states, twin = env.save_states(), copy.deepcopy(env)
    later = [actions(env, rng) for _ in range(6)]
    expected = [env.step(chosen) for chosen in later]
    assert_equal([twin.step(chosen) for chosen in later], expected, "a copy")
    env.reset(options={"state": states})
    assert_equal([env.step(chosen) for chosen in later], expected, "the same worlds")
    assert len(env.simulation._companies._companies) == 1, "seats that were saved together were parted"
    other = made(2, tasks=THREE)
    other.reset(seed=9, options={"state": states[3:] + states[:3]})
    for chosen, (observations, rewards, *_) in zip(later, expected):
        found = other.step(np.roll(chosen, 3, axis=0))
        assert_equal(np.roll(found[1], 3), rewards, "rewards of swapped worlds")
        assert_equal({name: np.roll(array, 3, axis=0) for name, array in found[0].items()}, observations, "swapped")
    open_env, world = made(1, tasks=TWO, num_threads=1), parallel_env(TWO, observation="state")
    open_env.reset(seed=1)
    open_env.step(later[0][:2])
    seen, _ = world.reset(options={"state": open_env.save_states()[0]})
    assert_equal(seen["player_2"]["entities"], open_env.simulation.observations["entities"][1], "in parallel_env")


@pytest.mark.parametrize("mode", ["NextStep", "SameStep"])
def test_worlds_begin_anew_together(mode):
    env = made(2, tasks=[TWO], max_episode_steps=3, autoreset_mode=mode, co_players=(Turner(),))
    env.reset(seed=0)
    rng, ends = np.random.default_rng(0), []
    for _ in range(8):
        _, _, terminations, truncations, infos = env.step(actions(env, rng))
        assert not terminations.any() and len(set(truncations.tolist())) == 1
        ends.append(bool(truncations[0]))
        assert ("final_obs" in infos) == (mode == "SameStep" and ends[-1])
    period = 4 if mode == "NextStep" else 3
    assert ends == [step % period == 2 for step in range(8)]


def test_the_callers_co_players_go_before_the_tasks():
    task = load_suite("evaluation_mini").tasks[0]
    env = XLandEnv(
        co_players=lambda observations, starts: np.tile(np.array(NOOP), (len(starts), 1)), observation="state"
    )
    env.reset(seed=0, options={"task": task})
    assert {type(one).__name__ for one in env._participants} <= {"PolicyParticipant"}
    env.step(np.array(NOOP))


def test_made_by_gymnasium():
    env = gymnasium.make_vec(
        "XLand-v0", num_envs=2, vectorization_mode="vector_entry_point", players="all", observation="state", tasks=[TWO]
    )
    assert env.num_envs == 4 and env.reset(seed=0)[0]["entities"].shape == (4, 15, 25)
    env.close()


@pytest.mark.parametrize("players", ["everybody", 0, 4])
def test_other_players_are_refused_with_all_that_may_be_given(players):
    with pytest.raises(InvalidOptionError, match=rf"players is {players!r}, expected one of \[1, 2, 3, 'all'\]"):
        XLandVectorEnv(2, players=players, observation="state")


class ForOthers(Policy):
    action_space = MultiDiscrete([3, 3])

    def act(self, observations, episode_starts):
        return np.zeros((len(episode_starts), 2), np.int64)


@pytest.mark.parametrize(
    ("options", "error", "message"),
    [
        (
            {"co_players": ("noop", 3)},
            InvalidOptionError,
            "co_players holds 3, expected names of co-players, policies or",
        ),
        ({"co_players": "nobody"}, UnknownNameError, "unknown co-player 'nobody'"),
        (
            {"co_players": ForOthers()},
            InvalidOptionError,
            r"which plays MultiDiscrete\(\[3 3\]\), expected a policy for",
        ),
        ({"seats": 4}, InvalidOptionError, "seats"),
        ({"tasks": [THREE], "seats": 2}, InvalidTaskError, "number of players of tasks is 3, expected at most 2"),
    ],
)
def test_bad_arguments(options, error, message):
    with pytest.raises(error, match=message) as caught:
        made(2, **options)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(
    ("options", "error", "message"),
    [
        ({"task": THREE}, InvalidTaskError, "number of players of the task is 3, expected at most 2"),
        ({"task": [TWO] * 3}, InvalidOptionError, r"task has 3 entries, expected one per world \(2\) or per row \(4\)"),
        ({"task": [TWO, TWO, TWO, ONE]}, InvalidOptionError, "task differs between rows 2 and 3"),
        (
            {"reset_mask": np.array([True, False, True, True])},
            InvalidOptionError,
            "reset_mask differs between rows 0 and 1",
        ),
        ({"co_players": ()}, InvalidOptionError, "co_players are 0, but the task has 1 players other than the first"),
        ({"co_players": ["noop", ("nobody",)]}, UnknownNameError, "nobody"),
    ],
)
def test_a_refused_reset_changes_nothing(options, error, message):
    env = made(2, tasks=[TWO])
    env.reset(seed=0)
    rng = np.random.default_rng(0)
    env.step(actions(env, rng))
    twin = copy.deepcopy(env)
    with pytest.raises(error, match=message):
        env.reset(options=options)
    chosen = actions(env, rng)
    assert_equal(env.step(chosen), twin.step(chosen), "after a refused reset")


def test_what_a_co_player_chooses_is_checked():
    env = made(2, tasks=[TWO], co_players=lambda observations, starts: np.zeros((len(starts), 2), np.int64))
    env.reset(seed=0)
    with pytest.raises(
        InvalidActionError, match=r"actions are int64 \(2, 2\), expected whole numbers \(2, 6\), of a co-"
    ):
        env.step(np.tile(np.array(NOOP), (4, 1)))


def test_own_generator_is_seeded_by_the_number_or_the_list_of_worlds():
    env = made(2, tasks=[TWO])
    env.reset(seed=7)
    assert env.np_random_seed == 7 and env.np_random.random() == np.random.default_rng(7).random()
    drawn = []
    for seeds in ([1, 2], [1, 1, 2, 2], [1, 3]):  # by worlds, by rows, others
        env.reset(seed=seeds)
        drawn.append((env.np_random_seed, env.np_random.random()))
    assert drawn[0] == drawn[1] != drawn[2]
