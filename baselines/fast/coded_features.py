"""CodedFeatures: what an encoder makes of categories, as a few rows of a table in place of zeros and ones."""

import itertools
from collections.abc import Mapping

import numpy as np
from torch import nn

from procgen_bench.baselines.fast.layer_table import AsItIs, Block, Codes, LayerTable
from procgen_bench.baselines.parts.encoders import SpaceEncoder
from procgen_bench.baselines.parts.observation_parts import Categories, ScaledReals
from procgen_bench.core.compiled import njit

#: Neighbouring entries have a code together as long as there are at most so many: three tiles of three types, say.
#: Longer tables take more time, whenever parameters have changed, than fewer codes save.
_MOST_CODES = 32


class CodedFeatures:
    """Turns observations into codes and numbers: see :class:`.Codes`.

    A view of 49 tiles of three types is 147 zeros and ones, and 49 reals beside them. Of three tiles together there are
    27 kinds, for each of which a table holds what a layer makes of it; so 17 rows of that table are the view's part.

    Args:
        encoder: One that :func:`is_codable`.

    Attributes:
        codes: The table.
        width: Numbers of every sample.
    """

    def __init__(self, encoder: SpaceEncoder):
        self._categories: list[tuple[str, Categories, np.ndarray]] = []
        self._reals: list[tuple[str, ScaledReals]] = []
        mixed: list[tuple[int, int, float]] = []
        reals: list[int] = []
        num_rows = num_codes = first = 0
        for name, part in encoder.parts.items():
            if isinstance(part, Categories):
                groups = _groups(part, num_rows)
                for begin, size, row in groups.tolist():
                    mixed += _mixture(part, first, begin, size, row)
                    num_rows = row + len(part.values) ** size
                num_codes += len(groups)
                self._categories.append((name, part, groups))
            else:
                assert isinstance(part, ScaledReals)
                reals += range(first, first + part.features)
                self._reals.append((name, part))
            first += part.features
        mixed += [(num_rows + place, feature, 1.0) for place, feature in enumerate(reals)]
        rows, features, shares = zip(*mixed, strict=True)
        self.width = num_codes + len(reals)
        self.codes = Codes(
            num_codes,
            num_rows + len(reals),
            np.array([rows, features], np.int64).T.copy(),
            np.array(shares, np.float32),
        )

    def encode(self, observations: Mapping[str, np.ndarray]) -> np.ndarray | None:
        """Observations by name (n, ...) -> float32 (n, width); ``None`` where an entry is no category."""
        written = np.empty((len(next(iter(observations.values()))), self.width), np.float32)
        column = 0
        for name, part, groups in self._categories:
            if not _write_codes(_flat(observations[name]), part.least, len(part.values), groups, written[:, column:]):
                return None
            column += len(groups)
        for name, reals in self._reals:
            own = written[:, column : column + reals.features]
            np.divide(_flat(observations[name]) - reals.centre.numpy(), reals.reach.numpy(), out=own)
            column += reals.features
        return written

    def compile_into(self, table: LayerTable, linear: nn.Linear, relu: bool = True) -> Block:
        """Write into a table what a linear module makes of the features; what is encoded is its input."""
        return table.coded(table.input("", AsItIs(self.width)), self.codes, linear, relu)


def is_codable(encoder: object) -> bool:
    """Whether an encoder makes features of categories and of scaled reals alone, and learns nothing itself."""
    return (
        isinstance(encoder, SpaceEncoder)
        and encoder.sets is None
        and not len(encoder.maps)
        and all(isinstance(part, Categories | ScaledReals) for part in encoder.parts.values())
    )


def _flat(values: np.ndarray) -> np.ndarray:
    return values.reshape(len(values), -1).astype(np.float32, copy=False)


def _groups(part: Categories, row: int) -> np.ndarray:
    """int64 (groups, 3): the first entry of each, how many it has, and where its rows of the table begin."""
    count = len(part.values)
    together = max(size for size in range(1, _MOST_CODES) if size == 1 or count**size <= _MOST_CODES)
    groups = []
    for begin in range(0, part.num_ones // count, together):
        size = min(together, part.num_ones // count - begin)
        groups.append((begin, size, row))
        row += count**size
    return np.array(groups, np.int64)


def _mixture(part: Categories, first: int, begin: int, size: int, row: int) -> list[tuple[int, int, float]]:
    """What a group's rows hold: (row, feature, the feature's value), where the part's features begin at ``first``."""
    count, mixed = len(part.values), []
    for number, categories in enumerate(itertools.product(range(count), repeat=size)):
        for entry, category in enumerate(categories, begin):
            mixed.append((row + number, first + entry * count + category, 1.0))
            if part.scaled is not None:
                centre, reach = float(part.scaled.centre[entry]), float(part.scaled.reach[entry])
                mixed.append((row + number, first + part.num_ones + entry, (part.least + category - centre) / reach))
    return mixed


@njit
def _write_codes(values, least, count, groups, target):
    """Write the groups' rows of the table; returns whether every entry is a category.

    Args:
        values: float32 (n, entries).
        least: The first category.
        count: Categories.
        groups: See :func:`_groups`.
        target: float32 (n, groups, ...), is written.
    """
    for sample in range(len(values)):
        for number in range(len(groups)):
            code = 0
            for entry in range(groups[number, 0], groups[number, 0] + groups[number, 1]):
                category = int(values[sample, entry]) - least
                if category != values[sample, entry] - least or not 0 <= category < count:
                    return False
                code = code * count + category
            target[sample, number] = groups[number, 2] + code
    return True
