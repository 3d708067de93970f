import numpy as np
import torch
from gymnasium import spaces

from procgen_bench.baselines.parts.bonuses.dense_encoder import DenseEncoder

SPACE = spaces.Dict({"place": spaces.Box(0, 5, (2,), np.float32), "speed": spaces.Box(-0.5, 0.5, (3,), np.float32)})


def test_it_is_the_parts_and_one_rectified_layer():
    torch.manual_seed(0)
    encoder = DenseEncoder(SPACE, 16)
    seen = {"place": torch.randint(0, 6, (50, 2)).float(), "speed": torch.rand(50, 3) - 0.5}
    expected = torch.relu(encoder.dense(encoder.parts(seen)[0]))
    assert encoder.features == 16 and (expected == 0).any()
    assert torch.allclose(encoder(seen), expected, atol=1e-6)
