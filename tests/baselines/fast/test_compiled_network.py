"""Compiled networks compute what torch computes with the same parameters, forwards, backwards and in Adam's steps."""

from copy import deepcopy

import numpy as np
import pytest
from gymnasium import spaces

from procgen_bench.core.registrations import make_task_space

torch = pytest.importorskip("torch")

from torch import nn  # noqa: E402

from procgen_bench.baselines.fast.adam import CompiledAdam  # noqa: E402
from procgen_bench.baselines.fast.compiled_network import CompiledNetwork  # noqa: E402
from procgen_bench.baselines.fast.inputs import FeatureWriter  # noqa: E402
from procgen_bench.baselines.fast.layer_table import AsItIs, LayerTable  # noqa: E402
from procgen_bench.baselines.fast.modalities import compile_encoder  # noqa: E402
from procgen_bench.baselines.fast.trained_network import CompilableModule, TrainedNetwork  # noqa: E402
from procgen_bench.baselines.papers.apt_gen.generated_parameters import Generator, ParameterValue  # noqa: E402
from procgen_bench.baselines.papers.apt_gen.task_discriminator import StateScore, StepScore  # noqa: E402
from procgen_bench.baselines.parts.modality_encoder import ModalityEncoder  # noqa: E402
from procgen_bench.baselines.parts.observation_parts import Categories, NormalisedReals, ScaledReals  # noqa: E402

ROWS = 24
OBSERVATIONS = spaces.Dict(
    {
        "map": spaces.Box(0, 2, (7, 5), np.float32),
        "deep": spaces.Box(0, 3, (4, 6, 2), np.uint8),
        "place": spaces.Box(1, 8, (2,), np.float32),
        "heights": spaces.Box(-0.15, 0.1, (3, 4), np.float32),
        "speed": spaces.Box(-np.inf, np.inf, (3,), np.float32),
        "kinds": spaces.Box(2, 5, (3,), np.uint8),
    }
)
SPACES = ("GridWorld-v0", "TablePush-v0", "SparsePointMaze-v0", "VoxelBuild-v0")


def observations(rng, prefix=""):
    drawn = {name: np.stack([_drawn(leaf, rng) for _ in range(ROWS)]) for name, leaf in OBSERVATIONS.items()}
    return {prefix + name: array for name, array in drawn.items()}


def _drawn(leaf, rng):
    if np.isinf(leaf.low).any():
        return rng.normal(0, 5, leaf.shape).astype(leaf.dtype)
    if (leaf.low == np.round(leaf.low)).all():
        return rng.integers(leaf.low, leaf.high + 1).astype(leaf.dtype)
    return rng.uniform(leaf.low, leaf.high).astype(leaf.dtype)


def of_points(space, rng):
    return {name: rng.random((ROWS, spaces.flatdim(leaf)), np.float32) for name, leaf in space.space.items()}


def state_score(rng):
    return StateScore(OBSERVATIONS), observations(rng)


def step_score(rng):
    given = observations(rng, "before.") | observations(rng, "after.")
    given |= {"action": rng.random((ROWS, 4), np.float32), "reward": rng.random((ROWS, 1), np.float32)}
    return StepScore(OBSERVATIONS, 4), given


def generator(environment_id):
    def made(rng):
        return Generator(make_task_space(environment_id), 10), {"noise": rng.standard_normal((ROWS, 10), np.float32)}

    return made


def value(environment_id):
    def made(rng):
        space = make_task_space(environment_id)
        return ParameterValue(space), of_points(space, rng)

    return made


NETWORKS = [pytest.param(state_score, id="state"), pytest.param(step_score, id="step")]
NETWORKS += [pytest.param(made(name), id=f"{made.__name__} {name}") for name in SPACES for made in (generator, value)]


@pytest.mark.parametrize("made", NETWORKS)
def test_it_goes_forwards_backwards_and_down_as_torch_does(made):
    rng = np.random.default_rng(0)
    torch.manual_seed(0)
    module, given = made(rng)
    assert isinstance(module, CompilableModule) and module.is_compilable
    twin = deepcopy(module)
    adam = torch.optim.Adam(twin.parameters(), 1e-3)
    network = TrainedNetwork(module, 1e-3, ROWS + 8)
    compiled = network._passes._network
    for count in (ROWS, ROWS // 2, ROWS):
        part = {name: array[:count] for name, array in given.items()}
        outputs = twin({name: torch.as_tensor(array) for name, array in part.items()})
        np.testing.assert_allclose(network.forward(part), outputs.detach().numpy(), rtol=1e-4, atol=1e-5)
        gradients = rng.standard_normal(outputs.shape, np.float32)
        adam.zero_grad()
        outputs.backward(torch.as_tensor(gradients))
        network.learn(gradients)
        for (name, own), (_, others) in zip(module.named_parameters(), twin.named_parameters(), strict=True):
            begin = (own.data_ptr() - compiled.arrays.parameters.ctypes.data) // 4
            gradient = (
                torch.from_numpy(compiled.arrays.parameter_gradients).as_strided(own.shape, own.stride(), begin).numpy()
            )
            largest = max(1.0, float(others.grad.abs().max()))
            np.testing.assert_allclose(gradient, others.grad.numpy(), atol=1e-5 * largest, err_msg=name)
        with torch.no_grad():  # a gradient of nearly nothing, divided by its root, may have either sign
            adam.step()
            for own, others in zip(module.parameters(), twin.parameters(), strict=True):
                others.copy_(own)


@pytest.mark.parametrize("environment_id", SPACES)
def test_gradients_of_what_is_given(environment_id):
    rng = np.random.default_rng(0)
    module, given = value(environment_id)(rng)
    tensors = {name: torch.tensor(array, requires_grad=True) for name, array in given.items()}
    module(tensors).sum().backward()
    network = TrainedNetwork(module, 1e-3, ROWS)
    network.forward(given)
    for name, gradients in zip(
        given, network.input_gradients(list(given), np.ones((ROWS, 1), np.float32)), strict=True
    ):
        np.testing.assert_allclose(gradients, tensors[name].grad.numpy(), atol=1e-6)


def one_layer():
    """A network of 50 parameters as compiled code knows it, and the parameters."""
    linear, table = nn.Linear(9, 5), LayerTable()
    arrays = CompiledNetwork(linear, table, table.dense(table.input("given", AsItIs(9)), linear), 1).arrays
    return arrays, arrays.parameters


@pytest.mark.parametrize("decay", [0.0, 2.0])
def test_adam_is_torchs(decay):
    rng = np.random.default_rng(0)
    (arrays, own), (others, twin) = (one_layer() for _ in range(2))
    own[:] = twin[:] = rng.standard_normal(50, np.float32)
    parameter = nn.Parameter(torch.tensor(own))
    torchs, ours = torch.optim.AdamW([parameter], 0.01, weight_decay=decay), CompiledAdam(arrays, 0.01, 3.0, decay)
    for scale in (0.1, 10.0, 1e-3, 1.0):
        gradient = scale * rng.standard_normal(50, np.float32)
        parameter.grad = torch.tensor(gradient)
        nn.utils.clip_grad_norm_([parameter], 3.0)
        torchs.step()
        arrays.parameter_gradients[:] = gradient
        ours.step()
        np.testing.assert_allclose(own, parameter.detach().numpy(), rtol=1e-5, atol=1e-6)
    again = CompiledAdam(others, 0.01, 3.0, decay)
    again.restore({name: array.copy() for name, array in ours.state().items()})
    twin[:], others.parameter_gradients[:] = own, gradient
    ours.step()
    again.step()
    np.testing.assert_array_equal(own, twin)


@pytest.mark.parametrize(
    "part",
    [
        Categories(spaces.Box(-7, 7, (10,), np.float32)),
        Categories(spaces.Box(0, 2, (7, 7), np.float32), scaled=False),
        ScaledReals(spaces.Box(-0.15, 0.1, (3, 4), np.float32)),
        NormalisedReals(spaces.Box(-np.inf, np.inf, (6,), np.float32)),
    ],
    ids=["categories of reals", "map", "reals", "without bounds"],
)
def test_features_are_written_as_the_part_makes_them(part):
    rng = np.random.default_rng(0)
    size = part.num_ones // len(part.values) if isinstance(part, Categories) else part.features
    values = rng.integers(-8, 9, (5, size)).astype(np.float32) + np.float32(0.5) * (rng.random((5, size)) < 0.2)
    writer = FeatureWriter(part)
    written = np.full((5, writer.width), np.nan, np.float32)
    writer.write(values, written)
    if writer.categories:
        written = (written[:, :, np.newaxis] == np.arange(writer.categories)).reshape(5, -1)
    np.testing.assert_array_equal(written, part(torch.as_tensor(values)).numpy())


def test_words_and_pictures_are_left_to_torch():
    words = spaces.Dict({"words": spaces.Box(0, 99, (4,), np.int64), "place": spaces.Box(0.0, 1.0, (2,))})
    module = StateScore(words)
    assert not module.is_compilable
    twin, network = deepcopy(module), TrainedNetwork(module, 1e-3, ROWS)
    given = {"words": np.arange(8).reshape(2, 4), "place": np.zeros((2, 2), np.float32)}
    outputs = twin({name: torch.as_tensor(array) for name, array in given.items()})
    np.testing.assert_array_equal(network.forward(given), outputs.detach().numpy())
    network.learn(np.ones((2, 1), np.float32))
    assert (network.forward(given) < outputs.detach().numpy()).all()
    again = TrainedNetwork(StateScore(words), 1e-3, ROWS)
    again.restore(network.state())
    np.testing.assert_array_equal(again.forward(given), network.forward(given))


def test_what_torch_changes_the_compiled_network_sees():
    module = StateScore(OBSERVATIONS)
    network, given = TrainedNetwork(module, 1e-3, ROWS), observations(np.random.default_rng(0))
    before = network.forward(given).copy()
    with torch.no_grad():
        module.score.bias += 1
    np.testing.assert_allclose(network.forward(given), before + 1, rtol=1e-6)


def test_a_leaf_has_layers_of_its_own():
    encoder = ModalityEncoder(OBSERVATIONS)
    assert encoder.features == 64 * len(OBSERVATIONS)
    convolutions = {name: len(reader.layers.convolutions) for name, reader in encoder.readers.items()}
    assert convolutions == {"map": 2, "deep": 2, "place": 0, "heights": 0, "speed": 0, "kinds": 0}
    table = LayerTable()
    assert compile_encoder(encoder, table).width == encoder.features
    assert set(table.inputs) == set(OBSERVATIONS)
