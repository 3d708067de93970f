"""Torch draws by a NumPy generator, and its own generators stay as they are."""

import numpy as np
import torch

from procgen_bench.baselines.policies.tensors import torch_seeded_from


def test_torch_draws_by_a_generator_and_its_own_goes_on():
    state = torch.get_rng_state()
    with torch_seeded_from(np.random.default_rng(3), torch.device("cpu")):
        drawn = torch.rand(4)
    assert torch.equal(torch.get_rng_state(), state)
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(int(np.random.default_rng(3).integers(2**63)))
        assert torch.equal(torch.rand(4), drawn)
