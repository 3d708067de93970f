"""Which names observations may have: other people's code keeps them beside names of its own."""

import keyword
from collections.abc import Iterator

from gymnasium import spaces

from procgen_bench.core.errors import InvalidSpaceError

_ATTRIBUTES = """
    T_destination add_module apply bfloat16 buffers call_super_init children clear compile cpu cuda double dump_patches
    eval extra_repr float forward get_buffer get_extra_state get_parameter get_submodule half ipu items keys
    load_state_dict modules mtia named_buffers named_children named_modules named_parameters parameters pop
    register_backward_hook register_buffer register_forward_hook register_forward_pre_hook register_full_backward_hook
    register_full_backward_pre_hook register_load_state_dict_post_hook register_load_state_dict_pre_hook register_module
    register_parameter register_state_dict_post_hook register_state_dict_pre_hook requires_grad_ set_extra_state
    set_submodule share_memory state_dict to to_empty train training type update values xpu zero_grad
"""
#: Public attributes of ``torch.nn.ModuleDict``, which refuses modules of these names: encoders keep one for each key.
MODULE_ATTRIBUTES = frozenset(_ATTRIBUTES.split())
_WORDS = "action batch_size collector device done is_init names next reward step_count terminated truncated"
#: What TorchRL keeps beside the observations of a step, and what a ``TensorDict`` is made with.
TENSORDICT_WORDS = frozenset(_WORDS.split())
#: Inputs and outputs of exported policies that are no observations (``baselines/policies/onnx/form.py``).
_POLICY_INPUTS = frozenset({"noise"})
_POLICY_PREFIXES = ("state_in_", "state_out_")


def check_observation_keys(space: spaces.Space) -> None:
    """Raise :class:`InvalidSpaceError` where a key of an observation space, nested ones too, cannot be used everywhere.

    A key is a Python identifier that does not begin with an underscore. It is no keyword and none of the words above.
    """
    for key in _keys(space):
        if (fault := _fault(key)) is not None:
            raise InvalidSpaceError(f"observation key {key!r} {fault}; rename it")


def _keys(space: spaces.Space) -> Iterator[object]:
    if isinstance(space, spaces.Dict):
        for key, part in space.items():
            yield key
            yield from _keys(part)
    elif isinstance(space, spaces.Tuple):
        for part in space:
            yield from _keys(part)


def _fault(key: object) -> str | None:
    if not isinstance(key, str) or not key.isidentifier() or key.startswith("_"):
        return "is no Python identifier that begins with a letter"
    if keyword.iskeyword(key):
        return "is a keyword of Python"
    if key in MODULE_ATTRIBUTES:
        return "is an attribute of torch.nn.ModuleDict, which other people's encoders keep observations in"
    if key in TENSORDICT_WORDS:
        return "is a name that TorchRL and TensorDict use for something else"
    if key in _POLICY_INPUTS or key.startswith(_POLICY_PREFIXES):
        return "is the name of an exported policy's own input or output"
    return None
