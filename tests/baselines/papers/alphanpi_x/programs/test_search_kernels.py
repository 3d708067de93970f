"""The kernels of the search on trees whose answers are known: values, which edge is followed, Stop, and the priors.

They run here as Python functions, which takes no time to compile.
"""

from types import FunctionType, SimpleNamespace

import numpy as np
import pytest

from procgen_bench.baselines.papers.alphanpi_x.programs import search_kernels
from procgen_bench.baselines.papers.alphanpi_x.programs.call_rules import call_rules
from procgen_bench.baselines.papers.alphanpi_x.programs.forest import LEFT, ROOT, make_forest, search_limits
from procgen_bench.baselines.papers.alphanpi_x.programs.search import PAPER_WEIGHTS
from tests.baselines.papers.alphanpi_x.programs.imagining import LIBRARY

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
