"""Functions of torch as they are written: the graph computes what torch does, also for more rows than were traced."""

import numpy as np
import pytest
import torch
from torch import nn
from torch.nn import functional

from procgen_bench.baselines.policies.onnx.export import functions  # noqa: F401 - registers how they are written
from procgen_bench.baselines.policies.onnx.export.graph import Graph
from procgen_bench.baselines.policies.onnx.export.tracing import Traced, UntranslatedError, Writer
from procgen_bench.baselines.policies.onnx.form import Column
from procgen_bench.baselines.policies.onnx.sandbox.loaded_model import new_session

ROWS = 5
COLUMNS = [
    Column("x", "float32", (6,)),
    Column("y", "float32", (6,)),
    Column("k", "int64", (3,)),
    Column("image", "uint8", (9, 8, 3)),
]


def arrays(rows):
    rng = np.random.default_rng(0)
    return {
        "x": rng.normal(size=(rows, 6)).astype(np.float32),
        "y": rng.uniform(0.1, 3, size=(rows, 6)).astype(np.float32),
        "k": rng.integers(-4, 5, (rows, 3)),
        "image": rng.integers(0, 256, (rows, 9, 8, 3), np.uint8),
    }


def written(function, rows=2):
    """The bytes of a function's graph, traced with some rows."""
    graph = Graph()
    writer, given = Writer(graph), {name: torch.as_tensor(array) for name, array in arrays(rows).items()}
    traced = [writer.traced(given[column.name], graph.input(column)) for column in COLUMNS]
    with torch.no_grad():
        result = function(*traced)
    assert isinstance(result, Traced)
    graph.output(Column("action", str(result.dtype).removeprefix("torch."), tuple(result.shape[1:])), result.place)
    return graph.to_bytes({})


def layers(*modules):
    torch.manual_seed(0)
    return nn.Sequential(*modules)


torch.manual_seed(0)
TABLE = torch.randn(6)
LINEAR, EMBEDDING, NORM = nn.Linear(6, 4), nn.Embedding(9, 2), nn.LayerNorm(6)
CONVOLUTIONS = nn.Sequential(
    nn.Conv2d(3, 4, 3, padding=1),
    nn.MaxPool2d(2, ceil_mode=True),
    nn.ReLU(),
    nn.Conv2d(4, 2, 3, stride=2),
    nn.Flatten(),
)

FUNCTIONS = {
    "arithmetic": lambda x, y, k, i: (x + y) * 2 - x / y + (1 - x) * (3 + y) - 5 / y + TABLE * x - (TABLE - y),
    "integers": lambda x, y, k, i: (k + 8 - 2 * k) % 8,
    "integers and reals": lambda x, y, k, i: k / 2 + x[:, :3] * k,
    "ends": lambda x, y, k, i: torch.minimum(torch.maximum(x, TABLE), y) + x.clamp(-0.5, 0.5) + y.clamp(max=1.0),
    "comparisons": lambda x, y, k, i: ((x < y) & (x >= 0) | ~(y > 1.5) | (x == y)).float() - (x <= TABLE).float(),
    "choices": lambda x, y, k, i: torch.where(x > 0, y, 1.0) + torch.where(k[:, :1] == 2, 5, x),
    "whole choices": lambda x, y, k, i: torch.where(k > 0, 2, torch.where(k < -2, 7, k)),
    "curves": lambda x, y, k, i: (
        x.tanh() + torch.sigmoid(x) + x.exp() + y.log() + y.sqrt() + x.abs() + x.sin() + x.cos()
    ),
    "powers": lambda x, y, k, i: y**2 - (-x),
    "softplus": lambda x, y, k, i: functional.softplus(30 * x),
    "chances": lambda x, y, k, i: torch.softmax(x.double(), dim=1).cumsum(dim=1),
    "draws": lambda x, y, k, i: (torch.softmax(x.double(), dim=1).cumsum(dim=1) <= y[:, :1] / 3).sum(dim=1),
    "the best": lambda x, y, k, i: x.argmax(dim=1),
    "the greatest": lambda x, y, k, i: (
        x.reshape(-1, 2, 3).amax(dim=2, keepdim=True) + y.view(-1, 2, 3).sum(dim=2, keepdim=True)
    ),
    "a best kept": lambda x, y, k, i: x.reshape(-1, 2, 3).argmax(dim=2, keepdim=True),
    "gathering": lambda x, y, k, i: torch.gather(x, 1, (k + 8) % 6),
    "products": lambda x, y, k, i: x @ TABLE[:, None],
    "linear": lambda x, y, k, i: functional.relu(LINEAR(x)),
    "linear of three axes": lambda x, y, k, i: LINEAR(x[:, None].transpose(0, 1).transpose(1, 0)),
    "linear without a bias": lambda x, y, k, i: functional.linear(x[:, None], LINEAR.weight),
    "split": lambda x, y, k, i: torch.cat(x.split([1, x.shape[1] - 1], dim=1)[::-1], dim=1),
    "normalisation": lambda x, y, k, i: NORM(x),
    "lookup": lambda x, y, k, i: EMBEDDING(k + 4).flatten(1),
    "pictures": lambda x, y, k, i: CONVOLUTIONS(i.permute(0, 3, 1, 2).float() / 255),
    "joining": lambda x, y, k, i: torch.cat([x, y[:, 2:4], k.float()], dim=1),
    "parts": lambda x, y, k, i: (lambda a, b: a * 10 + b)(*x.chunk(2, dim=1)),
    "cuts": lambda x, y, k, i: x[:, 1:4] + x[:, -3:] + x[:, 2][:, None] + x[..., -1:] + y[:, None, :3][:, 0],
    "axes": lambda x, y, k, i: i[:, 3, ..., 1].float() + x[:, None, 0],
    "a new last axis": lambda x, y, k, i: x[..., None].unsqueeze(1),
    "kinds": lambda x, y, k, i: x.long().to(torch.float64) + k[:, :1].double() + x.bool().int(),
}


@pytest.mark.parametrize("name", FUNCTIONS)
def test_the_graph_computes_what_torch_does(name):
    function = FUNCTIONS[name]
    file = written(function)
    assert file == written(function, rows=3)
    given = arrays(ROWS)
    with torch.no_grad():
        expected = function(*map(torch.as_tensor, given.values())).numpy()
    found = new_session(file).run(["action"], given)[0]
    assert (found.dtype, found.shape) == (expected.dtype, expected.shape)
    assert np.allclose(found, expected, rtol=1e-5, atol=1e-5)
    assert np.ptp(found) > 0


@pytest.mark.parametrize(
    ("function", "message"),
    [
        (lambda x, y, k, i: torch.erf(x), r"calls torch.*erf, which is not written as ONNX: add it to"),
        (lambda x, y, k, i: x.add_(1), "calls torch.*add_, which is not written as ONNX"),
        (lambda x, y, k, i: x[:, ::2], r"takes \[slice\(None, None, 2\)\] of a tensor"),
        (lambda x, y, k, i: x[k[:, 0]], "of a tensor, which is not written as ONNX"),
        (lambda x, y, k, i: functional.relu(x, inplace=True), "gives inplace = True to a function"),
        (lambda x, y, k, i: x.flatten(), "flattens axes 0 to -1, expected all but the rows'"),
    ],
)
def test_what_is_not_written_is_named(function, message):
    with pytest.raises(UntranslatedError, match=message) as caught:
        written(function)
    assert "\n" not in str(caught.value)
