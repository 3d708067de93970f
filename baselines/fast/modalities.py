"""APT-Gen's encoder in a table of layers."""

from torch import nn

from procgen_bench.baselines.fast.inputs import FeatureWriter
from procgen_bench.baselines.fast.layer_table import Block, LayerTable
from procgen_bench.baselines.parts.modality_encoder import LeafReader, ModalityEncoder, ModalityLayers


def compile_encoder(encoder: ModalityEncoder, table: LayerTable, prefix: str = "") -> Block:
    """Write the layers into a table, whose inputs are the leaves' names behind ``prefix``; returns the features.

    Args:
        encoder: One that is compilable.
        table: Written to.
        prefix: Before the names.
    """
    blocks = []
    for name, reader in encoder.readers.items():
        assert isinstance(reader, LeafReader)
        blocks.append(compile_layers(reader.layers, table, table.input(prefix + name, FeatureWriter(reader.part))))
    return table.join(blocks)


def compile_layers(layers: ModalityLayers, table: LayerTable, block: Block) -> Block:
    """Write a leaf's layers into a table that has its features in a block; returns what comes out."""
    if layers.sides is not None:
        height, width = layers.sides
        for convolution in layers.convolutions:
            assert isinstance(convolution, nn.Conv2d)
            block = table.convolution(block, convolution, height, width, relu=True)
            height, width = -(-height // 2), -(-width // 2)
        block = table.flat(block)
    return table.dense(block, layers.dense, relu=True)
