"""SetTable: a table of layers some of which read sets."""

from dataclasses import dataclass

import numpy as np
from torch import nn

from procgen_bench.baselines.fast.layer_table import Block, LayerTable
from procgen_bench.baselines.fast.network_arrays import DENSE, PICK, POOL


@dataclass(frozen=True)
class SetPlace:
    """A set, and where the numbers of a sample's elements are in what the sample is given.

    Attributes:
        number: Of the set.
        counts: The column of the first owner's number of elements; other owners' are behind it.
        rows: That of the first element's first number; element by element.
        width: Numbers of every element; 0: elements have none, and own elements of other sets.
        most: Elements of a sample, at most.
    """

    number: int
    counts: int
    rows: int
    width: int
    most: int


class SetTable(LayerTable):
    """Is written as a :class:`.LayerTable` is; sets come before all that reads them."""

    def set_of(self, most: int, width: int, owner: SetPlace | None = None) -> SetPlace:
        """A set of at most so many elements a sample, or an element of another set; each has so many numbers."""
        owners = 1 if owner is None else owner.most
        counts = self.set_width
        self.sets.append((0 if owner is None else owner.number, owners * most, counts, owners))
        self.set_width += owners + owners * most * width
        return SetPlace(len(self.sets) - 1, counts, counts + owners, width, owners * most)

    def set_input(self, place: SetPlace) -> Block:
        """The numbers of a set's elements, a row each."""
        block = self._block(place.width, 1, deep=False, group=place.number)
        self.set_inputs.append((block.offset, place.width, place.number, place.rows))
        return block

    def pooled(self, source: Block, divisor: int = 1, maxima: bool = True) -> Block:
        """The sum of each owner's rows, which are behind a ReLU, divided, and behind it their maxima."""
        width = source.width * (2 if maxima else 1)
        target = self._block(width, 1, deep=True, group=self.sets[source.group][0])
        self._add(POOL, source, target, -1, third=divisor)
        return target

    def picked(self, source: Block, entries: Block) -> Block:
        """Each element's row is that of an element of another set, of the same sample, and some numbers.

        Args:
            source: The other set's rows.
            entries: The places of elements among their sample's, and further numbers.
        """
        target = self._block(source.width + entries.width - 1, 1, source.deep, entries.group)
        self._add(PICK, source, target, entries.offset, third=entries.width)
        return target

    def dense_of_parts(self, source: Block, linears: list[nn.Linear], relu: bool = False) -> Block:
        """The sum of what linear modules make of the source's columns, part by part; only the first one has biases."""
        outputs = linears[0].out_features
        assert source.width == sum(linear.in_features for linear in linears)
        target = self._block(outputs, source.rows, deep=True, group=source.group)
        begins = [self._begin(linear.weight, (1, 0)) for linear in linears]
        assert np.array_equal(np.diff(begins), [linear.in_features * outputs for linear in linears[:-1]])
        self._add(DENSE, source, target, begins[0], self._begin(linears[0].bias), third=1, relu=relu)
        return target
