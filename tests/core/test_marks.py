"""The share of marks that is kept: as large as asked, the same for everybody, and larger shares hold smaller ones."""

from procgen_bench.core.marks import is_among

MARKS = [f"mark {number}" for number in range(8_000)]


def test_a_share_is_as_large_as_asked_and_grows():
    kept = {share: {mark for mark in MARKS if is_among(mark, share)} for share in (0.0, 0.25, 0.5, 1.0)}
    assert kept[0.0] == set() and kept[1.0] == set(MARKS)
    assert 1_850 < len(kept[0.25]) < 2_150 and kept[0.25] < kept[0.5]
