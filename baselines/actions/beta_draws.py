"""Draws from Beta distributions as a function of uniform noise: no generator, so that it can be exported."""

import math

import torch

#: Candidates for each draw, of which the first that is accepted is taken. For shapes above 1, each is with a
#: probability of more than 0.95, so all are refused once in 10^10 draws; then the most likely candidate is taken.
_CANDIDATES = 8
#: Of every candidate: two uniform numbers for two normal ones, and two for their acceptance.
NOISE_PER_DRAW = 4 * _CANDIDATES


def beta_draws(alpha: torch.Tensor, beta: torch.Tensor, noise: torch.Tensor) -> torch.Tensor:
    """Draws (n, k) from Beta(alpha, beta): the share of one gamma variate in the sum of two.

    Args:
        alpha: (n, k), more than 1.
        beta: Likewise.
        noise: (n, ``NOISE_PER_DRAW`` * k), uniform in [0, 1).
    """
    uniform = noise.reshape(-1, 4, alpha.shape[1], _CANDIDATES)
    radius = torch.sqrt(-2 * torch.log(1 - uniform[:, 0]))  # Box and Muller
    angle = 2 * math.pi * uniform[:, 1]
    first = _gamma_draws(alpha, radius * torch.cos(angle), uniform[:, 2])
    second = _gamma_draws(beta, radius * torch.sin(angle), uniform[:, 3])
    return first / (first + second)


def _gamma_draws(shape: torch.Tensor, normal: torch.Tensor, uniform: torch.Tensor) -> torch.Tensor:
    """Draws (n, k) from Gamma(shape, 1) by Marsaglia and Tsang's method, from candidates (n, k, c)."""
    scale = (shape - 1 / 3)[:, :, None]
    root = 1 + normal / torch.sqrt(9 * scale)
    cube = root * root * root
    tested = torch.log(1 - uniform) < 0.5 * normal * normal + scale * (1 - cube + torch.log(cube.clamp(min=1e-30)))
    accepted = (tested & (root > 0)).float()
    chosen = torch.gather(cube, 2, accepted.argmax(dim=2, keepdim=True))
    found = accepted.amax(dim=2, keepdim=True) > 0
    return (scale * torch.where(found, chosen, 1.0))[:, :, 0]
