"""Hash chains that are not what a track demands, refused before they are unpacked."""

import io

import numpy as np
import pytest

from procgen_bench.leaderboards.submission import read_submission

NUM_LINKS = 18  # three episodes of six

FORGERIES = {
    "one_short": (lambda links: links[:-1], r"links's shape is \(17, 16\), expected \(18, 16\)"),
    "one_long": (lambda links: np.concatenate([links, links[:1]]), r"links's shape is \(19, 16\), expected \(18, 16\)"),
    "none": (lambda links: links[:0], r"links's shape is \(0, 16\), expected \(18, 16\)"),
    "narrow": (lambda links: links[:, :8], r"links's shape is \(18, 8\), expected \(18, 16\)"),
    "flat": (lambda links: links.ravel(), r"links's shape is \(288,\), expected \(18, 16\)"),
    "signed": (lambda links: links.view(np.int8), "links's dtype is 'int8', expected uint8"),
    "text": (lambda links: links.reshape(-1).view("S16"), r"links's dtype is .*S16.* expected uint8"),
    "numbers": (lambda links: links.view(np.uint64), "links's dtype is 'uint64', expected uint8"),
    "huge": (lambda links: np.zeros((2**16, 16), np.uint8), r"links's size in bytes is 1048704, expected 288"),
}


@pytest.fixture
def forged(ant, ant_folder, copied):
    return copied(ant_folder)


@pytest.mark.parametrize(("change", "refusal"), FORGERIES.values(), ids=FORGERIES)
def test_chain_of_another_form_is_refused(change, refusal, forged, refused):
    forged.array("links", change)
    refused(refusal)


def test_chain_of_objects_is_refused(forged, refused):
    file = io.BytesIO()
    np.lib.format.write_array(file, np.array([None] * NUM_LINKS, object), allow_pickle=True)
    forged.zip({**forged.members(), "links.npy": file.getvalue()}.items())
    refused("links's dtype is 'object', expected uint8")


def test_missing_chain_is_refused(forged, refused):
    arrays = forged.load()
    del arrays["links"]
    forged.save(arrays)
    refused("number of arrays is 6, expected 7")


def test_chain_under_another_name_is_refused(forged, refused):
    arrays = forged.load()
    arrays["chains"] = arrays.pop("links")
    forged.save(arrays)
    refused("array is 'chains.npy', expected only runs, tasks, seeds, lengths, scores, actions, links")


def test_lengths_that_the_links_do_not_fit_are_refused(forged, refused):
    arrays = forged.load()
    arrays["lengths"][2] -= 50
    arrays["actions"] = arrays["actions"][:-50]
    forged.save(arrays)
    refused(r"links's shape is \(18, 16\), expected \(17, 16\)")


def test_chain_on_an_exact_track_is_refused(honest, solver_board, assert_refusal):
    arrays = honest.load()
    links = np.zeros((int(-(-arrays["lengths"] // 50).sum()), 16), np.uint8)
    honest.save({**arrays, "links": links})
    assert_refusal("number of arrays is 7, expected 6", honest.folder)
    del arrays["runs"]
    honest.save({**arrays, "links": links})
    assert_refusal("array is 'links.npy', expected only runs, tasks, seeds, lengths, scores, actions$", honest.folder)


def test_traces_of_physics_tracks_may_be_larger_by_their_chains_alone(ant, ant_folder, forged, refused):
    submission = read_submission(ant_folder)
    per_episode = 4 + 4 + 8 + 4 + 8 + 500 * 8 * 4 + 10 * 16
    limit = 3 * per_episode + 3 * per_episode // 100 + 16 * 1024
    assert len(submission.episodes(0)) == 3
    forged.npz_path.write_bytes(bytes(limit + 1))
    refused(f"size in bytes is {limit + 1}, expected at most {limit}$")
