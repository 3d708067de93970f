"""The track: episodes of one to three players are played, recorded, replayed; any difference is reported."""

import dataclasses

import numpy as np
import pytest

from procgen_bench.baselines.policies.scripted.policies import ConstantPolicy
from procgen_bench.core.errors import InvalidOptionError, InvalidPolicyError
from procgen_bench.envs.xland.actions import ACTION_CHOICES, NOOP
from procgen_bench.envs.xland.environment import XLandEnv
from procgen_bench.envs.xland.simulation import XLandSimulation
from procgen_bench.leaderboards.errors import InvalidSubmissionError, UnverifiableError
from procgen_bench.leaderboards.evaluation import evaluation, playing
from procgen_bench.leaderboards.evaluation.draft import MethodDescription
from procgen_bench.leaderboards.evaluation.evaluation import evaluate
from procgen_bench.leaderboards.submission.folder import read_submission
from procgen_bench.leaderboards.submission.submission import Submission
from procgen_bench.leaderboards.verification.replay import replay, replay_for
from procgen_bench.leaderboards.verification.verification import verify
from procgen_bench.tasks.xland import load_suite

#: A test task of three players, two of whom draw their actions.
THREE_AND_CHANCE = next(task for task in load_suite("evaluation").tasks if task.co_players == ("random", "random"))
TESTS = MethodDescription(authors="Tests", command="pytest")


@pytest.fixture
def submission(small, small_folder) -> Submission:
    return read_submission(small_folder)


@pytest.fixture
def forged(small, small_folder, copied):
    return copied(small_folder)


def test_episodes_of_all_numbers_of_players_are_verified(submission):
    verification = verify(submission)
    assert [episode.task.game.num_players for episode in submission.episodes(0)] == [1, 2, 3]
    assert submission.traces.lengths.tolist() == [900] * 3 and submission.traces.actions.shape == (2700, 6)
    assert submission.traces.actions.dtype == np.int8
    assert [len(episode.links) for episode in submission.episodes(0)] == [18] * 3
    assert verification.unfinished_episodes == 0
    assert verification.score == submission.metadata.claimed_score == verification.episode_scores.mean() > 0
    assert set(verification.episode_scores.ravel()) <= set(range(901))


@pytest.mark.parametrize(
    "task", [load_suite("hand_authored")["choose_wisely_3p"], load_suite("evaluation")["4-random"]]
)
def test_the_actions_alone_decide_whatever_is_observed(task):
    def trajectory(**options):
        env, rng = XLandEnv(**options), np.random.default_rng(1)
        env.reset(seed=5, options={"task": task})
        moments = []
        for _ in range(120):
            reward = env.step(rng.integers(0, ACTION_CHOICES))[1]
            moments.append((reward, *env.simulation.bodies.positions.tolist()))
        return moments

    states = trajectory(observation="state", privileged=True)
    assert states == trajectory(observation="state") == trajectory()


def test_what_is_replayed_does_not_depend_on_options_but_the_chain_does(submission, small):
    episodes = submission.episodes(0)[2:]
    chained = replay_for(small, episodes)
    others = [
        replay(small.environment_id, episodes, physics=True, options={"observation": kind}) for kind in ("state",)
    ]
    for outcomes in others:
        assert outcomes[0].links != chained[0].links
        assert dataclasses.replace(outcomes[0], links=chained[0].links) == chained[0]


def test_a_forged_score_is_refused(forged):
    def raised(scores):
        scores[1] = 900.0

    forged.array("scores", raised)
    with pytest.raises(InvalidSubmissionError, match=r"score of run 0, episode 1 is 900\.0, expected"):
        verify(read_submission(forged.folder))


def test_a_trace_cut_short_is_refused_unless_it_claims_nothing(submission, claiming, written):
    traces = submission.traces
    lengths = traces.lengths - np.array([0, 0, 100], np.int32)
    cut = {"lengths": lengths, "actions": traces.actions[:-100], "states": None}
    short = claiming(submission, **cut, links=traces.links[:-2])
    assert verify(read_submission(written(short))).unfinished_episodes == 1
    scores = short.traces.scores.copy()
    scores[2] = 1.0
    lying = dataclasses.replace(short, traces=dataclasses.replace(short.traces, scores=scores))
    with pytest.raises(InvalidSubmissionError, match=r"score of run 0, episode 2 is 1\.0, expected 0\.0"):
        verify(lying)


def test_changed_actions_under_the_old_chain_are_unverifiable(forged):
    def changed(actions):
        actions[2 * 900 + 130] = (actions[2 * 900 + 130] + 1) % ACTION_CHOICES

    forged.array("actions", changed)
    with pytest.raises(UnverifiableError, match="run 0, episode 2: in steps 101 to 150"):
        verify(read_submission(forged.folder))


def test_another_chain_is_unverifiable(forged):
    def flipped(links):
        links[18 + 7, 0] ^= 1

    forged.array("links", flipped)
    verify(read_submission(forged.folder))  # as on another machine: the states that it goes through are those recorded
    arrays = forged.load()
    forged.save({name: array for name, array in arrays.items() if name != "states"})
    with pytest.raises(UnverifiableError, match="run 0, episode 1: in steps 351 to 400"):
        verify(read_submission(forged.folder))


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda actions: actions[:, :5], r"actions's shape is \(2700, 5\), expected \(2700, 6\)"),
        (lambda actions: actions.astype(np.int64), "actions's size in bytes is"),
        (
            lambda actions: np.where(np.arange(2700)[:, None] == 950, np.int8(7), actions),
            "action 50 of run 0, episode 1",
        ),
        (lambda actions: np.where(np.arange(2700)[:, None] == 3, np.int8(-1), actions), "action 3 of run 0, episode 0"),
    ],
)
def test_actions_that_are_none_are_refused(forged, assert_refusal, change, message):
    forged.array("actions", change)
    assert_refusal(message, forged.folder)


def test_physics_that_diverges_ends_an_episode_with_what_was_earned(small, tmp_path, monkeypatch):
    step = XLandSimulation.step

    def diverging(world, actions):
        if world.steps == 100:
            world.bodies.data.qvel[:] = np.nan
        return step(world, actions)

    monkeypatch.setattr(XLandSimulation, "step", diverging)
    result = evaluate(small, [("constant", 0)], tmp_path / "diverged", TESTS)
    assert result.verification.episode_scores[0, 0] == 100.0
    assert result.verification.unfinished_episodes == 0
    submission = read_submission(tmp_path / "diverged")
    assert submission.traces.lengths.tolist() == [101] * 3
    assert verify(submission).score == result.verification.score


def test_who_never_acts_scores_the_minimum(small, tmp_path):
    null = evaluate(small, [("null", 0)], tmp_path / "null", TESTS)
    assert (null.verification.score, null.verification.unfinished_episodes) == (small.minimum, 3)
    assert verify(read_submission(tmp_path / "null")).score == small.minimum


def test_the_no_op_of_xland_does_nothing(small):
    policy = ConstantPolicy(small.environment_id)
    actions = policy.act({}, np.ones(3, np.bool_))
    assert actions.tolist() == [list(NOOP)] * 3 and actions.dtype == np.int8
    assert policy.environment_options == {"observation": "state"}


def with_options(monkeypatch, options):
    class Wanting(ConstantPolicy):
        environment_options = options

    for room in (evaluation, playing):
        monkeypatch.setattr(room, "load_policy", lambda source, environment_id: Wanting(environment_id))


@pytest.mark.parametrize(
    ("options", "error", "message"),
    [
        ({"view": "state"}, InvalidOptionError, r"XLand-v0 takes no option 'view', expected some of \['players', "),
        ({"tasks": "test"}, InvalidOptionError, "takes no option 'tasks'"),
        ({"observation": "smell"}, InvalidOptionError, "observation is 'smell', expected one of"),
        ({"observation": object}, InvalidOptionError, "expected a plain JSON value"),
    ],
)
def test_options_that_the_environment_does_not_take_are_refused_before_playing(
    small, tmp_path, monkeypatch, options, error, message
):
    with_options(monkeypatch, options)
    with pytest.raises(error, match=message):
        evaluate(small, [("constant", 0)], tmp_path / "new", TESTS)
    assert list(tmp_path.iterdir()) == []


def test_options_that_change_the_actions_are_refused(ant, tmp_path, monkeypatch):
    with_options(monkeypatch, {"control": "subgoal"})
    with pytest.raises(
        InvalidPolicyError, match="asks for the environment's option 'control', expected only mask, observation"
    ):
        evaluate(ant, [("constant", 0)], tmp_path / "new", TESTS)
