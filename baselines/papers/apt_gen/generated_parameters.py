"""Networks over a task space's parameters: from noise to parameters, and from parameters to a number.

Parameters are points of [0, 1]^d here, see :class:`.ParameterPoints`.
"""

from typing import Any

import torch
from gymnasium import spaces
from torch import nn
from torch.nn import functional

from procgen_bench.baselines.fast.layer_table import AsItIs, Block, LayerTable
from procgen_bench.baselines.fast.modalities import compile_layers
from procgen_bench.baselines.fast.trained_network import CompilableModule
from procgen_bench.baselines.parts.entities import ModulesByName
from procgen_bench.baselines.parts.modality_encoder import CHANNELS, UNITS, ModalityLayers
from procgen_bench.baselines.policies.tensors import Tensors
from procgen_bench.core.task_space import TaskSpace

#: Units of the layer that merges the leaves (APT-Gen, B).
_MERGED = 128


class Generator(CompilableModule):
    """Noise (n, k) -> logits (n, d) of points: dense 64, then every leaf for itself.

    Hidden layers are normalised by the batch. A point depends on the others of its batch, so that those of a generator
    that has not learned differ, too.

    Args:
        space: Whose parameters.
        noise_size: k.
    """

    def __init__(self, space: TaskSpace, noise_size: int):
        super().__init__()
        self.trunk, self.normal = nn.Linear(noise_size, UNITS), nn.BatchNorm1d(UNITS, track_running_stats=False)
        self.heads = nn.ModuleList(_head(leaf, name in space.choices) for name, leaf in space.space.items())

    def forward(self, given: Tensors) -> torch.Tensor:
        """``"noise"`` (n, k) -> logits (n, d)."""
        seen = functional.relu(self.normal(self.trunk(given["noise"])))
        return torch.cat([head(seen) for head in self.heads], dim=1)

    def compile_into(self, table: LayerTable) -> Block:
        """See :meth:`.CompilableModule.compile_into`."""
        noise = table.input("noise", AsItIs(self.trunk.in_features))
        seen = table.normalised(table.dense(noise, self.trunk), self.normal)
        heads: Any = self.heads
        return table.join([head.compile_into(table, copy) for head, copy in zip(heads, table.copies(seen, len(heads)))])


class ParameterValue(CompilableModule):
    """Points by leaf (n, width) -> a number each, (n, 1): what tasks of these parameters are expected to give.

    Every leaf has layers of its own (see :class:`.ModalityLayers`), a layer of 128 units merges them.
    """

    def __init__(self, space: TaskSpace):
        super().__init__()
        self.readers = ModulesByName({name: _reader(leaf, name in space.choices) for name, leaf in space.space.items()})
        self.merge, self.value = nn.Linear(len(self.readers) * UNITS, _MERGED), nn.Linear(_MERGED, 1)

    def forward(self, given: Tensors) -> torch.Tensor:
        """By name (n, width) -> (n, 1)."""
        read = [reader(given[name]) for name, reader in self.readers.items()]
        return self.value(functional.relu(self.merge(torch.cat(read, dim=1))))

    def compile_into(self, table: LayerTable) -> Block:
        """See :meth:`.CompilableModule.compile_into`; the inputs are deep."""
        blocks = []
        for name, reader in self.readers.items():
            assert isinstance(reader, ModalityLayers)
            blocks.append(compile_layers(reader, table, table.input(name, AsItIs(reader.width), deep=True)))
        return table.dense(table.dense(table.join(blocks), self.merge, relu=True), self.value)


class _Vector(nn.Module):
    def __init__(self, width: int):
        super().__init__()
        self.dense = nn.Linear(UNITS, width)

    def forward(self, seen: torch.Tensor) -> torch.Tensor:
        return self.dense(seen)

    def compile_into(self, table: LayerTable, seen: Block) -> Block:
        return table.dense(seen, self.dense)


class _ChoiceMap(nn.Module):
    """A map (H, W) of choices: two transposed convolutions from a quarter of its sides, and one of stride 1.

    The last is a transposed one, too, which is a convolution with its filters turned round.
    """

    def __init__(self, height: int, width: int, categories: int):
        super().__init__()
        self._sides = [(-(-height // part), -(-width // part)) for part in (4, 2, 1)]
        low_height, low_width = self._sides[0]
        self.dense = nn.Linear(UNITS, CHANNELS * low_height * low_width)
        self.normals = nn.ModuleList(nn.BatchNorm2d(CHANNELS, track_running_stats=False) for _ in range(3))
        self.layers = nn.ModuleList(
            nn.ConvTranspose2d(CHANNELS, CHANNELS, 3, stride=2, padding=1, output_padding=1, bias=False)
            for _ in range(2)
        )
        self.last = nn.ConvTranspose2d(CHANNELS, categories, 3, padding=1)

    def forward(self, seen: torch.Tensor) -> torch.Tensor:
        maps = self.dense(seen).unflatten(1, (*self._sides[0], CHANNELS)).permute(0, 3, 1, 2)
        maps = functional.relu(self.normals[0](maps))
        for layer, normal, (height, width) in zip(self.layers, self.normals[1:], self._sides[1:]):
            maps = functional.relu(normal(layer(maps)[:, :, :height, :width]))
        return self.last(maps).permute(0, 2, 3, 1).flatten(1)

    def compile_into(self, table: LayerTable, seen: Block) -> Block:
        block = table.rows(table.dense(seen, self.dense), CHANNELS)
        first: Any = self.normals[0]
        block = table.normalised(block, first)
        layers: Any = zip(self.layers, self.normals[1:], self._sides[1:])
        for layer, normal, sides in layers:
            block = table.normalised(table.transposed_convolution(block, layer, *sides), normal)
        block = table.transposed_convolution(block, self.last, *self._sides[-1])
        return table.flat(block)


def _head(leaf: spaces.Space, is_choice: bool) -> nn.Module:
    if _is_map(leaf, is_choice):
        height, width, categories = leaf.shape or ()
        return _ChoiceMap(height, width, categories)
    return _Vector(spaces.flatdim(leaf))


def _reader(leaf: spaces.Space, is_choice: bool) -> ModalityLayers:
    sides = (leaf.shape or ())[:2] if _is_map(leaf, is_choice) else None
    return ModalityLayers(spaces.flatdim(leaf), sides)


def _is_map(leaf: spaces.Space, is_choice: bool) -> bool:
    return is_choice and len(leaf.shape or ()) == 3
