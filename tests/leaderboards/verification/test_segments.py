"""Episodes whose physics comes out otherwise are verified by segments, from recorded states, within a tolerance.

Another machine is played here by disturbing the physics of the ant; test_second_libm.py has a real one's mathematics.
"""

import dataclasses
import re

import numpy as np
import pytest

from procgen_bench.envs.ant_maze.physics import AntBodies
from procgen_bench.leaderboards.board.submitting import submit
from procgen_bench.leaderboards.errors import InvalidSubmissionError, UnverifiableError
from procgen_bench.leaderboards.submission.folder import read_submission
from procgen_bench.leaderboards.submission.submission import Submission
from procgen_bench.leaderboards.verification.verification import replayed_scores, verify

#: Numbers of an ant's state, and steps of a segment.
SIZE, STEPS = 43, 15


@pytest.fixture
def submission(ant, ant_folder) -> Submission:
    return read_submission(ant_folder)


@pytest.fixture
def disturbed(monkeypatch):
    """disturbed(by, every=1): from now on all bodies are moved by so much (metres, along x) after every so many steps
    of an episode."""

    def disturb(by: float, every: int = 1) -> None:
        place, push, steps = AntBodies.place, AntBodies.push, 0

        def placed(bodies, row, start):
            nonlocal steps
            steps = 0
            place(bodies, row, start)

        def pushed(bodies, rows, torques):
            nonlocal steps
            push(bodies, rows, torques)
            steps += 1
            if steps % every == 0:
                bodies.positions[:, 0] += by

        monkeypatch.setattr(AntBodies, "place", placed)
        monkeypatch.setattr(AntBodies, "push", pushed)

    return disturb


def with_traces(submission: Submission, **arrays) -> Submission:
    return dataclasses.replace(submission, traces=dataclasses.replace(submission.traces, **arrays))


def with_states(submission: Submission, change) -> Submission:
    """The submission with ``change(states)`` made to its states, (states of all episodes, 43)."""
    states = submission.traces.states.reshape(-1, SIZE).copy()
    change(states)
    return with_traces(submission, states=states.ravel())


def moved(place: int, by: float, number: int = 0):
    """A change: a number of the state at this place of all, the ant's x, is raised."""

    def change(states):
        states[place, number] += by

    return change


def test_what_comes_out_bit_for_bit_needs_no_segments(submission):
    verification = verify(submission)
    assert (verification.by_segments, verification.deviation, verification.score) == (0, 0.0, 1.0)


def test_states_are_those_of_the_replay(submission, ant):
    np.testing.assert_array_equal(replayed_scores(submission).states, submission.traces.states)
    assert len(submission.traces.states) == (-(-submission.traces.lengths // STEPS)).sum() * SIZE
    assert ant.segments.steps == STEPS


def test_other_last_bits_are_verified_by_segments_and_by_nothing_else(submission, disturbed, ant):
    disturbed(1e-14)
    verification = verify(submission)
    assert (verification.by_segments, verification.score) == (3, 1.0)
    assert 1e-14 < verification.deviation < ant.segments.tolerance / 10
    with pytest.raises(UnverifiableError, match=r"in steps 0 to 50 .*; it has no states to go by segments; verify it"):
        verify(with_traces(submission, states=None))


def test_what_is_tolerated_once_a_segment_does_not_add_up(submission, disturbed, ant):
    """Half the tolerance at the end of every segment: the states are taken over, and the next one begins with none."""
    disturbed(ant.segments.tolerance / 2, every=STEPS)
    verification = verify(submission)
    assert verification.by_segments == 3
    assert verification.deviation == pytest.approx(ant.segments.tolerance / 2, rel=0.1)


def test_other_physics_is_unverifiable(submission, disturbed):
    disturbed(1e-3, every=60)
    with pytest.raises(UnverifiableError) as error:
        verify(submission)
    assert (error.value.place, error.value.steps) == ("run 0, episode 0", (51, 100))
    assert "something else than was recorded; by segments, it is off by " in str(error.value)
    assert " at step 60, 1e-05 is tolerated; verify it on the same kind of machine" in str(error.value)


@pytest.mark.parametrize("place", [0, 7, 20])
@pytest.mark.parametrize("by", [1e-3, pytest.param(1e300, marks=pytest.mark.slow)])
def test_a_forged_state_is_refused_where_the_chain_agrees(submission, place, by):
    first = -(-submission.traces.lengths[0] // STEPS)
    episode, step = (0, place + 1) if place < first else (1, place - first + 1)
    refusal = rf"^submission refused: traces.npz: state of run 0, episode {episode} at step {step * STEPS} is 'off by "
    with pytest.raises(InvalidSubmissionError, match=refusal):
        verify(with_states(submission, moved(place, by)))


@pytest.mark.parametrize(("place", "span"), [(0, (0, 50)), (7, (0, 50)), (11, (0, 50))])
@pytest.mark.parametrize("by", [1e-3, pytest.param(-1e300, marks=pytest.mark.slow)])
def test_a_forged_state_is_not_taken_over(submission, disturbed, place, span, by):
    disturbed(1e-14)
    with pytest.raises(UnverifiableError, match=r"by segments, it is off by \S+ at step \d+, 1e-05 is tol") as error:
        verify(with_states(submission, moved(place, by)))
    assert error.value.steps == span


def test_states_of_another_episode_are_not_taken_over(submission, disturbed):
    disturbed(1e-14)
    first = int(-(-submission.traces.lengths[0] // STEPS))

    def exchanged(states):
        states[: first - 1], states[first : 2 * first - 1] = states[first : 2 * first - 1].copy(), states[: first - 1]

    with pytest.raises(UnverifiableError, match=r"run 0, episode 0: .* by segments, it is off by \S+ at step 15, "):
        verify(with_states(submission, exchanged))


def test_a_forged_action_is_found(submission, disturbed):
    disturbed(1e-14)
    actions = submission.traces.actions.copy()
    actions[130] = -actions[130]
    with pytest.raises(UnverifiableError, match=r"by segments, it is off by \S+ at step 135, "):
        verify(with_traces(submission, actions=actions))


@pytest.mark.parametrize("claimed", [0.0, np.nan])
def test_a_claim_that_segments_do_not_bear_out_is_unverifiable(submission, disturbed, claimed):
    """Not refused as forged: a decision of the game may flip within the tolerance."""
    disturbed(1e-14)
    scores = submission.traces.scores.copy()
    scores[1] = claimed
    with pytest.raises(UnverifiableError, match=rf"episode 1: .* by segments, it scores 1\.0, {claimed} is claimed; "):
        verify(with_traces(submission, scores=scores))


def test_claimed_mean_that_the_episodes_disprove_is_refused(submission, disturbed):
    disturbed(1e-14)
    metadata = submission.metadata.model_copy(update={"claimed_score": 0.9})
    with pytest.raises(InvalidSubmissionError, match=r"claimed_score is 0\.9, expected 1\.0, what the replay gives"):
        verify(dataclasses.replace(submission, metadata=metadata))


def test_actions_after_the_end_are_unverifiable(submission, disturbed):
    disturbed(1e-14)
    traces = submission.traces
    assert traces.lengths[2] % STEPS, "one more action would make one more state"
    longer = with_traces(
        submission,
        lengths=traces.lengths + np.array([0, 0, 1], np.int32),
        actions=np.concatenate([traces.actions, traces.actions[-1:]]),
    )
    with pytest.raises(UnverifiableError, match=f"by segments, it ends after {traces.lengths[2]} of "):
        verify(longer)


def test_an_episode_that_is_cut_short_does_not_succeed(submission, disturbed):
    """Its last state is that of the step at which it was cut, as an honest recorder would have it."""
    disturbed(1e-14)
    traces = submission.traces
    cut = int(traces.lengths[2]) % STEPS
    rows = traces.states.reshape(-1, SIZE)
    shorter = with_traces(
        submission,
        lengths=traces.lengths - np.array([0, 0, cut], np.int32),
        actions=traces.actions[:-cut],
        states=rows[:-1].ravel(),
    )
    with pytest.raises(UnverifiableError, match=r"episode 2: .* by segments, it scores 0\.0, 1\.0 is claimed"):
        verify(shorter)


def test_a_broken_chain_is_no_obstacle_where_the_states_are_right(submission):
    links = submission.traces.links.copy()
    links[2] ^= 1
    verification = verify(with_traces(submission, links=links))
    assert (verification.by_segments, verification.deviation, verification.score) == (1, 0.0, 1.0)


def test_a_proven_forgery_is_not_hidden_by_one_that_is_not(submission):
    """Episode 0 parts from its chain and its states; episode 1 agrees with its chain, and disproves its claim."""
    links, scores = submission.traces.links.copy(), submission.traces.scores.copy()
    links[0] ^= 1
    scores[1] = 0.0
    forged = with_traces(with_states(submission, moved(3, 1.0)), links=links, scores=scores)
    with pytest.raises(InvalidSubmissionError, match=r"score of run 0, episode 1 is 0\.0, expected 1\.0"):
        verify(forged)


def test_the_command_tells_how_it_was_verified(run, ant, ant_folder, disturbed):
    assert run("verify", ant_folder)[1].splitlines()[-1] == "verified: the replay gives what the submission claims"
    disturbed(1e-14)
    code, out, _ = run("verify", ant_folder)
    assert code == 0
    assert "3 of 3 episodes by segments: their states differ by up to " in out
    assert "(1e-05 is tolerated)" in out


def test_a_row_tells_how_many_of_its_episodes_went_by_segments(run, ant, ant_folder, disturbed, tmp_path):
    assert submit(ant_folder, tmp_path / "here").record.by_segments == 0
    assert "by segments" not in run("leaderboard", ant.id, "--board", tmp_path / "here")[1]
    disturbed(1e-14)
    assert submit(ant_folder, tmp_path / "elsewhere").record.by_segments == 3
    shown = run("leaderboard", ant.id, "--board", tmp_path / "elsewhere")[1]
    assert "by segments" in shown and re.search(r"\s3\s", shown)


def test_forces_weigh_less_than_places(submission, ant):
    """A solver's starting point is off by a hundred times as much before it weighs as much."""
    by = 50 * ant.segments.tolerance
    assert verify(with_states(submission, moved(3, by, number=-1))).deviation == pytest.approx(by / 100)
    with pytest.raises(InvalidSubmissionError, match=r"at step 60 is 'off by 0\.0005'"):
        verify(with_states(submission, moved(3, by, number=2)))
