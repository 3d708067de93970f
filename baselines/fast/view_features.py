"""ViewFeatures: a :class:`.ViewNetwork` in a table of layers."""

from collections.abc import Mapping

import numpy as np
from torch import nn

from procgen_bench.baselines.fast.coded_features import is_codable
from procgen_bench.baselines.fast.inputs import ChannelWriter, FeatureWriter
from procgen_bench.baselines.fast.layer_table import Block, LayerTable, Writer
from procgen_bench.baselines.parts.encoders import OwnEncoder
from procgen_bench.baselines.parts.observation_parts import Part
from procgen_bench.baselines.parts.view_network import ViewNetwork, ViewReader


class ViewFeatures:
    """Turns observations into numbers, of which compiled layers make what the network does.

    Args:
        network: One that :func:`is_compilable_view`, without what is around it.
    """

    def __init__(self, network: ViewNetwork):
        self._network = network
        self._writers: dict[str, Writer] = {}

    def compile_into(self, table: LayerTable, linear: nn.Linear, relu: bool = True) -> Block:
        """Write the network into a table, with inputs by the leaves' names, and what a linear module makes of it."""
        blocks = [_view_block(name, reader, table) for name, reader in self._network.pictures.items()]
        for name, part in self._network.rest.parts.items() if self._network.rest else ():
            assert isinstance(part, Part)
            blocks.append(table.ones(table.input(name, FeatureWriter(part))))
        self._writers = {name: writer for name, (writer, _) in table.inputs.items()}
        return table.dense(table.join(blocks), linear, relu)

    def encode(self, observations: Mapping[str, np.ndarray]) -> np.ndarray:
        """Observations by name (n, ...) -> float32 (n, width): categories' numbers, and reals."""
        count = len(next(iter(observations.values())))
        written, column = np.empty((count, sum(own.width for own in self._writers.values())), np.float32), 0
        for name, writer in self._writers.items():
            writer.write(observations[name], written[:, column : column + writer.width])
            column += writer.width
        return written


def is_compilable_view(encoder: object) -> bool:
    """Whether an encoder is a :class:`.ViewNetwork` that reads pictures of categories, categories and reals alone."""
    own = encoder.own if isinstance(encoder, OwnEncoder) else None
    return isinstance(own, ViewNetwork) and (own.rest is None or is_codable(own.rest))


def _view_block(name: str, reader: ViewReader, table: LayerTable) -> Block:
    (height, width), part = reader.sides, reader.part
    depth = part.num_ones // (height * width * len(part.values))
    cells = table.rows(table.input(name, ChannelWriter(depth, part.least, len(part.values), height * width)), depth)
    return table.flat(table.looked_up(cells, reader.convolution, height, width, relu=True))
