"""Recorded states that are not what a track demands, refused before they are unpacked."""

import io

import numpy as np
import pytest

from procgen_bench.leaderboards.submission.folder import read_submission

#: Three ants for 251 to 300 steps: 17 to 20 states of 43 numbers each, one every 15 steps.
SIZE, STEPS = 43, 15


@pytest.fixture
def forged(ant, ant_folder, copied):
    return copied(ant_folder)


@pytest.fixture
def count(ant, ant_folder):
    """How many numbers there are."""
    lengths = read_submission(ant_folder).traces.lengths
    return int((-(-lengths // STEPS)).sum()) * SIZE


FORGERIES = {
    "one_short": (lambda states: states[:-1], r"states's shape is \({less},\), expected \({count},\)"),
    "one_long": (lambda states: np.append(states, 0.0), r"states's shape is \({more},\), expected \({count},\)"),
    "none": (lambda states: states[:0], r"states's shape is \(0,\), expected \({count},\)"),
    "rows": (lambda states: states.reshape(-1, SIZE), r"states's shape is \({rows}, 43\), expected \({count},\)"),
    "single": (lambda states: states.astype(np.float32), "states's dtype is 'float32', expected float64"),
    "swapped": (lambda states: states.astype(">f8"), "states's dtype is '>f8', expected float64"),
    "whole": (lambda states: states.view(np.int64), "states's dtype is 'int64', expected float64"),
    "huge": (lambda states: np.zeros(2**18), "states's size in bytes is 2097280, expected {bytes}"),
}


@pytest.mark.parametrize(("change", "refusal"), FORGERIES.values(), ids=FORGERIES)
def test_states_of_another_form_are_refused(change, refusal, forged, refused, count):
    forged.array("states", change)
    refused(refusal.format(less=count - 1, more=count + 1, rows=count // SIZE, count=count, bytes=8 * count))


@pytest.mark.parametrize("number", [np.nan, np.inf, -np.inf])
def test_numbers_that_are_none_are_refused(number, forged, refused):
    def changed(states):
        states[77] = number

    forged.array("states", changed)
    refused(rf"states\[77\] is {number}, expected a finite number")


def test_objects_are_refused(forged, refused, count):
    file = io.BytesIO()
    np.lib.format.write_array(file, np.array([None] * 100, object), allow_pickle=True)
    forged.zip({**forged.members(), "states.npy": file.getvalue()}.items())
    refused("states's dtype is 'object', expected float64")


def test_states_on_an_exact_track_are_refused(honest, assert_refusal):
    honest.save({**honest.load(), "states": np.zeros(3)})
    assert_refusal("number of arrays is 7, expected 6$", honest.folder)


def test_states_in_the_place_of_chains_are_refused(forged, refused):
    arrays = forged.load()
    del arrays["links"]
    forged.save({**arrays, "more": arrays["states"]})
    refused("array is 'more.npy', expected only runs, tasks, seeds, lengths, scores, actions, links, states$")


def test_each_episode_has_its_own(ant, ant_folder):
    submission = read_submission(ant_folder)
    episodes = submission.episodes(0)
    assert [episode.states.shape for episode in episodes] == [
        (-(-len(episode.actions) // STEPS), SIZE) for episode in episodes
    ]
    np.testing.assert_array_equal(np.concatenate([e.states.ravel() for e in episodes]), submission.traces.states)
