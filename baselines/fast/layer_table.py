"""LayerTable: a network written down layer by layer, as :mod:`.passes` goes through it."""

from dataclasses import dataclass, replace
from typing import Protocol

import numpy as np
import torch
from torch import nn

from procgen_bench.baselines.fast.network_arrays import (
    CODED,
    COPY,
    DENSE,
    GATHER,
    JOIN,
    LONG_MEMORY,
    LOOK_UP,
    MEMORY,
    NORMALISE,
    NUM_COLUMNS,
    ONES,
    SPREAD,
)
from procgen_bench.baselines.fast.sets import SetArrays


class Writer(Protocol):
    """Turns what a network is given into numbers.

    Attributes:
        width: How many of every sample.
        categories: Each is one of so many categories, or -1; 0: they are what they are.
    """

    width: int
    categories: int

    def write(self, values: np.ndarray, target: np.ndarray) -> None:
        """Values (n, ...) -> float32 (n, width)."""


@dataclass
class AsItIs:
    """The writer of what is a number already."""

    width: int
    categories: int = 0

    def write(self, values: np.ndarray, target: np.ndarray) -> None:
        """Values (n, ...) -> float32 (n, width)."""
        target[:] = values.reshape(target.shape)


@dataclass(frozen=True)
class Codes:
    """How sums of a table's rows stand for a linear layer over features most of which are zeros.

    Attributes:
        num_codes: Numbers of every sample that name a row each.
        num_rows: Rows of the table; as many of the last ones as a sample has further numbers are multiplied by these.
        mixed: int64 (M, 2), a row of the table and a feature that is in it.
        shares: float32 (M,), the feature's value there.
    """

    num_codes: int
    num_rows: int
    mixed: np.ndarray
    shares: np.ndarray


@dataclass(frozen=True)
class Block:
    """Numbers that every sample has.

    Attributes:
        offset: How many cells lie before it in every sample's share.
        rows: Of every sample.
        width: Of every row.
        deep: Whether something is learned before it, or its gradients are asked for.
        categories: Every number stands for so many zeros and ones; 0: for itself.
        group: The set that has these rows, one for every element; 0: samples have them.
    """

    offset: int
    rows: int
    width: int
    deep: bool
    categories: int = 0
    group: int = 0


class LayerTable:
    """Is written by the modules of a network, in the order in which they compute.

    Attributes:
        inputs: By name, what is given to the network, and who writes it where.
        parameters: The parameters that the layers refer to, in the order of their places, and the order of their axes.
        num_cells: Numbers that every sample has in all blocks.
        num_moments: Numbers that the batch normalisations keep of a pass.
        codes: Those of the coded layer, if there is one.
        code_width: Numbers that come out of it.
        sets: Of every set the one that owns it, how many elements a sample has at most, and where their counts are, see
            :class:`.SetArrays`; the first one is that of samples.
        set_inputs: See there.
        set_width: Numbers of a sample that are its sets'.
    """

    def __init__(self):
        self.inputs: dict[str, tuple[Writer, Block]] = {}
        self.parameters: dict[nn.Parameter, tuple[int, ...]] = {}
        self.num_cells = self.num_parameters = self.num_moments = 0
        self.codes, self.code_width = Codes(0, 0, np.zeros((0, 2), np.int64), np.zeros(0, np.float32)), 0
        self.sets, self.set_inputs, self.set_width = [(0, 1, 0, 0)], list[tuple[int, int, int, int]](), 0
        self._begins: dict[nn.Parameter, int] = {}
        self._rows: list[tuple[int, ...]] = []
        self._places: list[np.ndarray] = []
        self._num_places = 0

    def input(self, name: str, writer: Writer, deep: bool = False) -> Block:
        """A block that is given; ``deep``: how the loss grows with it is asked for."""
        assert not (deep and writer.categories)
        block = replace(self._block(writer.width, 1, deep), categories=writer.categories)
        self.inputs[name] = (writer, block)
        return block

    def dense(self, source: Block, linear: nn.Linear, relu: bool = False) -> Block:
        """Every row of every sample through a linear module, and a ReLU if asked for."""
        return self._dense(self.ones(source), linear.weight, linear.bias, relu)

    def ones(self, source: Block) -> Block:
        """Zeros and ones of categories, in one row; numbers that stand for themselves stay as they are."""
        if not source.categories:
            return source
        return self._seen_at(source, np.arange(source.width)[np.newaxis], channels=1)

    def coded(self, source: Block, codes: Codes, linear: nn.Linear, relu: bool = False) -> Block:
        """What a linear module makes of features, of which the source holds codes and numbers; see :class:`Codes`."""
        assert not self.code_width  # a network has one table
        self.codes, self.code_width = codes, linear.out_features
        target = self._block(linear.out_features, 1, deep=True)
        begins = self._begin(linear.weight, (1, 0)), self._begin(linear.bias)
        self._add(CODED, source, target, *begins, codes.num_codes, relu=relu)
        return target

    def memory(self, source: Block, entries: Block, kept: nn.Linear) -> list[Block]:
        """A gated recurrent unit, of three parts, or a long short-term memory, of four.

        Args:
            source: What its parts are given by what is seen.
            entries: Two numbers: 0 where an episode begins, else 1, and the sample's row.
            kept: The linear module that reads what is known.

        Returns:
            What is remembered, the first of which is what is known.
        """
        width, parts = kept.in_features, kept.out_features // kept.in_features
        assert source.width == kept.out_features and parts in (3, 4)
        target = self._block(width, 1, deep=True)
        own = self._block((5 if parts == 3 else 8) * width, 1, deep=True)
        begins = self._begin(kept.weight, (1, 0)), self._begin(kept.bias)
        kind = MEMORY if parts == 3 else LONG_MEMORY
        self._add(kind, source, target, *begins, own.offset, fourth=entries.offset)
        return [target] if parts == 3 else [target, Block(own.offset + 6 * width, 1, width, deep=True)]

    def convolution(self, source: Block, module: nn.Conv2d, height: int, width: int, relu: bool = False) -> Block:
        """A picture of ``height`` rows of ``width`` cells, each of them its channels, through a module, and a ReLU.

        The result's rows are its cells, whose columns are its channels.
        """
        channels = source.rows * source.width // (height * width)
        assert channels * max(source.categories, 1) == module.in_channels
        seen = self._seen_at(source, convolution_places(height, width, module), channels)
        return self._dense(seen, module.weight, module.bias, relu)

    def looked_up(self, source: Block, module: nn.Conv2d, height: int, width: int, relu: bool = False) -> Block:
        """The same of zeros and ones, where the source's rows are cells, and its numbers the channels that are one.

        The module has no padding.
        """
        places = convolution_places(height, width, module)
        assert source.rows == height * width and (places >= 0).all()
        target = self._block(module.out_channels, len(places), deep=True)
        begins = self._begin(module.weight, (1, 2, 3, 0)), self._begin(module.bias)
        assert begins[1] == begins[0] + module.weight.numel()
        self._add(LOOK_UP, source, target, *begins, self._kept(places), relu, places.shape[1])
        return target

    def transposed_convolution(self, source: Block, module: nn.ConvTranspose2d, height: int, width: int) -> Block:
        """The same for a transposed convolution, whose result is cut to ``height`` rows of ``width`` cells."""
        written = transposed_places(height, width, module)
        assert source.rows * source.width == written.shape[0] * module.in_channels
        cells = Block(source.offset, len(written), module.in_channels, source.deep)
        weighed = self._block(written.shape[1] * module.out_channels, len(written), deep=True)
        self._add(DENSE, cells, weighed, self._begin(module.weight), -1, third=1)
        target = self._block(module.out_channels, height * width, deep=True)
        second = -1 if module.bias is None else self._begin(module.bias)
        self._add(SPREAD, weighed, target, self._kept(written), second, module.out_channels)
        return target

    def normalised(self, source: Block, module: nn.BatchNorm1d | nn.BatchNorm2d) -> Block:
        """Every column over all rows of all samples of the pass, with a ReLU."""
        assert module.num_features == source.width and not module.track_running_stats
        target = self._block(source.width, source.rows, deep=True)
        begins = (self._begin(module.weight), self._begin(module.bias))
        self._add(NORMALISE, source, target, *begins, self.num_moments, relu=True)
        self.num_moments += 2 * source.width
        return target

    def flat(self, source: Block) -> Block:
        """The rows of every sample behind each other, as one."""
        return Block(source.offset, 1, source.rows * source.width, source.deep)

    def rows(self, source: Block, width: int) -> Block:
        """The one row of every sample cut into rows of so many numbers."""
        return Block(source.offset, source.rows * source.width // width, width, source.deep)

    def copies(self, source: Block, count: int) -> list[Block]:
        """As many blocks alike: a block has one reader, for its gradients are written once."""
        copies = []
        for number in range(count):
            copies.append(self._block(source.width, source.rows, source.deep))
            self._add(COPY, source, copies[-1], int(number < count - 1))
        return copies

    def join(self, sources: list[Block]) -> Block:
        """Blocks of as many rows each, side by side."""
        if len(sources) == 1:
            return sources[0]
        deep, group = any(part.deep for part in sources), sources[0].group
        target = self._block(sum(part.width for part in sources), sources[0].rows, deep, group)
        column = 0
        for part in sources:
            self._add(JOIN, part, target, column)
            column += part.width
        return target

    def layers(self) -> np.ndarray:
        """int64 (L, columns): see :mod:`.network_arrays`."""
        return np.array(self._rows, np.int64).reshape(-1, NUM_COLUMNS)

    def places(self) -> np.ndarray:
        """int64, the places that are gathered, layer by layer."""
        return np.concatenate([*self._places, np.zeros(0, np.int64)])

    def set_arrays(self, capacity: int) -> SetArrays:
        """The sets, for passes of so many samples at most."""
        sets = np.array(self.sets, np.int64)
        bounds = np.zeros((len(sets), capacity * int(sets[:, 1].max()) + 1), np.int64)
        inputs = np.array(self.set_inputs, np.int64).reshape(-1, 4)
        return SetArrays(
            sets[:, 0].copy(), sets[:, 2:].copy(), inputs, self.set_width, np.zeros(len(sets), np.int64), bounds
        )

    def _kept(self, places: np.ndarray) -> int:
        """Where these begin from now on."""
        self._places.append(places.ravel())
        self._num_places += places.size
        return self._num_places - places.size

    def _block(self, width: int, rows: int, deep: bool, group: int = 0) -> Block:
        made = Block(self.num_cells, rows, width, deep, group=group)
        self.num_cells += self.sets[group][1] * rows * width
        return made

    def _seen_at(self, source: Block, places: np.ndarray, channels: int) -> Block:
        """What is in some cells (rows, cells of each) of the source, of so many channels; -1: in none."""
        if source.categories:
            own = np.arange(channels)
            each = np.where(places[..., np.newaxis] >= 0, places[..., np.newaxis] * channels + own, -1)
            target = self._block(each[0].size * source.categories, len(places), deep=False)
            self._add(ONES, source, target, self._kept(each), third=source.categories)
            return target
        target = self._block(places.shape[1] * channels, len(places), source.deep)
        self._add(GATHER, source, target, self._kept(places), third=channels)
        return target

    def _dense(self, source: Block, weight: torch.Tensor, bias: torch.Tensor | None, relu: bool) -> Block:
        assert source.width == weight[0].numel()  # output by output, as a convolution's are, too
        target = self._block(len(weight), source.rows, deep=True, group=source.group)
        self._add(DENSE, source, target, self._begin(weight), self._begin(bias), relu=relu)
        return target

    def _begin(self, parameter: torch.Tensor | None, order: tuple[int, ...] = ()) -> int:
        assert isinstance(parameter, nn.Parameter)
        if parameter not in self._begins:
            self._begins[parameter] = self.num_parameters
            axes = tuple(range(parameter.ndim))
            # Pictures' weights lie cell by cell, as channels do.
            self.parameters[parameter] = order or (axes if len(axes) < 4 else (0, 2, 3, 1))
            self.num_parameters += parameter.numel()
        return self._begins[parameter]

    def _add(
        self,
        kind: int,
        source: Block,
        target: Block,
        first: int,
        second: int = -1,
        third: int = 0,
        relu: bool = False,
        fourth: int = 0,
    ) -> None:
        own = (source.offset, source.rows, source.width, target.offset, target.rows, target.width)
        groups = source.group, target.group
        self._rows.append((kind, *own, first, second, third, int(relu), int(source.deep), fourth, *groups))


def convolution_places(height: int, width: int, module: nn.Conv2d) -> np.ndarray:
    """int64 (cells of the result, kernel): the cells of a picture that each looks at, row by row; -1: outside."""
    (kernel, _), (stride, _), padding = module.kernel_size, module.stride, module.padding
    assert isinstance(padding, tuple)
    rows, columns = (np.arange(-padding[0], side + padding[0] - kernel + 1, stride) for side in (height, width))
    return _places(rows, columns, height, width, kernel)


def transposed_places(height: int, width: int, module: nn.ConvTranspose2d) -> np.ndarray:
    """int64 (cells of the source, kernel): the cells of the result that each adds to."""
    (kernel, _), (stride, _), padding = module.kernel_size, module.stride, module.padding
    assert isinstance(padding, tuple)
    rows, columns = (np.arange(-padding[0], side, stride)[: -(-side // stride)] for side in (height, width))
    return _places(rows, columns, height, width, kernel)


def _places(rows: np.ndarray, columns: np.ndarray, height: int, width: int, kernel: int) -> np.ndarray:
    """Of windows that begin in these rows and columns of a picture; -1: outside."""
    down, right = np.indices((kernel, kernel)).reshape(2, -1)
    row = rows[:, None, None] + down
    column = columns[None, :, None] + right
    inside = (row >= 0) & (row < height) & (column >= 0) & (column < width)
    return np.where(inside, row * width + column, -1).reshape(len(rows) * len(columns), -1)
