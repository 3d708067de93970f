"""Convolutions: layers over pictures, whose products may be of half precision."""

import torch
from torch import nn

from procgen_bench.core.errors import InvalidOptionError

SINGLE = "float32"
#: What convolutions may multiply in.
PRECISIONS = (SINGLE, "bfloat16")


class Convolutions(nn.Sequential):
    """Layers (n, C, H, W) -> (n, ...), of which convolutions are most of the work.

    Channels lie last: on a processor, convolutions and pooling of few channels take half the time so.

    Attributes:
        precision: One of :data:`PRECISIONS`. In bfloat16 convolutions multiply numbers of eight binary digits and add
            up in float32, which is faster where the processor can (AVX-512 BF16); weights, what comes out and
            everything behind it are float32 in any case.
    """

    precision = SINGLE

    def __init__(self, *layers: nn.Module):
        super().__init__(*layers)
        self.to(memory_format=torch.channels_last)  # type: ignore[call-overload]  # PyTorch's stubs forget the keyword

    def forward(self, pictures: torch.Tensor) -> torch.Tensor:
        """Pictures float32 (n, C, H, W) -> float32 (n, ...)."""
        if self.precision == SINGLE:
            return super().forward(pictures)
        with torch.autocast(pictures.device.type, torch.bfloat16):
            return super().forward(pictures).float()


def multiply_in(precision: str, network: nn.Module) -> None:
    """Have a network's :class:`Convolutions` multiply in one of :data:`PRECISIONS`: without any, float32 alone."""
    found = [layers for layers in network.modules() if isinstance(layers, Convolutions)]
    if precision != SINGLE and not found:
        raise InvalidOptionError(f"precision is {precision!r}, expected {SINGLE!r}: the network has no convolutions")
    for layers in found:
        layers.precision = precision
