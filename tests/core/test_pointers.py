"""Arrays by their addresses."""

import numpy as np
import pytest

from procgen_bench.core.compiled import njit
from procgen_bench.core.pointers import block4, matrix, record_type, vector, write_places

PAIR = np.dtype([("number", np.int64), ("truth", np.bool_)], align=True)
PLACES = record_type(("pairs", "floats", "bytes"))


@njit
def _change(records, which):
    record = records[which]
    pairs, floats, numbers = (
        vector(record.pairs, PAIR),
        matrix(record.floats, np.float64),
        block4(record.bytes, np.uint8),
    )
    pairs[1].number += 5
    floats[1, 2] = floats.shape[0] * 10 + floats.shape[1]
    numbers[0, 1, 0, 2] = numbers.size
    return len(pairs)


def test_arrays_of_several_lengths_are_read_and_written_where_they_lie():
    records = np.zeros(2, PLACES)
    for which, count in enumerate((2, 3)):
        arrays = {
            "pairs": np.zeros(count, PAIR),
            "floats": np.zeros((2, count + 1)),
            "bytes": np.zeros((1, 2, 1, 3), "u1"),
        }
        write_places(records[which], arrays)
        assert _change(records, which) == count
        assert arrays["pairs"]["number"].tolist() == [0, 5, 0][:count]
        assert arrays["floats"][1, 2] == 20 + count + 1 == arrays["floats"].sum()
        assert arrays["bytes"][0, 1, 0, 2] == 6 == arrays["bytes"].sum()


def test_what_is_not_contiguous_is_refused():
    with pytest.raises(ValueError, match="floats has strides"):
        write_places(np.zeros(1, PLACES)[0], {"floats": np.zeros((3, 3))[:, ::2]})
