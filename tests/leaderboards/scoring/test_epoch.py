"""Epochs: their salts follow from what is written down, and rows rank by those that began after them."""

import hashlib
import json

import pytest

from procgen_bench.leaderboards.errors import CorruptBoardError
from procgen_bench.leaderboards.scoring.epoch import EPOCHS_FILE, Beacon, begun, read_epochs, write_epochs

VALUE = "7c" * 32
BEACON = Beacon(chain="quicknet", round=1_000, value=VALUE)
GRADED = "grid-world/graded"
HELD = ["1" * 64, "2" * 64]


@pytest.fixture
def board(tmp_path):
    first = begun([], None)
    write_epochs([first, begun([first], {GRADED: HELD[::-1]}, BEACON)], tmp_path)
    return tmp_path


def test_epochs_are_read_as_they_were_written(board):
    first, second = read_epochs(board)
    assert (first.number, first.beacon, first.policies) == (1, None, None)
    assert (second.number, second.policies) == (2, {GRADED: HELD})
    assert second.salt_bytes == hashlib.sha256(b"\x7c" * 32).digest()


def test_a_board_that_has_not_begun_has_none(tmp_path):
    assert read_epochs(tmp_path) == []


def test_every_epoch_draws_its_own_salt():
    assert len({begun([], None).salt for _ in range(10)}) == 10


def test_a_row_ranks_by_an_epoch_that_began_after_it(board):
    first, second = read_epochs(board)
    assert second.ranks(GRADED, HELD[:1]) and not second.ranks(GRADED, [*HELD, "3" * 64])
    assert first.ranks(GRADED, ["3" * 64])


def test_a_policy_that_came_for_another_benchmark_could_be_chosen_by_the_salt(board):
    assert not read_epochs(board)[1].ranks("grid-world/random", HELD[:1])


@pytest.mark.parametrize(
    ("change", "refusal"),
    [
        (lambda epochs: epochs[1]["beacon"].update(round=0), r"epochs\[1\].beacon.round is 0"),
        (lambda epochs: epochs[1].update(salt="ab" * 32), r"epochs\[1\] is .*, expected the salt .* round 1000 gives"),
        (lambda epochs: epochs[1]["beacon"].update(value="00" * 32), "expected the salt .* which round 1000 gives"),
        (lambda epochs: epochs[0].update(began="yesterday"), r"began is 'yesterday', expected a day"),
        (lambda epochs: epochs.pop(0), r"epochs are \[2\], expected 1, 2"),
        (lambda epochs: epochs[0].update(secret="x"), r"unknown field epochs\[0\].secret"),
        (lambda epochs: epochs.clear(), "epochs is "),
    ],
)
def test_a_list_that_does_not_hold_is_refused_in_one_line(board, change, refusal):
    path = board / EPOCHS_FILE
    content = json.loads(path.read_text())
    change(content["epochs"])
    path.write_text(json.dumps(content))
    with pytest.raises(CorruptBoardError, match=refusal) as error:
        read_epochs(board)
    assert "\n" not in str(error.value) and str(path) in str(error.value)
