"""Networks read observations and parameters whatever their names, those of a dict of modules too."""

import numpy as np
import pytest
import torch
from gymnasium import spaces
from torch import nn

from procgen_bench.baselines.parts.encoders import SpaceEncoder
from procgen_bench.baselines.parts.entities import ModulesByName
from procgen_bench.baselines.parts.modality_encoder import ModalityEncoder

SPACE = spaces.Dict({name: spaces.Box(-1, 1, (3,), np.float32) for name in ("keys", "values", "type", "training")})


@pytest.mark.parametrize("encoder_type", [ModalityEncoder, SpaceEncoder])
def test_any_name_is_read(encoder_type):
    encoder, seen = encoder_type(SPACE), {name: torch.rand(2, 3) for name in SPACE}
    features, _ = encoder(seen)
    assert features.shape == (2, encoder.features)
    for name in SPACE:
        changed, _ = encoder(seen | {name: torch.rand(2, 3)})
        assert not torch.equal(changed, features), name


def test_weights_are_kept_under_their_names():
    modules = ModulesByName({"values": nn.Linear(1, 1), "other": nn.Linear(1, 1)})
    plain = nn.ModuleDict({"other": nn.Linear(1, 1)})
    assert {name for name in modules.state_dict() if name.startswith("other")} == set(plain.state_dict())
    assert [name for name, _ in modules.named_children()] == ["values", "other"]
