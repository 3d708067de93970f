"""The parts of networks, against plain formulas."""

import gymnasium
import numpy as np
import pytest
import torch
from gymnasium import spaces

from procgen_bench.baselines.parts.actor_critic import ActorCritic
from procgen_bench.baselines.parts.distributions import MultiDiscreteActions
from procgen_bench.baselines.parts.entities import EntitySets, Pointer, entity_sets, masks_of
from procgen_bench.baselines.parts.memories import LongMemory, Memory
from procgen_bench.baselines.parts.modality_encoder import ModalityEncoder
from procgen_bench.baselines.parts.observation_parts import NormalisedReals, part_for
from procgen_bench.baselines.parts.sparse_inputs import row_sums
from procgen_bench.baselines.policies.tensors import array_leaves

FLOAT = np.float32


@pytest.mark.parametrize(
    ("leaf", "part", "features"),
    [
        (spaces.Box(0, 255, (72, 96, 3), np.uint8), "Picture", 256),
        (spaces.Box(-np.inf, np.inf, (30,), FLOAT), "NormalisedReals", 30),
        (spaces.Box(0, 2, (7, 7), FLOAT), "Categories", 49 * 3 + 49),
        (spaces.Box(0, 10, (7, 7, 3), np.uint8), "Categories", 147 * 11),
        (spaces.Box(0, 212, (12,), np.int16), "Tokens", 96),
        (spaces.Box(0, 16, (3,), np.int16), "Tokens", 24),
        (spaces.Box(1, 16, (3,), np.int16), "Categories", 48),
        (spaces.Box(-0.15, 0.1, (3, 4), FLOAT), "ScaledReals", 12),
        (spaces.Box(-7, 7, (10,), FLOAT), "Categories", 10 * 15 + 10),
        (spaces.Box(-0.5, 9.5, (2,), FLOAT), "ScaledReals", 2),
        (spaces.Box(0, 1, (24,), FLOAT), "ScaledReals", 24),
    ],
)
def test_parts_are_chosen_by_the_leaf(leaf, part, features):
    chosen = part_for(leaf)
    leaf.seed(0)
    batch = torch.as_tensor(np.stack([leaf.sample() for _ in range(3)]))
    assert type(chosen).__name__ == part and chosen.features == features
    out = chosen(batch)
    assert out.shape == (3, features) and out.dtype == torch.float32


def test_scaled_reals_and_categories_keep_all_that_they_are_given():
    scaled = part_for(spaces.Box(np.array([-1, 0.5], FLOAT), np.array([3, 9.5], FLOAT)))
    assert scaled(torch.tensor([[-1.0, 9.5], [1.0, 5.0]])).tolist() == [[-1, 1], [0, 0]]
    categories = part_for(spaces.Box(0, 2, (1, 2), FLOAT))
    assert categories(torch.tensor([[[0.0, 2.0]]])).tolist() == [[1, 0, 0, 0, 0, 1, -1, 1]]
    heights = categories(torch.tensor([[[0.25, 1.5]]]))
    assert heights.tolist() == [[0, 0, 0, 0, 0, 0, -0.75, 0.5]]


def test_reals_without_bounds_are_normalised_by_all_that_was_seen():
    part, rng = NormalisedReals(spaces.Box(-np.inf, np.inf, (2,), FLOAT)), np.random.default_rng(0)
    seen = rng.normal([1_000, -3], [5, 0.01], (90, 2)).astype(FLOAT)
    for some in np.split(seen, [10, 40]):
        part.update_normaliser(torch.as_tensor(some))
    assert np.allclose(part.mean, seen.mean(axis=0), rtol=1e-5)
    assert np.allclose(part.spread, seen.std(axis=0), rtol=1e-3)
    normal = part(torch.as_tensor(seen))
    assert np.allclose(normal.mean(dim=0), 0, atol=1e-2) and np.allclose(normal.std(dim=0), 1, atol=0.02)
    assert part(torch.full((1, 2), 1e9)).tolist() == [[10, 10]]


def test_memory_is_a_gated_recurrent_unit():
    torch.manual_seed(0)
    ours, theirs = Memory(5, 4), torch.nn.GRUCell(5, 4)
    theirs.load_state_dict(
        {
            "weight_ih": ours.seen.weight,
            "bias_ih": ours.seen.bias,
            "weight_hh": ours.kept.weight,
            "bias_hh": ours.kept.bias,
        }
    )
    features, memory = torch.randn(3, 5), torch.randn(3, 4)
    assert torch.allclose(ours(features, memory), theirs(features, memory), atol=1e-6)


def test_long_memory_is_a_long_short_term_memory():
    torch.manual_seed(0)
    ours, theirs = LongMemory(5, 4), torch.nn.LSTMCell(5, 4)
    theirs.load_state_dict(
        {
            "weight_ih": ours.seen.weight,
            "bias_ih": ours.seen.bias,
            "weight_hh": ours.kept.weight,
            "bias_hh": ours.kept.bias,
        }
    )
    features, known, cells = torch.randn(3, 5), torch.randn(3, 4), torch.randn(3, 4)
    after = ours(features, torch.cat([known, cells], dim=1))
    assert torch.allclose(after, torch.cat(theirs(features, (known, cells)), dim=1), atol=1e-6)
    assert torch.equal(ours.known(after), after[:, :4])


@pytest.mark.parametrize("kind", [Memory, LongMemory])
def test_unrolled_memory_is_memory_step_by_step(kind):
    torch.manual_seed(0)
    memory = kind(5, 4).double()
    features = torch.randn(6, 3, 5, dtype=torch.float64)
    before = torch.randn(3, memory.state_width, dtype=torch.float64)
    going_on = (torch.rand(6, 3, 1) < 0.7).double()
    weights = torch.randn(6, 3, 4, dtype=torch.float64)

    def step_by_step(features):
        kept, after = before, []
        for seen, goes_on in zip(features, going_on):
            kept = memory(seen, kept * goes_on)
            after.append(memory.known(kept))
        return torch.stack(after)

    found = []
    for unroll in (step_by_step, lambda features: memory.unroll(features, before, going_on)):
        memory.zero_grad()
        seen = features.clone().requires_grad_()
        after = unroll(seen)
        (after * weights).sum().backward()
        found.append([after.detach(), seen.grad, *(weight.grad.clone() for weight in memory.parameters())])
    assert (going_on == 0).any() and all(map(torch.allclose, *found))


def test_what_is_fixed_is_prepared_once():
    space = spaces.Dict(
        {
            "coordinates": spaces.Box(-7, 7, (2,), FLOAT),
            "height": spaces.Box(-0.5, 0.5, (3,), FLOAT),
            "speed": spaces.Box(-np.inf, np.inf, (4,), FLOAT),
        }
    )
    space.seed(0)
    observations = {name: torch.as_tensor(array[None]) for name, array in space.sample().items()}
    network = ActorCritic(space, [3], width=8, layers=1, memory=0)
    prepared = network.encoder.prepare(observations)
    assert sorted(array.shape[1] for array in prepared.values()) == [4, 2 * 15 + 2 + 3]
    for ours, theirs in zip(network(observations, torch.zeros(1, 0)), network.read(prepared, torch.zeros(1, 0))):
        assert torch.equal(ours, theirs)


@pytest.fixture(scope="module")
def pages():
    env = gymnasium.make_vec("GMiniWoB-v0", num_envs=3, vectorization_mode="vector_entry_point")
    observations, infos = env.reset(seed=0)
    yield env, {name: torch.as_tensor(array) for name, array in observations.items()}, infos
    env.close()


def test_what_is_on_no_page_is_never_pointed_at(pages):
    env, observations, infos = pages
    sizes = [int(size) for size in env.single_action_space.nvec]
    torch.manual_seed(0)
    network = ActorCritic(env.single_observation_space, sizes, width=16, layers=1, memory=0)
    assert [type(head) for head in network.actor.heads] == [Pointer, Pointer]
    elements, fields = network(observations, torch.zeros(3, 0))[0].split(sizes, dim=1)
    usable = torch.as_tensor(infos["element_mask"]) > 0
    assert torch.equal(fields > -1e6, torch.as_tensor(infos["field_mask"]) > 0)
    assert (elements > -1e6)[usable].all() and not (elements > -1e6).all()
    assert elements[usable].std() > 0


def test_masked_actions_are_never_drawn_and_masks_are_no_features():
    space = spaces.Dict(
        {
            "height": spaces.Box(-0.5, 0.5, (3,), FLOAT),
            "first_mask": spaces.Box(0, 1, (4,), np.int8),
            "other_mask": spaces.Box(0, 1, (2,), np.int8),
            "last_mask": spaces.Box(0, 1, (4,), np.int8),
        }
    )
    assert masks_of(space, [4, 5, 4, 2]) == ["first_mask", "", "last_mask", "other_mask"]
    torch.manual_seed(0)
    network = ActorCritic(space, [4, 5, 4], width=8, layers=1, memory=6)
    assert network.encoder.features == 3
    seen = {
        "height": torch.zeros(2, 3),
        "first_mask": torch.tensor([[1, 0, 0, 1], [0, 0, 0, 0]]),
        "other_mask": torch.ones(2, 2),
        "last_mask": torch.tensor([[0, 1, 0, 0], [1, 1, 1, 1]]),
    }
    outputs, value, _ = network(seen, torch.zeros(2, 6))
    unrolled = {name: array[None] for name, array in network.encoder.prepare(seen).items()}
    unrolled_outputs = network.evaluate(unrolled, torch.zeros(2, 6), torch.ones(1, 2, dtype=torch.bool)).outputs
    assert torch.allclose(outputs, unrolled_outputs, atol=1e-6)
    allowed = torch.cat([seen["first_mask"], torch.ones(2, 5), seen["last_mask"]], dim=1) > 0
    assert torch.equal(outputs > -1e6, allowed)
    actions = MultiDiscreteActions(spaces.MultiDiscrete([4, 5, 4]))
    drawn = np.stack([actions.play(outputs, torch.rand(2, 3)).numpy() for _ in range(200)])
    assert set(drawn[:, 0, 0].tolist()) == {0, 3} and set(drawn[:, 0, 2].tolist()) == {1}
    assert set(drawn[:, 1, 0].tolist()) == {0, 1, 2, 3}, "where nothing is of use, anything will do"
    logs, entropies = actions.evaluate(outputs, torch.as_tensor(drawn[0]))
    assert logs.isfinite().all() and entropies.isfinite().all()
    (value.sum() + outputs.clamp(min=-100).sum() + entropies.sum()).backward()
    assert all(weights.grad.isfinite().all() for weights in network.parameters() if weights.grad is not None)


def test_an_element_attends_to_the_fields(pages):
    env, observations, _ = pages
    torch.manual_seed(0)
    network = ActorCritic(env.single_observation_space, [250, 25], width=16, layers=1, memory=0)
    other = {name: array.clone() for name, array in observations.items()}
    other["field_values"][0, 0, 0] += 1
    before, after = (network.encoder.sets.entities(seen)[250][0] for seen in (observations, other))
    assert not torch.equal(before[0], after[0]) and torch.equal(before[1:], after[1:])


def test_sets_are_leaves_of_integers_that_share_their_first_axis():
    leaves = {
        "tags": spaces.Box(0, 23, (250,), np.int16),
        "texts": spaces.Box(0, 768, (250, 10), np.int16),
        "alone": spaces.Box(0, 768, (25, 10), np.int16),
        "reals": spaces.Box(0, 1, (250,), FLOAT),
        "few": spaces.Box(0, 1, (8,), np.int8),
        "too": spaces.Box(0, 1, (8, 2), np.int8),
    }
    assert {size: list(own) for size, own in entity_sets(leaves).items()} == {250: ["tags", "texts"]}


def test_observations_that_are_no_arrays_are_refused():
    with pytest.raises(TypeError, match=r"^inner is of Dict.*expected Box.*or a flat Dict of these; let the env"):
        array_leaves(spaces.Dict({"inner": spaces.Dict({"deep": spaces.Discrete(3)})}))


def test_places_without_entities_are_left_out(pages):
    env, observations, _ = pages
    torch.manual_seed(0)
    network = ActorCritic(env.single_observation_space, [250, 25], width=16, layers=1, memory=0)
    found = []
    for prepare in (network.encoder.prepare, network.prepare):
        network.zero_grad()
        prepared = prepare(observations)
        outputs, values, _ = network.read(prepared, torch.zeros(3, 0))
        (outputs.clamp(min=-100).sum() + (values**2).sum()).backward()
        found.append([outputs.detach(), values.detach(), *(weights.grad.clone() for weights in network.parameters())])
    assert prepared["tags"].shape[1] < 120 < observations["tags"].shape[1], "pages are not that long"
    assert all(torch.allclose(*pair, atol=1e-5) for pair in zip(*found, strict=True))
    nothing = {name: torch.zeros_like(array) for name, array in observations.items()}
    assert network.read(network.prepare(nothing), torch.zeros(3, 0))[0].isfinite().all()


def test_sums_of_words_are_those_of_the_embedding():
    torch.manual_seed(0)
    words, known = torch.randint(0, 6, (4, 3)), torch.nn.Embedding(6, 5, padding_idx=0)
    expected = known(words).sum(dim=1)
    expected.square().sum().backward()
    gradient = known.weight.grad.clone()
    known.zero_grad()
    sums = row_sums(words.masked_fill(words == 0, 6), known.weight)
    sums.square().sum().backward()
    assert torch.allclose(sums, expected) and torch.allclose(known.weight.grad, gradient)


def test_pictures_are_scaled_to_one_and_words_begin_with_the_least():
    picture, white = part_for(spaces.Box(0, 255, (40, 36, 3), np.uint8)), torch.full((1, 40, 36, 3), 255)
    assert torch.allclose(picture(white), picture.dense(picture.convolutions(torch.ones(1, 3, 40, 36))))
    tokens = part_for(spaces.Box(-4, 30, (2,), np.int16))
    assert torch.equal(tokens(torch.tensor([[-4, 30]])), tokens.words.weight[[0, 34]].flatten()[None])


def test_the_mean_of_a_texts_words_counts_and_no_number_of_them():
    torch.manual_seed(0)
    leaves = {"tags": spaces.Box(0, 1, (16,), np.int8), "texts": spaces.Box(0, 30, (16, 4), np.int16)}
    sets = EntitySets({16: leaves})
    tags, texts = torch.zeros(1, 16, dtype=torch.int8), torch.zeros(1, 16, 4, dtype=torch.int16)
    tags[0, :3] = 1
    texts[0, :3] = torch.tensor([[7, 0, 0, 0], [7, 7, 7, 0], [7, 7, 7, 8]])
    features, present = sets.entities({"tags": tags, "texts": texts})[16]
    assert present[0].tolist() == [True] * 3 + [False] * 13
    assert torch.allclose(features[0, 0], features[0, 1]) and not torch.allclose(features[0, 0], features[0, 2])


def test_absent_entities_are_not_summed_up():
    features = torch.tensor([[[1.0, 8.0], [3.0, 2.0], [9.0, 9.0]], [[5.0, 5.0]] * 3])
    present = torch.tensor([[True, True, False], [False] * 3])
    summary = EntitySets({16: {"tags": spaces.Box(0, 1, (16,), np.int8)}})({16: (features, present)})
    assert summary.tolist() == [[2, 5, 3, 8], [0, 0, 0, 0]]


@pytest.mark.parametrize("categories", [False, True])
def test_whole_numbers_of_no_map_are_numbers_or_categories(categories):
    space = spaces.Dict({"place": spaces.Box(0, 8, (2,), FLOAT), "map": spaces.Box(0, 2, (5, 5), FLOAT)})
    readers = ModalityEncoder(space, categories).readers
    assert {name: type(reader.part).__name__ for name, reader in readers.items()} == {
        "place": "Categories" if categories else "ScaledReals",
        "map": "Categories",
    }
