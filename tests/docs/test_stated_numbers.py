"""Numbers that documents state of rows are those that the published board has."""

import pytest

from procgen_bench.leaderboards.board.board import published_board
from procgen_bench.leaderboards.board.stated import with_numbers
from procgen_bench.leaderboards.errors import NoSuchRowError
from tests.architecture.checkout import CHECKOUT
from tests.docs.blocks import PAGES

BOARD = published_board()
STATING = [page for page in PAGES if "<!-- row " in page.read_text("utf-8")]


def test_the_first_pages_state_rows():
    assert {CHECKOUT / "README.md", CHECKOUT / "docs" / "results" / "index.md"} <= set(STATING)


@pytest.mark.parametrize("page", STATING, ids=lambda page: page.name)
def test_documents_state_what_the_board_has(page):
    text = page.read_text("utf-8")
    command = f"python -m procgen_bench.leaderboards.board.stated {page.relative_to(CHECKOUT)}"
    assert with_numbers(text, BOARD) == text, f"the board has other numbers: {command}"


def test_another_number_is_written_anew():
    written = with_numbers("Maze <!-- row point-maze/test/ppo-naive score -->9.999<!-- end -->, others 9.999", BOARD)
    assert written == "Maze <!-- row point-maze/test/ppo-naive score -->0.000<!-- end -->, others 9.999"


@pytest.mark.parametrize("mark", ["point-maze/test/nobody score", "point-maze/test/ppo-naive beauty"])
def test_a_mark_that_names_nothing_is_an_error(mark):
    with pytest.raises(NoSuchRowError, match=mark):
        with_numbers(f"<!-- row {mark} -->1<!-- end -->", BOARD)
