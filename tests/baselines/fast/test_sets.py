"""Sets of different sizes are pooled, and their gradients are shared, as torch does."""

import numpy as np
import pytest

torch = pytest.importorskip("torch")

from torch import nn  # noqa: E402

from procgen_bench.baselines.fast.compiled_network import CompiledNetwork  # noqa: E402
from procgen_bench.baselines.fast.layer_table import AsItIs  # noqa: E402
from procgen_bench.baselines.fast.passes import backward, enter_chosen, forward, outputs, prepare  # noqa: E402
from procgen_bench.baselines.fast.set_layers import SetTable  # noqa: E402

WIDTH, MOST = 3, 4


class Pooled(nn.Module):
    """Sums and maxima of a dense layer's outputs over rows, and a number beside them."""

    def __init__(self):
        super().__init__()
        self.rows, self.last = nn.Linear(WIDTH, 5), nn.Linear(11, 2)

    def forward(self, sets, beside):
        """Rows (k, width) of every sample, and (n, 1) -> (n, 2)."""
        pooled = []
        for rows in sets:
            made = torch.cat([torch.relu(self.rows(rows)), torch.zeros(1, 5)])
            pooled.append(torch.cat([made.sum(dim=0) / 2, made.amax(dim=0)]))
        return self.last(torch.cat([torch.stack(pooled), beside], dim=1))

    def compiled(self, capacity):
        table = SetTable()
        place = table.set_of(MOST, WIDTH)
        rows = table.pooled(table.dense(table.set_input(place), self.rows, relu=True), divisor=2)
        block = table.dense(table.join([rows, table.input("", AsItIs(1))]), self.last)
        return CompiledNetwork(self, table, block, capacity), place


def written(place, sets, beside):
    """Samples as compiled networks take them; what is not there is not a number."""
    samples = np.full((len(sets), 1 + MOST * WIDTH + 1), np.nan, np.float32)
    for sample, rows in zip(samples, sets, strict=True):
        sample[place.counts] = len(rows)
        sample[place.rows : place.rows + rows.numel()] = rows.ravel()
    samples[:, -1:] = beside
    return samples


@pytest.mark.parametrize("sizes", [(2, 0, 4, 1), (0, 0, 0, 0)], ids=["some", "none"])
def test_sets_of_any_size_are_pooled(sizes):
    torch.manual_seed(0)
    module, beside = Pooled(), torch.randn(4, 1)
    sets = [torch.randn(size, WIDTH) for size in sizes]
    if sizes[0]:
        sets[0][1] = sets[0][0]  # rows that are alike share the gradient of the greatest
    compiled, place = module.compiled(3)
    chosen = np.array([2, 0, 1])
    enter_chosen(compiled.arrays, written(place, sets, beside).ravel(), chosen)
    expected = module([sets[number] for number in chosen], beside[chosen])
    np.testing.assert_allclose(forward(compiled.arrays, 3), expected.detach().numpy(), atol=1e-6)
    gradients = torch.randn(3, 2)
    expected.backward(gradients)
    prepare(compiled.arrays)
    outputs(compiled.arrays, compiled.arrays.cell_gradients, 3)[:] = gradients.numpy()
    backward(compiled.arrays, 3)
    found = compiled.by_parameter(compiled.arrays.parameter_gradients)
    for name, parameter in module.named_parameters():
        np.testing.assert_allclose(found[parameter], parameter.grad.numpy(), atol=1e-6, err_msg=name)
    assert (module.rows.weight.grad != 0).any() == any(sizes)
