"""The 212 atoms are the paper's."""

import re
from collections import Counter
from pathlib import Path

import pytest

from procgen_bench.core.errors import InvalidTaskError
from procgen_bench.tasks.xland.games.atoms import ATOM_INDEX, ATOMS, parse_atom
from procgen_bench.tasks.xland.games.resolution import PLAYER_ATOMS

PAPER_ATOMS = Path(__file__).with_name("paper_atoms.txt").read_text().splitlines()
PLAYERS = {"me", "opponent"}


def meaning(text: str) -> tuple:
    """A relation and what it relates; in order, where the order matters."""
    relation, first, second = re.fullmatch(r"(\w+)\((.+),(.+)\)", text).groups()
    directed = relation == "see" and PLAYERS & {first, second}
    return relation, (first, second) if directed else frozenset((first, second))


def test_the_atoms_are_those_of_the_paper():
    assert len(PAPER_ATOMS) == 212
    assert {meaning(str(atom)) for atom in ATOMS} == {meaning(text) for text in PAPER_ATOMS}
    assert len({meaning(str(atom)) for atom in ATOMS}) == len(ATOMS) == 212


def test_relations_follow_each_other():
    assert list(Counter(atom.relation for atom in ATOMS).items()) == [
        ("near", 54),
        ("see", 74),
        ("on", 66),
        ("hold", 18),
    ]
    assert [ATOM_INDEX[atom] for atom in ATOMS] == list(range(212))


def test_players_are_in_more_atoms_where_there_are_three():
    assert len(PLAYER_ATOMS) == len(set(PLAYER_ATOMS)) == 258


def test_every_atom_of_the_paper_is_read():
    assert {parse_atom(text) for text in PAPER_ATOMS} == set(ATOMS)


@pytest.mark.parametrize("atom", ATOMS, ids=str)
def test_text_round_trip(atom):
    assert parse_atom(str(atom)) == atom
    assert parse_atom(f" {atom.relation} ( {atom.first.replace(' ', '  ')} ,{atom.second} ) ") == atom


@pytest.mark.parametrize("atom", ATOMS, ids=str)
def test_either_order_where_it_says_the_same(atom):
    swapped = f"{atom.relation}({atom.second},{atom.first})"
    if atom.relation == "hold":
        with pytest.raises(InvalidTaskError, match=re.escape(swapped)):
            parse_atom(swapped)
    elif atom.relation == "see" and PLAYERS & set(atom):
        assert parse_atom(swapped) != atom and meaning(str(parse_atom(swapped))) == meaning(swapped)
    else:
        assert parse_atom(swapped) == atom


@pytest.mark.parametrize(
    ("text", "column", "value"),
    [
        ("", 1, "the end of the text"),
        ("nera(me,black cube)", 1, "nera"),
        ("near me", 1, "near me"),
        ("near[me", 5, "[me"),
        ("near(black cub,me)", 6, "black cub"),
        ("near(black cube;me)", 16, ";me)"),
        ("near(black cube, mee)", 18, "mee"),
        ("near(black cube,me", 19, "the end of the text"),
        ("near(black cube,me) & ", 21, "&"),
        ("  near(me,opponent)", 3, "near(me,opponent)"),
        ("see(me,me)", 1, "see(me,me)"),
        ("see(me,blue floor)", 1, "see(me,blue floor)"),
        ("hold(opponent,me)", 1, "hold(opponent,me)"),
        ("on(me,black cube)", 1, "on(me,black cube)"),
        ("near(black slab,me)", 6, "black slab"),
    ],
)
def test_errors_name_the_column(text, column, value):
    with pytest.raises(InvalidTaskError) as raised:
        parse_atom(text)
    assert raised.value.parameter == f"atom at column {column}" and raised.value.value == value
