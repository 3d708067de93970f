"""Hash chains that are not what a track demands, refused before they are unpacked."""

import io

import numpy as np

from tests.leaderboards.attacks.attack import Attacks

#: Of an ant's three episodes of six links each.
ATTACKS = Attacks(victim="ant_submission")
NUM_LINKS = 18


def with_links(name: str, change, refusal: str):
    ATTACKS.add(f"links_{name}", lambda forged: forged.array("links", change), refusal)


with_links("one_short", lambda links: links[:-1], r"links's shape is \(17, 16\), expected \(18, 16\)")
with_links("one_long", lambda links: np.concatenate([links, links[:1]]), r"links's shape is \(19, 16\), expected \(18")
with_links("none", lambda links: links[:0], r"links's shape is \(0, 16\), expected \(18, 16\)")
with_links("narrow", lambda links: links[:, :8], r"links's shape is \(18, 8\), expected \(18, 16\)")
with_links("flat", lambda links: links.ravel(), r"links's shape is \(288,\), expected \(18, 16\)")
with_links("signed", lambda links: links.view(np.int8), "links's dtype is 'int8', expected uint8")
with_links("as_text", lambda links: links.reshape(-1).view("S16"), r"links's dtype is .*S16.* expected uint8")
with_links("as_numbers", lambda links: links.view(np.uint64), "links's dtype is 'uint64', expected uint8")
with_links("huge", lambda _: np.zeros((2**16, 16), np.uint8), r"links's size in bytes is 1048704, expected 288")


@ATTACKS.refused("links's dtype is 'object', expected uint8")
def links_of_objects(forged):
    file = io.BytesIO()
    np.lib.format.write_array(file, np.array([None] * NUM_LINKS, object), allow_pickle=True)
    forged.zip({**forged.members(), "links.npy": file.getvalue()}.items())


@ATTACKS.refused(r"array is 'links \(missing\)', expected runs, tasks, seeds, lengths, scores, actions, links, states")
def links_missing(forged):
    arrays = forged.load()
    del arrays["links"]
    forged.save(arrays)


@ATTACKS.refused("array is 'chains.npy', expected only runs, tasks, seeds, lengths, scores, actions, links, states")
def links_under_another_name(forged):
    arrays = forged.load()
    arrays["chains"] = arrays.pop("links")
    forged.save(arrays)


@ATTACKS.refused(r"links's shape is \(18, 16\), expected \(17, 16\)")
def lengths_that_the_links_do_not_fit(forged):
    arrays = forged.load()
    arrays["lengths"][2] -= 50
    arrays["actions"] = arrays["actions"][:-50]
    forged.save(arrays)


#: What the episodes take that do not compress, their chains and the states of their segments, and a little more.
PER_EPISODE = 4 + 4 + 8 + 4 + 8 + 500 * 8 * 4 + 10 * 16 + 34 * 43 * 8
MOST = 3 * PER_EPISODE + 3 * PER_EPISODE // 100 + 16 * 1024


@ATTACKS.refused(f"traces.npz: size in bytes is {MOST + 1}, expected at most {MOST}$")
def traces_larger_than_with_their_chains_and_states(forged):
    forged.npz_path.write_bytes(bytes(MOST + 1))


def with_links_on_an_exact_track(forged, left_out: str = ""):
    arrays = forged.load()
    links = np.zeros((int(-(-arrays["lengths"] // 50).sum()), 16), np.uint8)
    forged.save({name: array for name, array in {**arrays, "links": links}.items() if name != left_out})


ATTACKS.add(
    "links_on_an_exact_track", with_links_on_an_exact_track, "number of arrays is 7, expected 6", victim="random_folder"
)
ATTACKS.add(
    "links_for_runs",
    lambda forged: with_links_on_an_exact_track(forged, left_out="runs"),
    "array is 'links.npy', expected only runs, tasks, seeds, lengths, scores, actions$",
    victim="random_folder",
)
