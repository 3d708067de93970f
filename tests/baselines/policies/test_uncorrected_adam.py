"""Adam with the epsilon of older libraries: beside the formula, beside PyTorch's, and going on."""

import numpy as np
import pytest
import torch

from procgen_bench.baselines.policies.tensors import UncorrectedAdam, optimizer_arrays, restore_optimizer

RATE, EPSILON, BETAS = 1e-3, 1e-3, (0.9, 0.999)


def gradients(steps: int) -> np.ndarray:
    return 1e-3 * np.random.default_rng(0).standard_normal((steps, 5)).astype(np.float32)


def stepped(optimizer: torch.optim.Optimizer, parameter: torch.Tensor, of_steps: np.ndarray) -> np.ndarray:
    for gradient in of_steps:
        parameter.grad = torch.as_tensor(gradient)
        optimizer.step()
    return parameter.detach().numpy().copy()


def by_formula(of_steps: np.ndarray, corrected: bool) -> np.ndarray:
    """Algorithm 1 of Kingma and Ba (2015), and, with ``corrected`` false, the order of its section 2's last remark."""
    value, first, second = np.zeros((3, of_steps.shape[1]))
    for step, gradient in enumerate(of_steps.astype(np.float64), 1):
        first = BETAS[0] * first + (1 - BETAS[0]) * gradient
        second = BETAS[1] * second + (1 - BETAS[1]) * gradient**2
        bias1, bias2 = 1 - BETAS[0] ** step, 1 - BETAS[1] ** step
        root = np.sqrt(second / bias2) + EPSILON if corrected else (np.sqrt(second) + EPSILON) / np.sqrt(bias2)
        value -= RATE * first / bias1 / root
    return value


@pytest.mark.parametrize("steps", [1, 30, 2_000])
def test_it_is_the_formula(steps):
    parameter = torch.nn.Parameter(torch.zeros(5))
    after = stepped(UncorrectedAdam([parameter], RATE, EPSILON), parameter, gradients(steps))
    assert after == pytest.approx(by_formula(gradients(steps), corrected=False), rel=1e-3, abs=1e-8)


def test_pytorchs_takes_longer_steps_at_first():
    parameter, downhill = torch.nn.Parameter(torch.zeros(5)), np.abs(gradients(30))
    after = stepped(torch.optim.Adam([parameter], lr=RATE, eps=EPSILON), parameter, downhill)
    assert after == pytest.approx(by_formula(downhill, corrected=True), rel=1e-3, abs=1e-8)
    assert (after < 3 * by_formula(downhill, corrected=False)).all()


def test_it_goes_on_from_its_arrays():
    whole = torch.nn.Parameter(torch.zeros(5))
    expected = stepped(UncorrectedAdam([whole], RATE, EPSILON), whole, gradients(40))
    parameter = torch.nn.Parameter(torch.zeros(5))
    first = UncorrectedAdam([parameter], RATE, EPSILON)
    stepped(first, parameter, gradients(40)[:25])
    second = UncorrectedAdam([parameter], RATE, EPSILON)
    restore_optimizer(second, optimizer_arrays(first))
    assert stepped(second, parameter, gradients(40)[25:]).tolist() == expected.tolist()
