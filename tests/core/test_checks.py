import numpy as np
import pytest

from procgen_bench.core.checks import check_array, check_choice, check_contiguous, check_count
from procgen_bench.core.errors import InvalidOptionError, InvalidTaskError


@pytest.mark.parametrize(
    ("value", "known"),
    [("b", ("a", "b")), (None, (None, "a")), (True, (False, True)), (1, range(1, 3)), ("a", {"a": 1})],
)
def test_a_known_choice_passes(value, known):
    check_choice("option", value, known)


@pytest.mark.parametrize(
    ("value", "known", "message"),
    [
        ("c", ("a", "b"), "option is 'c', expected one of ['a', 'b']"),
        (1, (False, True), "option is 1, expected one of [False, True]"),
        (True, (1, 2), "option is True, expected one of [1, 2]"),
        (1.0, (1, 2), "option is 1.0, expected one of [1, 2]"),
        (["a"], ("a",), "option is ['a'], expected one of ['a']"),
        (np.zeros(2), (None, "a"), "expected one of [None, 'a']"),
    ],
)
def test_another_choice_is_refused(value, known, message):
    with pytest.raises(InvalidOptionError) as error:
        check_choice("option", value, known)
    assert message in str(error.value)


@pytest.mark.parametrize("value", [0, -1, True, 1.0, "1", None])
def test_what_counts_nothing_is_refused(value):
    check_count("rows", np.int64(1))
    with pytest.raises(InvalidOptionError, match=r"rows is .*, expected an integer of at least 1"):
        check_count("rows", value)


@pytest.mark.parametrize(
    ("array", "message"),
    [
        ([[0, 0]], "place's type is 'list', expected an array of int8"),
        (np.zeros((1, 2)), "place's type is 'float64', expected an array of int8"),
        (np.zeros((1, 3), np.int8), "place's shape is (1, 3), expected (any, 2)"),
        (np.zeros(2, np.int8), "place's shape is (2,), expected (any, 2)"),
    ],
)
def test_another_array_is_refused(array, message):
    check_array("place", np.zeros((4, 2), np.int8), np.int8, (None, 2))
    with pytest.raises(InvalidTaskError) as error:
        check_array("place", array, np.int8, (None, 2))
    assert message in str(error.value)


def test_a_view_with_gaps_is_refused():
    array = np.zeros((4, 4))
    check_contiguous("out", array, np.float64, (4, 4))
    with pytest.raises(InvalidTaskError, match="out's strides"):
        check_contiguous("out", array[:, ::2], np.float64, (4, 2))
