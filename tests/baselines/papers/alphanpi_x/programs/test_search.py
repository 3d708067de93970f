"""The search solves a small library, and copies of it that lack a part do not.

The kernels of the search on trees whose answers are known: values, which edge is followed, Stop, and the priors.

They run here as Python functions, which takes no time to compile.
"""

from dataclasses import replace
from types import FunctionType, SimpleNamespace

import numpy as np
import pytest

from procgen_bench.baselines.papers.alphanpi_x.programs import search as search_module
from procgen_bench.baselines.papers.alphanpi_x.programs import search_kernels
from procgen_bench.baselines.papers.alphanpi_x.programs.call_rules import call_rules
from procgen_bench.baselines.papers.alphanpi_x.programs.forest import LEFT, ROOT, make_forest, search_limits
from procgen_bench.baselines.papers.alphanpi_x.programs.search import PAPER_WEIGHTS, Search
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


def test_atomic_calls_are_discounted_at_every_depth_where_that_is_asked_for():
    rules, discount = call_rules(LIBRARY), PAPER_WEIGHTS.discount
    found = [one for one in searched(weights=PAPER_WEIGHTS._replace(atomic=True)) if one.succeeded]
    atomic = [np.count_nonzero(rules.levels[one.trace] == 0) for one in found]
    assert [one.value for one in found] == [pytest.approx(discount**calls) for calls in atomic]
    own = [len(one.policies) - 1 for one in found]
    assert any(calls > made for calls, made in zip(atomic, own)), "of level 2, whose calls make several atomic ones"
    assert [one.value for one in searched() if one.succeeded] == [
        pytest.approx(discount ** (len(one.policies) - 1)) for one in searched() if one.succeeded
    ]


def test_one_simulation_is_refused():
    with pytest.raises(InvalidOptionError, match="simulations is 1, expected at least 2"):
        Search(call_rules(LIBRARY), fresh_network(), SymbolicModel(LIBRARY), replace(SETTINGS, simulations=1), 1)


def test_unknown_calls_are_refused():
    with pytest.raises(InvalidOptionError, match="calls is 'all', expected one of levels, library"):
        call_rules(LIBRARY, "all")


RULES = call_rules(LIBRARY)
STATE = np.zeros(LIBRARY.state_size)
ATOMIC, MIDDLE, HIGHEST = (int(np.flatnonzero(RULES.levels == level)[0]) for level in (0, 1, 2))


def as_python():
    """The kernels by name, which call each other as Python functions do."""
    found = dict(vars(search_kernels))
    for name, kernel in vars(search_kernels).items():
        if hasattr(kernel, "py_func"):
            found[name] = FunctionType(kernel.py_func.__code__, found, name)
    return SimpleNamespace(**found)


KERNELS = as_python()


def planted(rows=2):
    """Searches of the highest program that have not begun, and their outermost frames."""
    forest = make_forest(RULES, search_limits(RULES, 10, 5), rows, 1)
    for row in range(rows):
        KERNELS.plant(forest, row, HIGHEST, STATE, np.zeros(1, np.float32))
        forest.frames[row, 0, LEFT] = 10
    return forest, forest.frames[:, 0]


def give_children(forest, row, node, actions):
    """Children of a node, whose states have been reached, in the order of these actions."""
    children = [int(KERNELS._new_node(forest, row, node, action)) for action in actions]
    forest.first_child[row, node], forest.num_children[row, node] = children[0], len(children)
    for child in children:
        forest.payload[row, child] = KERNELS._new_payload(forest, row, STATE)
    return children


def softmax_mean(*values):
    return float(np.average(values, weights=np.exp(values)))


def test_values_are_means_weighted_by_e_to_their_power_up_to_the_root():
    forest, frames = planted()
    for row, of_first, of_second in ((0, (-1.0, 0.9, 0.2), (0.97,)), (1, (-1.0, -1.0), (1.0, -1.0, 0.5))):
        root = int(frames[row, ROOT])
        first, second = give_children(forest, row, root, [ATOMIC, RULES.stop])
        (below,) = give_children(forest, row, first, [ATOMIC])
        for node, values in ((below, of_first), (second, of_second)):
            for value in values:
                KERNELS._finish_simulation(forest, row, frames[row], node, value)
        expected = {
            root: softmax_mean(*of_first, *of_second),
            first: softmax_mean(*of_first),
            below: softmax_mean(*of_first),
            second: softmax_mean(*of_second),
        }
        found = {node: float(KERNELS._value(forest, row, node)) for node in expected}
        assert found == pytest.approx(expected, abs=1e-6)
        visits = [len(of_first) + len(of_second), len(of_first), len(of_first), len(of_second)]
        assert [forest.visits[row, node] for node in expected] == visits
        assert frames[row, LEFT] == 10 - visits[0]


#: Action, prior, visits, value, and how many levels it is below the highest program, Stop one.
EDGES = (
    (RULES.stop, 0.1, 5, -0.2, 1),
    (ATOMIC, 0.3, 2, 0.5, 2),
    (MIDDLE, 0.15, 1, 0.1, 1),
    (ATOMIC + 1, 0.45, 0, 0.0, 2),
)


def score(prior, visits, apart, visits_of_parent):
    """What is added to an edge's value: c_puct P sqrt(N) / (1 + n) + c_level e^-apart."""
    return 0.5 * prior * np.sqrt(visits_of_parent) / (1 + visits) + 3.0 * np.exp(-apart)


@pytest.mark.parametrize(("is_root", "visits_of_parent"), [(True, 9), (False, 4), (True, 400)])
def test_the_edge_that_is_followed_has_the_greatest_value_prior_and_level(is_root, visits_of_parent):
    """Each visited edge is followed from the value on at which the others' scores are reached, and no sooner."""
    forest, frames = planted()
    row, node = 1, frames[1, ROOT]
    if not is_root:
        forest.visits[row, node] = 1_000
        (node,) = give_children(forest, row, node, [MIDDLE])
    forest.visits[row, node] = visits_of_parent
    children = give_children(forest, row, node, [action for action, *_ in EDGES])
    added = [score(prior, visits, apart, visits_of_parent) for _, prior, visits, _, apart in EDGES]
    for place in range(3):
        least = max(added[other] + EDGES[other][3] for other in range(4) if other != place) - added[place]
        for nudge in (-0.001, 0.001):
            for other, (child, (_, prior, visits, value, _)) in enumerate(zip(children, EDGES)):
                forest.prior[row, child], forest.visits[row, child] = prior, visits
                forest.weights[row, child] = 2.0 * visits
                forest.weighted[row, child] = 2.0 * visits * (least + nudge if other == place else value)
            best = KERNELS._best_edge(forest, row, node, HIGHEST, RULES.levels, PAPER_WEIGHTS)
            assert (best == children[place]) == (nudge > 0), (EDGES[place], nudge)


@pytest.mark.parametrize("done", [True, False])
@pytest.mark.parametrize(("depth", "depth_of_root"), [(0, 0), (1, 0), (3, 0), (3, 3), (4, 2)])
def test_stop_is_worth_the_discount_for_every_call_before_it_and_a_failure_minus_one(depth, depth_of_root, done):
    """Counted from where the search began, also after decisions have moved its root."""
    forest, frames = planted()
    row, nodes = 1, [frames[1, ROOT]]
    for _ in range(depth):
        nodes += give_children(forest, row, nodes[-1], [ATOMIC])
    (stop,) = give_children(forest, row, nodes[-1], [RULES.stop])
    frames[row, ROOT] = nodes[depth_of_root]
    forest.done[row, nodes] = [done if node == nodes[-1] else not done for node in nodes]
    waits_for, _ = KERNELS._simulate(forest, row, frames[row], RULES.levels, RULES.depth_limits, PAPER_WEIGHTS)
    assert waits_for == search_kernels.NOTHING_MORE and frames[row, LEFT] == 9
    expected = 0.97**depth if done else -1.0
    for node in (stop, *nodes):
        assert forest.visits[row, node] == 1
        assert KERNELS._value(forest, row, node) == pytest.approx(expected, abs=1e-6)


@pytest.mark.parametrize("within", [False, True])
def test_priors_are_the_networks_among_what_may_be_called_and_noise_where_the_outermost_program_explores(within):
    """A quarter of them is noise in the row that explores; none in programs that are called, nor in the other row."""
    forest, frames = planted()
    forest.explores[0] = True
    program = MIDDLE if within else HIGHEST
    nodes = [KERNELS._push(forest, row, MIDDLE, STATE) if within else frames[row, ROOT] for row in range(2)]
    rng, size = np.random.default_rng(0), RULES.num_actions
    logits, gammas = rng.normal(size=(2, size)).astype(np.float32), rng.gamma(0.3, size=(2, size))
    startable = rng.random((2, size - 1)) < 0.8
    values, queue = np.array([0.3, -0.4]), np.array([[0, nodes[0]], [1, nodes[1]]], np.int32)
    given = logits, values, np.zeros((2, 1), np.float32), startable, np.array([True, False]), RULES.callable, gammas
    KERNELS.expand(forest, queue, 2, *given, PAPER_WEIGHTS)
    for row, node in enumerate(nodes):
        may = np.flatnonzero(RULES.callable[program] & np.append(startable[row], True))
        likely = np.exp(logits[row, may]) / np.exp(logits[row, may]).sum()
        noise = 0.25 if row == 0 and not within else 0.0
        expected = (1 - noise) * likely + noise * gammas[row, may] / gammas[row, may].sum()
        children = slice(forest.first_child[row, node], forest.first_child[row, node] + forest.num_children[row, node])
        assert forest.action[row, children].tolist() == may.tolist() and len(may) > 2
        assert forest.prior[row, children] == pytest.approx(expected, abs=1e-6)
        assert KERNELS._value(forest, row, node) == pytest.approx(values[row], abs=1e-6)
