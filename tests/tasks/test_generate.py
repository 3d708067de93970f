"""The command that regenerates a family's data files."""

import pytest

from procgen_bench.tasks.bit_grid import BitGridTaskSpace
from procgen_bench.tasks.generate import main


def test_a_family_is_regenerated_into_the_folder_that_is_named(tmp_path, capsys):
    main(["bit_grid", str(tmp_path)])
    assert capsys.readouterr().out.split() == ["test", BitGridTaskSpace().suites["test"].checksum]
    assert [path.name for path in tmp_path.iterdir()] == ["test.npz"]


@pytest.mark.parametrize(
    ("words", "said"),
    [
        ([], "the family is missing, expected one of ant_maze, bit_grid"),
        (["bits"], "the family is bits, expected one of"),
        (["table_push"], "of table_push are not drawn from its space alone"),
    ],
)
def test_other_words_are_refused(words, said):
    with pytest.raises(SystemExit, match=said):
        main(words)
