"""CoDE's network: its size, its probabilities, and the gradient of N^."""

import itertools

import numpy as np
import pytest
import torch

from procgen_bench.baselines.papers.code.design_generator import DesignGenerator, Drawn


def generator(*sizes, slots=3, seed=0) -> DesignGenerator:
    return DesignGenerator(*sizes, slots, np.random.default_rng(seed))


def test_it_has_as_many_parameters_as_published():
    """Figure 17: 152,461 with 40 primitives, ten pages, and one bias in the LSTM."""
    assert generator(40, 10, True, slots=12).num_parameters == 152_461


@pytest.mark.parametrize(("sizes", "slots"), [((2, 2, True), 2), ((3, 1, False), 2), ((1, 3, False), 1)])
def test_the_probabilities_of_all_designs_sum_to_one(sizes, slots):
    """Places of what is skipped are no choice, and there are none beyond the number that was chosen."""
    made, (primitives, places, chooses) = generator(*sizes, slots=slots), sizes
    noise = made.draw(1, np.random.default_rng(1)).noise
    designs = {
        (number, chosen, tuple(place if primitive else 0 for primitive, place in zip(chosen, where)))
        for number in (range(places) if chooses else [places - 1])
        for chosen in itertools.product(range(primitives + 1), repeat=slots)
        for where in itertools.product(range(number + 1), repeat=slots)
    }
    numbers, chosen, where = (np.array(column) for column in zip(*sorted(designs)))
    every = Drawn(np.repeat(noise, len(designs), axis=0), numbers, chosen, where)
    assert made.likelihoods(every).log_probabilities.exp().sum().item() == pytest.approx(1, abs=1e-5)


def fixed_noise(count, rng):
    """A generator that draws all but the noise, which is the same of all designs."""
    noise = np.zeros((count, 100), np.float32)
    return type("Fixed", (), {"standard_normal": lambda *_: noise, "random": rng.random})()


def test_draws_follow_the_probabilities():
    """Of noise that is the same for all."""
    made = generator(2, 2, True, slots=1)
    noise = np.zeros((4_000, 100), np.float32)
    drawn = made.draw(4_000, fixed_noise(4_000, np.random.default_rng(3)))
    shares = np.bincount(drawn.primitives[:, 0], minlength=3) / 4_000
    one = Drawn(noise[:1], np.array([1]), np.array([[1]]), np.array([[1]]))
    both = [made.likelihoods(Drawn(noise[:1], np.array([n]), one.primitives, np.zeros((1, 1), int))) for n in (0, 1)]
    second = made.likelihoods(one).log_probabilities.exp().item()
    expected = both[0].log_probabilities.exp().item() + both[1].log_probabilities.exp().item() + second
    assert shares[1] == pytest.approx(expected, abs=0.03)
    assert (drawn.places[:, 0] <= drawn.numbers).all()


def test_what_makes_designs_longer_is_differentiated_directly():
    """N^ as it is along its gradient: by finite differences."""
    made = generator(4, 2, True)
    drawn = made.draw(6, np.random.default_rng(0))
    bias = made.primitive[2].bias
    with torch.no_grad():
        bias[0] += 1  # SKIP is likelier than in a uniform choice
    made.likelihoods(drawn).difficulties.sum().backward()
    gradient = bias.grad[0].item()
    found = []
    for step in (1e-2, -1e-2):
        with torch.no_grad():
            bias[0] += step
            found.append(made.likelihoods(drawn).difficulties.sum().item())
            bias[0] -= step
    assert gradient < -1 and (found[0] - found[1]) / 2e-2 == pytest.approx(gradient, rel=1e-2)
    assert made.longest == pytest.approx(3 * np.log(5))


def test_a_choice_is_no_harder_than_a_uniform_one():
    """Beyond that, one primitive that is chosen ever more surely would pay ever more."""
    made = generator(4, 2, True)
    with torch.no_grad():
        made.primitive[2].bias[2] += 50
    likelihoods = made.likelihoods(made.draw(6, np.random.default_rng(0)))
    difficulties = likelihoods.difficulties
    assert difficulties.tolist() == pytest.approx([made.longest] * 6) and (likelihoods.excesses > 50).all()
    difficulties.sum().backward()
    assert (made.primitive[2].bias.grad == 0).all()


@pytest.mark.parametrize("skip", [-3.0, 0.0, 3.0])
def test_entropies_are_shares_of_the_greatest_whatever_the_length(skip):
    """Short designs may be as diverse as long ones."""
    made = generator(5, 3, True)
    with torch.no_grad():
        for part in (made.number, made.primitive, made.place):
            part[2].weight.zero_()
            part[2].bias.zero_()
        made.primitive[2].bias[0] = skip
    drawn = made.draw(20, np.random.default_rng(0))
    assert set(drawn.numbers.tolist()) == {0, 1, 2}
    assert made.likelihoods(drawn).entropies.tolist() == pytest.approx([1.0] * 20)


@pytest.mark.parametrize("part", ["number", "primitive", "place"])
def test_one_choice_that_is_sure_leaves_less_entropy(part):
    made = generator(5, 3, True)
    drawn = made.draw(20, np.random.default_rng(0))
    before = made.likelihoods(drawn).entropies
    with torch.no_grad():
        getattr(made, part)[2].bias[1] += 50
    is_placed = (drawn.primitives > 0).any(axis=1) & (drawn.numbers > 0)
    assert (made.likelihoods(drawn).entropies < before)[torch.from_numpy(is_placed)].all()


def test_a_choice_depends_on_the_one_before_it_and_on_its_place():
    """In draws and in their probabilities alike: of two pages and two primitives, with decided preferences."""
    made, count = generator(2, 2, False, slots=2), 8_000
    with torch.no_grad():
        made.seen.weight.mul_(20)
        made.primitive[0].weight.mul_(20)
        made.primitive[2].weight.mul_(4)
    drawn = made.draw(count, fixed_noise(count, np.random.default_rng(1)))
    choices = [(1, 0), (1, 1), (2, 0), (2, 1)]
    joint, found = np.zeros((2, 4, 3))
    for row, (primitive, place) in enumerate(choices):
        for second in range(3):
            primitives = np.array([[primitive, second]] * 2)
            designs = Drawn(drawn.noise[:2], np.array([1, 1]), primitives, np.array([[place, 0], [place, 1]]))
            likely = made.likelihoods(designs).log_probabilities.exp().tolist()
            joint[row, second] = sum(likely) if second else likely[0]  # the place of what is skipped is no choice
            is_first = (drawn.primitives[:, 0] == primitive) & (drawn.places[:, 0] == place)
            found[row, second] = (is_first & (drawn.primitives[:, 1] == second)).mean()
    assert found == pytest.approx(joint, abs=0.02)
    after = joint / joint.sum(axis=1, keepdims=True)
    assert np.abs(after[0] - after[2]).max() > 0.1, "after another primitive"
    assert np.abs(after[0] - after[1]).max() > 0.1, "after the same one on another page"
