"""The search solves a small library, and copies of it that lack a part do not."""

from dataclasses import replace

import numpy as np
import pytest

from procgen_bench.baselines.papers.alphanpi_x.programs import search as search_module
from procgen_bench.baselines.papers.alphanpi_x.programs import search_kernels
from procgen_bench.baselines.papers.alphanpi_x.programs.call_rules import call_rules
from procgen_bench.baselines.papers.alphanpi_x.programs.search import Search
from procgen_bench.baselines.papers.alphanpi_x.programs.symbolic_model import SymbolicModel
from procgen_bench.core.compiled import remade
from procgen_bench.core.errors import InvalidOptionError
from tests.baselines.papers.alphanpi_x.programs.imagining import LIBRARY, SETTINGS, fresh_network, searched, success

SOLVED = 0.8


def test_a_small_library_is_solved_by_search_alone():
    assert success(searched()) >= SOLVED


def test_what_it_found_does_the_programs_work():
    """Its atomic calls, one after the other, may start and lead to the post-condition; every program ends by Stop."""
    rules, model = call_rules(LIBRARY), SymbolicModel(LIBRARY)
    programs = [*LIBRARY.values()]
    for one in searched():
        state = one.states[:1]
        stops = np.count_nonzero(one.trace == rules.stop)
        for action in one.trace.tolist():
            if action != rules.stop and programs[action].is_atomic:
                assert programs[action].precondition(state)[0]
                state = model.predict(state, np.array([action]))
        if one.succeeded:
            assert programs[one.program].postcondition(state)[0]
            assert stops == 1 + np.count_nonzero(rules.levels[one.trace] > 0)
            assert one.value == pytest.approx(0.97 ** (len(one.states) - 1))
        else:
            assert one.value == -1


def test_a_search_is_the_same_beside_any_others():
    alone, together = searched(rows=1), searched(rows=64)
    assert [one.succeeded for one in alone] == [one.succeeded for one in together]
    assert all(np.array_equal(one.trace, other.trace) for one, other in zip(alone, together))


def test_exploring_draws_and_equal_seeds_draw_alike():
    ones, others, different = (searched(seed=seed, explores=True) for seed in (1, 1, 2))
    assert all(np.array_equal(one.policies, other.policies) for one, other in zip(ones, others))
    assert any(not np.array_equal(one.trace, other.trace) for one, other in zip(ones, different))
    assert all(np.allclose(one.policies.sum(axis=1), 1) for one in ones)


def test_without_stop_nothing_is_solved():
    rules = call_rules(LIBRARY)
    may_call = rules.callable.copy()
    may_call[:, rules.stop] = False
    assert success(searched(replace(rules, callable=may_call))) == 0


def test_without_recursion_programs_of_level_2_are_not_solved():
    """Their own lists hold programs of level 1 alone; these may call nothing."""
    rules = call_rules(LIBRARY, "library")
    of_level_2 = rules.levels[:-1] == 2
    limits = np.where(of_level_2, rules.depth_limits, 1)
    for depth_limits, least, most in ((rules.depth_limits, 0.5, 1), (limits, 0, 0)):
        found = searched(replace(rules, depth_limits=depth_limits), sub_simulations=40)
        assert least <= success([one for one in found if of_level_2[one.program]]) <= most


def _backed_up_wrongly(forest, row, frame, node, value):
    search_kernels._finish_simulation(forest, row, frame, node, -value)


@pytest.mark.slow
def test_with_a_wrong_backup_less_is_solved(monkeypatch):
    """Values are backed up with the wrong sign."""
    simulate = remade(search_kernels._simulate, _finish_simulation=remade(_backed_up_wrongly))
    advance = remade(search_kernels._advance, _simulate=simulate)
    monkeypatch.setattr(
        search_module, "advance_rows", remade(search_kernels.advance_rows, from_python=True, _advance=advance)
    )
    assert success(searched()) < SOLVED / 2


def test_one_simulation_is_refused():
    with pytest.raises(InvalidOptionError, match="simulations is 1, expected at least 2"):
        Search(call_rules(LIBRARY), fresh_network(), SymbolicModel(LIBRARY), replace(SETTINGS, simulations=1), 1)


def test_unknown_calls_are_refused():
    with pytest.raises(InvalidOptionError, match="calls is 'all', expected one of levels, library"):
        call_rules(LIBRARY, "all")
