"""The engine's list of names that modules cannot have, against torch's own."""

from torch import nn

from procgen_bench.engine.observation_keys import MODULE_ATTRIBUTES


def test_list_holds_every_public_attribute_of_a_module_dict():
    missing = {name for name in dir(nn.ModuleDict()) if not name.startswith("_")} - MODULE_ATTRIBUTES
    assert not missing, f"torch.nn.ModuleDict also has {sorted(missing)}: add them to MODULE_ATTRIBUTES"
