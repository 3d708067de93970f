"""Uniform noise that belongs to episodes: what a row draws does not depend on which rows play beside it."""

import numpy as np

from procgen_bench.core.seeding import seed_from_parts, stream_from_seed

#: splitmix64's constants, as in :mod:`procgen_bench.core.streams`.
_INCREMENT = np.uint64(0x9E3779B97F4A7C15)
_MULTIPLIER_1, _MULTIPLIER_2 = np.uint64(0xBF58476D1CE4E5B9), np.uint64(0x94D049BB133111EB)
#: A float32 holds 24 random bits.
_UNUSED_BITS, _UNIT = np.uint64(40), np.float32(2.0**-24)


class RowNoise:
    """A random stream of every row.

    A row whose episode was begun by :meth:`begin` draws by that episode's seed, any other by :meth:`seed` and its
    number.

    Args:
        width: Numbers that a row draws at a time, K.
    """

    def __init__(self, width: int):
        self.width = width
        self._columns = np.arange(1, width + 1, dtype=np.uint64) * _INCREMENT
        self._advance = np.uint64(width * int(_INCREMENT) % 2**64)
        self.seed(0)

    def seed(self, seed: int) -> None:
        """Begin the streams of all rows again."""
        self._seed, self._streams = seed, np.zeros(0, np.uint64)

    def begin(self, row: int, seed: int) -> None:
        """Begin the stream of a row again, for an episode of this seed."""
        self._reach(row + 1)
        self._streams[row] = _stream("episode", seed)

    def draw(self, rows: int) -> np.ndarray:
        """float32 (rows, K), uniform in [0, 1), of the first ``rows`` streams, which go on."""
        self._reach(rows)
        states = self._streams[:rows, np.newaxis] + self._columns
        self._streams[:rows] += self._advance
        bits = (states ^ (states >> np.uint64(30))) * _MULTIPLIER_1
        bits = (bits ^ (bits >> np.uint64(27))) * _MULTIPLIER_2
        bits ^= bits >> np.uint64(31)
        return (bits >> _UNUSED_BITS).astype(np.float32) * _UNIT

    def _reach(self, rows: int) -> None:
        known = len(self._streams)
        if known < rows:
            new = [_stream("row", self._seed, row) for row in range(known, rows)]
            self._streams = np.concatenate([self._streams, np.array(new, np.uint64)])


def _stream(*parts: object) -> np.uint64:
    """Apart from the streams of environments, which are seeded by the same numbers."""
    return stream_from_seed(seed_from_parts("noise", *parts))
