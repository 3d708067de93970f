"""Compiled learners beside torch's: gradients and updates of one are those of the other."""

import numpy as np
import pytest


def assert_gradients_agree(ours, theirs, within: float, least: float = 1e-4) -> None:
    """The last gradients differ by at most ``within`` of a parameter's largest one, or of 1; none is below ``least``.

    Args:
        ours: A learner in compiled code, after an update.
        theirs: The same learner in torch, after the same update.
        within: Tolerance.
        least: What the largest gradient of each parameter has to exceed, so that there is something to compare.
    """
    compiled = ours.compiled._network
    found = compiled.by_parameter(compiled.arrays.parameter_gradients)
    for (name, own), other in zip(ours.network.named_parameters(), theirs.network.parameters(), strict=True):
        largest = float(other.grad.abs().max())
        assert largest > least, name
        np.testing.assert_allclose(found[own], other.grad.numpy(), atol=within * max(1.0, largest), err_msg=name)


def assert_updates_agree(ours, theirs, rollout, relative: float, within: float) -> None:
    """Two updates measure the same to ``relative``, move every weight, and leave the same weights to ``within``."""
    before = {name: array.copy() for name, array in ours.policy_weights().items()}
    moved = dict.fromkeys(before, 0.0)
    for _ in range(2):
        assert ours.update(rollout) == pytest.approx(theirs.update(rollout), rel=relative, abs=1e-4)
        for name, weights in ours.policy_weights().items():
            moved[name] = max(moved[name], float(np.abs(weights - before[name]).max()))
    for name, weights in ours.policy_weights().items():
        np.testing.assert_allclose(weights, theirs.policy_weights()[name], rtol=1e-3, atol=within, err_msg=name)
        assert moved[name] > 5e-4, name  # more than the tolerance
