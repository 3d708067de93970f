"""Names of elements, and what of a field stands in them: the same in all words and looks."""

from itertools import product

import gymnasium
import numpy as np
import pytest

from procgen_bench.baselines.papers.code.site_matches import NUM_MATCHES
from procgen_bench.baselines.papers.code.site_names import HIDDEN, NAME_LENGTH, NUM_OWN, read_names
from procgen_bench.tasks.sites import SiteDesign, SiteTask, SiteTaskSpace
from procgen_bench.tasks.sites.variation import CHOICES, Variation
from procgen_bench.tasks.sites.vocabulary import token, words_of
from procgen_bench.tasks.sites.wording import say

LIBRARY = SiteTaskSpace().library
DISTINCT, IN_KEY, IN_NAME, OFFERED, HELD, HELD_BY_ANY = range(NUM_MATCHES)
SECOND = NUM_OWN - 1


def task_of(*names, **variation):
    """A page that asks for these, for the first of all values."""
    design = SiteDesign.of_pairs([(name, 0) for name in names], 1)
    return SiteTask(design, LIBRARY.profile(design.fields, dict.fromkeys(design.fields, 0)), Variation(**variation))


def rows_of(*tasks):
    """An environment whose k-th row plays the k-th task, and what is seen at first."""
    rows = {"num_envs": len(tasks), "vectorization_mode": "vector_entry_point"}
    env = gymnasium.make_vec("GMiniWoB-v0", observation="masked", **rows)
    seen, _ = env.reset(seed=0, options={"task": list(tasks)})
    return env, arrays_of(seen)


def arrays_of(seen):
    return {name: np.ascontiguousarray(array) for name, array in seen.items()}


def names_of(pages, row):
    """The words of the names of a row's usable elements, as sets of numbers."""
    numbers = pages.element[row][pages.element[row] >= 0]
    return [set(pages.elements[number, -NAME_LENGTH:].tolist()) - {0} for number in numbers]


def number(words):
    return {token(word) for word in words_of(words)}


@pytest.mark.parametrize(
    ("labels", "naming", "order"), list(product(*(CHOICES[part] for part in ("labels", "naming", "order"))))
)
def test_a_name_holds_the_label_wherever_it_stands(labels, naming, order):
    """Published lists say nowhere what they are, and options are named by their group."""
    shown = {"username": "Username", "lastname": "Last Name", "rememberme": "Remember me", "cc": "Payment"}
    _, seen = rows_of(task_of(*shown, labels=labels, naming=naming, order=order))
    names = names_of(read_names(seen, False), 0)
    for label in shown.values():
        assert [number(say(label, labels)) <= name for name in names].count(True) == 1, label


def test_words_that_are_common_to_a_key_and_a_name_are_counted_by_hand():
    """Secret word, and for the decoy the secret word of another service: a half each. The key: their secret is."""
    look = {"labels": "held-out", "naming": "label", "instruction": "sentences"}
    _, alone = rows_of(task_of("password", "username", **look))
    _, doubled = rows_of(task_of("password", "username", decoys="after", **look))
    for seen, share in ((alone, 1), (doubled, 1 / 2)):
        pages = read_names(seen, False)
        place = [number("Secret word") <= name for name in names_of(pages, 0)].index(True)
        matches = pages.matches[0, 0, place]
        assert matches[DISTINCT] == pytest.approx(share)
        assert matches[IN_KEY] == pytest.approx(1 / 3) and matches[IN_NAME] == pytest.approx(
            1 / 3
        )  # text, secret, word
        assert not pages.matches[0, 1, :, :OFFERED].any()  # "On this site they are known as", nowhere


def test_values_are_found_where_they_are_offered_and_held():
    env, seen = rows_of(task_of("state", "cc", "username"))
    pages = read_names(seen, False)
    fields, elements = ("cc", "state", "username"), names_of(pages, 0)
    card = [number("Payment") <= name for name in elements].index(True)
    line = [number("Username") <= name for name in elements].index(True)
    (state,) = np.flatnonzero(pages.matches[0, 1, :, OFFERED] == 1)
    assert pages.matches[0, 0, card, OFFERED] == 1 and not pages.matches[0, 2, :, OFFERED].any()
    assert not pages.matches[0, 2, :, HELD].any() and len({card, line, state}) == 3
    seen, *_ = env.step(np.array([[pages.usable[0, line], fields.index("username")]]))
    after = read_names(arrays_of(seen), False).matches[0, 2]
    assert after[line, HELD] == 1 and (after[: len(elements), HELD_BY_ANY] == 1).all()
    assert np.count_nonzero(after[:, HELD]) == 1


def test_of_two_that_look_alike_one_is_the_second():
    """A line and its decoy, one after the other; another type begins anew."""
    _, seen = rows_of(task_of("captcha", "password", "username", decoys="after"))
    pages = read_names(seen, False)
    assert pages.features[0, :6, SECOND].tolist() == [0, 1, 0, 1, 0, 1]
    captcha, decoy = pages.features[0, :2]
    before, behind = (slice(NUM_OWN + 5 * side, NUM_OWN + 5 * (side + 1)) for side in range(2))
    assert not captcha[before].any() and captcha[behind][0] == 1
    assert captcha[behind][4] > 0 and decoy[before][4] == -captcha[behind][4]  # the decoy's name is longer


def test_words_are_hidden_task_by_task_and_are_compared_all_the_same():
    rng = np.random.default_rng(0)
    params = [SiteTaskSpace(variations="all").sample(rng) for _ in range(200)]
    env, seen = rows_of(*(SiteTaskSpace(variations="all").decode(one) for one in params))
    known, learner = read_names(seen, False), read_names(seen, True)
    assert not (known.elements == HIDDEN).any()
    assert np.array_equal(known.matches, learner.matches) and np.array_equal(known.features, learner.features)
    shares = np.array([hidden_share(known, learner, row) for row in range(len(params))])
    assert 0.4 < (shares == 0).mean() < 0.7 and 0.1 < shares.mean() < 0.25 and shares.max() > 0.6  # types are seen
    masks = zip(seen["element_mask"], seen["field_mask"])
    actions = [[np.flatnonzero(elements)[0], np.flatnonzero(fields)[0]] for elements, fields in masks]
    later, _, terminated, *_ = env.step(np.array(actions))
    same = ~terminated & (later["texts"] == seen["texts"]).all(axis=(1, 2))
    known_after, after = read_names(arrays_of(later), False), read_names(arrays_of(later), True)
    shares_after = np.array([hidden_share(known_after, after, row) for row in range(len(params))])
    assert same.sum() > 50
    kept = same & (later["element_mask"] == seen["element_mask"]).all(axis=1)
    assert kept.any() and np.array_equal(shares_after[kept], shares[kept])


def hidden_share(known, learner, row):
    """Which share of a row's words in names is hidden."""
    there = known.element[row] >= 0
    words = known.elements[known.element[row][there], -NAME_LENGTH:]
    return (learner.elements[learner.element[row][there], -NAME_LENGTH:] == HIDDEN).sum() / np.count_nonzero(words)
