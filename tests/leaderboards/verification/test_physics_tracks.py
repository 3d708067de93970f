"""Physics tracks: a replay that observes otherwise is unverifiable; one that disproves a claim proves a forgery.

The records here hold no states, by which a replay could come to the same all the same: for those see test_segments.py.
"""

import copy
import dataclasses

import mujoco
import numpy as np
import pytest

from procgen_bench.baselines.training.evaluation import make_task_vector_env
from procgen_bench.envs.ant_maze import simulation
from procgen_bench.envs.ant_maze.physics import AntBodies
from procgen_bench.leaderboards.board.board import read_entry_submission
from procgen_bench.leaderboards.board.submitting import submit
from procgen_bench.leaderboards.errors import InvalidSubmissionError, UnverifiableError
from procgen_bench.leaderboards.submission.folder import read_submission
from procgen_bench.leaderboards.submission.observation_chain import ObservationChain, num_links
from procgen_bench.leaderboards.submission.submission import Submission
from procgen_bench.leaderboards.verification import verification
from procgen_bench.leaderboards.verification.replay import replay
from procgen_bench.leaderboards.verification.verification import replayed_scores, verify


@pytest.fixture
def submission(ant, ant_folder) -> Submission:
    return with_traces(read_submission(ant_folder), states=None)


@pytest.fixture
def forged(ant, ant_folder, copied):
    forged = copied(ant_folder)
    forged.save({name: array for name, array in forged.load().items() if name != "states"})
    return forged


def with_traces(submission: Submission, **arrays) -> Submission:
    return dataclasses.replace(submission, traces=dataclasses.replace(submission.traces, **arrays))


def test_honest_submission_is_verified_and_entered_with_its_chains(submission, ant_folder, tmp_path):
    traces = submission.traces
    assert traces.links.shape == (num_links(traces.lengths).sum(), 16)
    assert [len(episode.links) for episode in submission.episodes(0)] == [6, 6, 6]
    assert verify(submission).score == submission.metadata.claimed_score == 1.0
    entry = submit(ant_folder, tmp_path / "board")
    assert entry.record.score == 1.0
    np.testing.assert_array_equal(read_entry_submission(entry).traces.links, traces.links)


def test_chains_tell_what_all_rows_together_observe(submission, ant):
    """Policies play many rows at a time, the replay goes one by one: outcomes and observations are the same."""
    episodes = submission.episodes(0)
    outcomes = [
        dataclasses.replace(outcome, links=()) for outcome in replay(ant.environment_id, episodes, physics=True)
    ]
    assert outcomes == replay(ant.environment_id, episodes)
    shortest = min(len(episode.actions) for episode in episodes)
    env = make_task_vector_env(ant.environment_id, len(episodes))
    seeds, tasks = [episode.seed for episode in episodes], [episode.task for episode in episodes]
    observations, _ = env.reset(seed=seeds, options={"task": tasks})
    chains = [ObservationChain(row_of(observations, row)) for row in range(len(episodes))]
    for step in range(shortest):
        observations, *_ = env.step(np.array([episode.actions[step] for episode in episodes]))
        for row, chain in enumerate(chains):
            chain.append(row_of(observations, row))
    env.close()
    assert shortest > 250
    assert [chain.links[:5] for chain in chains] == [episode.links[:5] for episode in episodes]


def row_of(observations: dict[str, np.ndarray], row: int) -> dict[str, np.ndarray]:
    return {name: values[row] for name, values in observations.items()}


def test_another_gravity_is_unverifiable(forged, assert_refusal, monkeypatch):
    heavier = copy.copy(simulation.maze_model())
    heavier.opt.gravity[2] *= 1 + 1e-6
    monkeypatch.setattr(simulation, "maze_model", lambda: heavier)
    error = assert_refusal(
        "^submission unverifiable: run 0, episode 0: in steps 0 to 50", forged.folder, UnverifiableError
    )
    assert (error.place, error.steps) == ("run 0, episode 0", (0, 50))
    assert not isinstance(error, InvalidSubmissionError)


def disturb(monkeypatch, at: int):
    """Let all bodies be where they are not, by the least amount, after the given number of steps of all replays."""
    calm, steps = AntBodies.push, 0

    def push(bodies, rows, torques):
        nonlocal steps
        calm(bodies, rows, torques)
        steps += 1
        if steps == at:
            bodies.positions[:, 0] += 1e-5

    monkeypatch.setattr(AntBodies, "push", push)


@pytest.mark.parametrize(
    ("episode", "step", "span"),
    [
        *(
            pytest.param(0, step, span, marks=pytest.mark.slow)
            for step, span in ((1, (0, 50)), (50, (0, 50)), (120, (101, 150)))
        ),
        (0, 51, (51, 100)),
        pytest.param(1, 200, (151, 200), marks=pytest.mark.slow),
        (2, 230, (201, 250)),
    ],
)
def test_the_span_of_steps_in_which_the_physics_parts_is_named(submission, monkeypatch, episode, step, span):
    disturb(monkeypatch, submission.traces.lengths[:episode].sum() + step)
    with pytest.raises(UnverifiableError, match=f"run 0, episode {episode}: in steps {span[0]} to {span[1]} ") as error:
        verify(submission)
    assert error.value.steps == span


def test_the_last_span_ends_with_the_episode(submission, monkeypatch):
    last = int(submission.traces.lengths[0])
    disturb(monkeypatch, last)
    with pytest.raises(UnverifiableError, match=f"run 0, episode 0: in steps 251 to {last} "):
        verify(submission)


@pytest.mark.parametrize(("link", "place"), [(0, "0: in steps 0 to 50"), (8, "1: in steps 101 to 150")])
def test_chain_that_is_wrong_where_the_scores_agree_is_unverifiable(forged, assert_refusal, link, place):
    def flipped(links):
        links[link, 3] ^= 1

    forged.array("links", flipped)
    assert_refusal(f"^submission unverifiable: run 0, episode {place}", forged.folder, UnverifiableError)


def test_changed_actions_under_the_old_chain_are_unverifiable(forged, assert_refusal):
    def changed(actions):
        actions[77] = -actions[77]

    forged.array("actions", changed)
    assert_refusal("^submission unverifiable: run 0, episode 0: in steps 51 to 100", forged.folder, UnverifiableError)


def test_claim_that_differs_although_the_chain_agrees_is_forged(forged, refused):
    def lowered(scores):
        scores[1] = 0.5

    forged.array("scores", lowered)
    refused("^submission refused: traces.npz: score of run 0, episode 1 is 0.5, expected 1.0, what its replay gives")


def test_a_proven_forgery_is_not_hidden_by_a_broken_chain(forged, refused):
    """Neither before nor after it: the claim of episode 1 is held against its own replay."""
    arrays = forged.load()
    arrays["links"][[0, 17]] ^= 1
    arrays["scores"][1] = 0.0
    forged.save(arrays)
    refused("score of run 0, episode 1 is 0.0, expected 1.0, what its replay gives")


def test_claimed_mean_that_differs_although_the_chains_agree_is_forged(forged, refused):
    forged.fields(claimed_score=0.9)
    refused("submission.json: claimed_score is 0.9, expected 1.0, what the replay gives")


def test_unfinished_episode_that_claims_success_is_forged(submission):
    """Its actions end before the goal; its chain, made by an honest replay, agrees."""
    traces = submission.traces
    lengths = traces.lengths - np.array([0, 0, 10], np.int32)
    cut = with_traces(submission, lengths=lengths, actions=traces.actions[:-10])
    with pytest.raises(InvalidSubmissionError, match=r"score of run 0, episode 2 is 1\.0, expected 0\.0"):
        verify(with_traces(cut, links=replayed_scores(with_traces(cut, links=None)).links))


def test_actions_after_the_end_are_refused_where_the_chain_agrees_up_to_it(submission, ant):
    """The replay ends a step sooner than the record, and its last link with it: that link is what the record holds."""
    environment_id, traces = ant.environment_id, submission.traces
    extra = traces.actions[-1:]
    longer = with_traces(
        submission,
        lengths=traces.lengths + np.array([0, 0, 1], np.int32),
        actions=np.concatenate([traces.actions, extra]),
    )
    assert replay(environment_id, longer.episodes(0), physics=True)[2].steps == traces.lengths[2]
    with pytest.raises(InvalidSubmissionError, match=r"number of actions of run 0, episode 2 .* too many steps"):
        verify(longer)
    wrong = traces.links.copy()
    wrong[-1] ^= 1
    with pytest.raises(UnverifiableError, match=f"run 0, episode 2: in steps 251 to {traces.lengths[2] + 1} "):
        verify(with_traces(longer, links=wrong))


def test_the_error_names_machine_and_versions_to_verify_on(submission, monkeypatch):
    disturb(monkeypatch, 1)
    with pytest.raises(UnverifiableError, match=r"with the same package versions, as here$"):
        verify(submission)
    recorded = submission.metadata.package_versions
    monkeypatch.setattr(verification, "package_versions", lambda: {**recorded, "mujoco": "4.0.0"})
    disturb(monkeypatch, 1)
    with pytest.raises(UnverifiableError) as error:
        verify(submission)
    message = str(error.value)
    assert f"those of its record (mujoco '{mujoco.__version__}', here '4.0.0')" in message
    assert message.isprintable()


def test_no_word_of_the_submission_makes_the_error_long(forged, assert_refusal, monkeypatch):
    disturb(monkeypatch, 1)
    words = "word " * 59 + "word"
    forged.fields(hardware=words, package_versions=dict.fromkeys(("python", "numpy", "mujoco"), words))
    assert_refusal("unverifiable", forged.folder, UnverifiableError)


def test_unverifiable_is_one_line_and_an_exit_code_of_its_own(run, forged, tmp_path):
    arrays = forged.load()
    arrays["links"][2] ^= 1
    forged.save(arrays)
    for command in (("verify", forged.folder), ("submit", forged.folder, "--board", tmp_path / "board")):
        code, out, err = run(*command)
        assert (code, out) == (3, "")
        (line,) = err.splitlines()
        assert line.startswith(
            "error: submission unverifiable: run 0, episode 0: in steps 101 to 150 the replay begins"
        )
    assert not (tmp_path / "board").exists()
    arrays["scores"][1] = 0.0
    forged.save(arrays)
    assert run("verify", forged.folder)[0] == 2
