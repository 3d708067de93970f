"""The network of pairs: its size, and that what is computed once for many rows is what each row comes to by itself."""

import gymnasium
import numpy as np
import pytest
import torch

from procgen_bench.baselines.papers.code.pair_ppo_settings import PairPPOConfiguration
from procgen_bench.baselines.papers.code.site_encoders import ENCODERS
from procgen_bench.baselines.papers.code.site_networks import NEVER, PUBLISHED_VOCABULARY, published_rows
from procgen_bench.baselines.papers.code.site_policy import PairPolicy, chosen_pairs, drawn_pairs, pairs_of
from procgen_bench.baselines.parts.site_pages import NUM_WORDS, number_windows, read_pages
from procgen_bench.core.errors import InvalidPolicyError, UnsupportedEnvironmentError
from procgen_bench.tasks.sites.vocabulary import num_tokens, token

NUM_ROWS = 12


@pytest.fixture(scope="module")
def seen():
    """Rows of the five sites, in the middle of their episodes."""
    tasks = [f"test/{site}-{level}-{k}" for k, (site, level) in enumerate(
        (site, level) for level in (1, 4) for site in ("login", "address", "payment", "flight", "shopping")
    )]  # fmt: skip
    env = gymnasium.make_vec(
        "GMiniWoB-v0", num_envs=NUM_ROWS, vectorization_mode="vector_entry_point", tasks=tasks, observation="masked"
    )
    observations, _ = env.reset(seed=0)
    rng = np.random.default_rng(0)
    for _ in range(3):
        actions = [
            [rng.choice(np.flatnonzero(row)) for row in masks]
            for masks in zip(observations["element_mask"], observations["field_mask"])
        ]
        observations, *_ = env.step(np.array(actions))
    return {name: torch.as_tensor(array) for name, array in observations.items()}


def policy(encoder="window", seed=0, **options) -> PairPolicy:
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(seed)
        made = PairPolicy("GMiniWoB-v0", True, encoder, **options)
        if encoder == "names":  # whose words begin as nothing
            torch.nn.init.normal_(made.network.words.weight)
        return made


def test_the_published_network_has_as_many_parameters_as_published():
    published = {"encoder": "forward", "values": False, "published_words": True}
    assert policy(**published).network.num_parameters == 104_501
    assert policy(**published | {"values": True}).network.num_parameters == 104_501 + 5_000


def test_our_network_has_as_many_parameters_as_documented():
    """Of the method's defaults."""
    sizes = PairPPOConfiguration().sizes
    assert PairPolicy("GMiniWoB-v0", True, **sizes).network.num_parameters == 145_701


@pytest.mark.parametrize("encoder", ENCODERS)
@pytest.mark.parametrize("options", [{}, {"values": False, "published_words": True}])
def test_rows_computed_together_come_to_what_they_do_alone(encoder, options, seen):
    network = policy(encoder, **options).network
    rows = []
    with torch.no_grad():
        logits, values = network.whole(seen)
        logits = logits.reshape(NUM_ROWS, 25, 250)
        assert logits.exp().sum(dim=(1, 2)).numpy() == pytest.approx(np.ones(NUM_ROWS), abs=1e-4)
        for part in network.pairs(network.prepare(seen)):
            assert part.values.numpy() == pytest.approx(values[part.rows].numpy(), abs=1e-5)
            own = part.logits.reshape(len(part.rows), -1, part.usable.shape[1])
            for row, usable, found in zip(part.rows, part.usable, own):
                usable, fields = usable[usable >= 0], int(seen["field_mask"][row].sum())
                assert np.array_equal(usable, np.flatnonzero(seen["element_mask"][row]))
                expected = logits[row, :fields][:, usable]
                assert found[:fields, : len(usable)].numpy() == pytest.approx(expected.numpy(), abs=1e-4)
                assert (found[fields:] < NEVER / 2).all() and (found[:, len(usable) :] < NEVER / 2).all()
            rows += part.rows.tolist()
    assert sorted(rows) == list(range(NUM_ROWS))


@pytest.mark.parametrize("encoder", ENCODERS)
def test_whatever_the_space_holds_is_read_alike(encoder):
    """Exporters try observations that no page gives: elements after a gap, and masks of what is not there."""
    space = gymnasium.make("GMiniWoB-v0", observation="masked").observation_space
    space.seed(0)
    drawn = [space.sample() for _ in range(4)]
    seen = {name: torch.as_tensor(np.stack([one[name] for one in drawn])) for name in space}
    made = policy(encoder)
    noise = torch.rand(4, 1, generator=torch.Generator().manual_seed(0))
    with torch.no_grad():
        logits, values = made.network.whole(seen)
        pair = drawn_pairs(logits, noise)
        together = made.step(seen, {}, noise)[0]
        assert torch.equal(together, torch.stack([pair % 250, pair // 250], dim=1))
        for part in made.network.pairs(made.network.prepare(seen)):
            assert part.values.numpy() == pytest.approx(values[part.rows].numpy(), abs=1e-4)


def test_gradients_are_those_of_rows_computed_alone(seen):
    network = policy().network
    gradients = []
    for compute in (
        lambda: [(part.logits[:, 0], part.values, part.rows) for part in network.pairs(network.prepare(seen))],
        lambda: [_first_pairs(*network.whole(seen), seen)],
    ):
        network.zero_grad()
        weights = torch.linspace(-1, 1, NUM_ROWS)
        sum((weights[rows] * (logs + values)).sum() for logs, values, rows in compute()).backward()
        gradients.append([parameter.grad.clone() for parameter in network.parameters()])
    for fast, plain in zip(*gradients):
        assert fast.numpy() == pytest.approx(plain.numpy(), abs=1e-4)


def _first_pairs(logits, values, seen):
    first = torch.as_tensor(seen["element_mask"].numpy().argmax(axis=1))
    return logits.reshape(NUM_ROWS, 25, 250)[torch.arange(NUM_ROWS), 0, first], values, np.arange(NUM_ROWS)


def test_what_is_equal_is_read_once(seen):
    """Elements, fields and neighbourhoods have equal numbers exactly where they are equal."""
    arrays = {name: array.numpy() for name, array in seen.items()}
    pages = read_pages(arrays)
    names = ("element_values", "texts", "attributes", "classes")
    content = np.concatenate([arrays["tags"][:, :, None], *(arrays[name] for name in names)], axis=2)
    content = content[:, : pages.element.shape[1]].reshape(-1, 35)
    there = pages.element.ravel() >= 0
    _, expected = np.unique(content[there], axis=0, return_inverse=True)
    found = pages.element.ravel()[there]
    assert len(set(zip(found.tolist(), expected.ravel().tolist()))) == len(pages.elements) == expected.max() + 1
    elements, features, windows = number_windows(pages)
    around = [
        tuple(elements[number].tolist()) + tuple(features[number].ravel().tolist()) for number in range(len(elements))
    ]
    assert len(set(around)) == len(around) == windows.max() + 1
    assert pages.features[windows[:, 0] >= 0].max() <= 1.0


def test_masked_pairs_are_never_drawn(seen):
    drawn = policy().step(seen, {}, torch.rand(NUM_ROWS, 1, generator=torch.Generator().manual_seed(0)))[0]
    rows = torch.arange(NUM_ROWS)
    assert seen["element_mask"][rows, drawn[:, 0]].all() and seen["field_mask"][rows, drawn[:, 1]].all()


def test_pairs_are_drawn_by_their_probabilities():
    logits = torch.tensor([[0.2, 0.0, 0.5, 0.3]]).log().clamp(min=NEVER).expand(1_000, 4)
    noise = torch.linspace(0, 1, 1_001)[:-1, None]
    assert torch.bincount(drawn_pairs(logits, noise), minlength=4).tolist() == pytest.approx([200, 0, 500, 300], abs=1)
    assert drawn_pairs(logits, None)[0] == 2
    usable = np.array([[3, 7, -1], [1, 2, 9]], np.int32)
    actions = chosen_pairs(torch.tensor([4, 2]), usable)
    assert actions.tolist() == [[7, 1], [9, 0]] and pairs_of(actions, usable).tolist() == [4, 2]


def test_words_of_published_pages_are_told_apart_by_the_published_vocabulary():
    rows = published_rows()
    assert len(rows) == NUM_WORDS and rows[0] == 0 and rows.max() < PUBLISHED_VOCABULARY
    own = [token(word) for word in ("username", "first", "cabin", "economy", "zip")]
    own += list(range(num_tokens() + 1, NUM_WORDS))
    assert all(np.count_nonzero(rows == rows[number]) == 1 for number in own)


def test_folders_of_other_networks_are_refused(tmp_path):
    made = policy("forward", published_words=True)
    with pytest.raises(InvalidPolicyError, match="the weights do not fit the network"):
        made.load_weights({name: array.numpy() for name, array in policy().network.state_dict().items()})
    with pytest.raises(UnsupportedEnvironmentError):
        PairPolicy("GridWorld-v0", True)
