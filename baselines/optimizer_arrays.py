"""What optimisers remember, as arrays."""

import torch

from procgen_bench.baselines.named_arrays import Arrays


def optimizer_arrays(optimizer: torch.optim.Optimizer) -> Arrays:
    """What an optimiser remembers of every parameter, by ``"index.name"``."""
    return {
        f"{index}.{name}": torch.as_tensor(value).cpu().numpy().copy()
        for index, state in optimizer.state_dict()["state"].items()
        for name, value in state.items()
    }


def restore_optimizer(optimizer: torch.optim.Optimizer, arrays: Arrays) -> None:
    """Let an optimiser of the same parameters remember what :func:`optimizer_arrays` returned."""
    parameters = [parameter for group in optimizer.param_groups for parameter in group["params"]]
    state: dict[int, dict[str, torch.Tensor]] = {}
    for name, array in arrays.items():
        index, _, part = name.partition(".")
        state.setdefault(int(index), {})[part] = _laid_out_as(parameters[int(index)], torch.as_tensor(array))
    optimizer.load_state_dict({"state": state, "param_groups": optimizer.state_dict()["param_groups"]})


def _laid_out_as(parameter: torch.Tensor, values: torch.Tensor) -> torch.Tensor:
    """The values in the parameter's memory format (channels last, say), which fused optimisers take for granted."""
    return torch.empty_like(parameter).copy_(values) if values.shape == parameter.shape else values
