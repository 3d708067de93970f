"""One step of generators against the formulas, where their choices are tables; who earned what; and the schedule."""

import numpy as np
import pytest
import torch

from procgen_bench.baselines.papers.code.design_generator import Drawn
from procgen_bench.baselines.papers.code.objectives import Outcome
from procgen_bench.baselines.training.contracts import FinishedEpisodes
from procgen_bench.baselines.training.level_source import LevelSource
from procgen_bench.baselines.training.teacher_table import get_teacher
from procgen_bench.core.benchmarks import get_benchmark

SITES, ROOMS = "gminiwob/test", "cminigrid/test"
#: Three designs: of one page, of three, and of two, the first of which is a repeat of one primitive.
NUMBERS = np.array([0, 2, 1])
PRIMITIVES = np.array([[2, 2, 0, 0], [1, 0, 3, 2], [4, 1, 1, 5]])
PLACES = np.array([[0, 0, 0, 0], [2, 1, 0, 2], [1, 1, 0, 0]])
#: Of two players in each; returns a thousand times as great count as 1 and -1, so that the regrets are these.
RETURNS = ([[1000.0, 1000.0], [-1000.0, 0.0]], [[0.1, 0.1], [0.2, 0.4]], [[0.5, 0.5], [0.5, 0.5]])
REGRETS = np.array([0.75, 0.1, 0.0])


def teacher(name, options, benchmark=ROOMS):
    levels = LevelSource(get_benchmark(benchmark), solvable=True)
    return get_teacher(name).make(options, levels, np.random.default_rng(0))


def outcomes(*returns):
    return [Outcome(np.array(one, float), 3, 2, 0, 0) for one in returns]


def as_tables(made, rng):
    """Let each kind of choice be a table, the last layer's bias, and a step follow the gradient as it is."""
    heads = {name: getattr(made.generator, name) for name in ("number", "primitive", "place")}
    tables = {}
    for name, head in heads.items():
        if head is not None:
            with torch.no_grad():
                head[2].weight.zero_()
                head[2].bias.copy_(torch.as_tensor(rng.normal(size=len(head[2].bias))))
            tables[name] = head[2].bias
    made._optimizer = torch.optim.SGD(made.generator.parameters(), 1.0)
    return tables


def stepped(benchmark, returns, rng, **settings):
    """What a step makes of the tables of the regret's generator: the tables before, and how much each has changed."""
    fixed = {"slots": 4, "entropy_target": 0.0, "max_gradient": 1e6} | settings
    made = teacher("pop-regret", ",".join(f"{name}={value}" for name, value in fixed.items()), benchmark)
    tables = as_tables(made, rng)
    before = {name: table.detach().numpy().astype(float) for name, table in tables.items()}
    numbers = NUMBERS if "number" in tables else np.zeros(3, np.int64)
    drawn = Drawn(np.zeros((3, 100), np.float32), numbers, PRIMITIVES, PLACES)
    made.improve([drawn.of([row]) for row in range(3)], outcomes(*returns))
    return before, {name: table.detach().numpy() - before[name] for name, table in tables.items()}


def softmax(logits):
    return np.exp(logits) / np.exp(logits).sum()


def slope(table, chosen, available=None):
    """The gradient of the log-probability of one choice among the first so many."""
    available = len(table) if available is None else available
    found = np.zeros(len(table))
    found[:available] = -softmax(table[:available])
    found[chosen] += 1
    return found


def entropy_slope(table, first, last):
    """The gradient of the entropy of the choices from ``first`` to ``last``, as a share of the greatest."""
    shares, found = softmax(table[first:last]), np.zeros(len(table))
    entropy = -(shares * np.log(shares)).sum()
    found[first:last] = -shares * (np.log(shares) + entropy) / np.log(last - first)
    return found


@pytest.mark.parametrize("benchmark_id", [ROOMS, SITES])
def test_a_step_is_reinforces_with_the_rest_of_the_batch_as_its_baseline(benchmark_id):
    before, found = stepped(benchmark_id, RETURNS, np.random.default_rng(1), entropy_weight=0.0)
    expected = {name: np.zeros(len(table)) for name, table in before.items()}
    assert set(expected) == ({"primitive"} if benchmark_id == ROOMS else {"number", "primitive", "place"})
    for design, baseline in enumerate((0.05, 0.375, 0.425)):
        weight = (REGRETS[design] - baseline) / REGRETS.std() / 3 / 4  # of three designs, of four choices each
        for primitive, place in zip(PRIMITIVES[design], PLACES[design]):
            expected["primitive"] += weight * slope(before["primitive"], primitive)
            if "place" in expected and primitive:
                expected["place"] += weight * slope(before["place"], place, NUMBERS[design] + 1)
        if "number" in expected:
            expected["number"] += weight * slope(before["number"], NUMBERS[design])
    for name, change in expected.items():
        assert found[name] == pytest.approx(change, abs=1e-5), name


@pytest.mark.parametrize("benchmark_id", [ROOMS, SITES])
def test_a_step_raises_the_entropy_alone_where_all_designs_earn_the_same(benchmark_id):
    before, found = stepped(benchmark_id, [RETURNS[0]] * 3, np.random.default_rng(1), entropy_weight=2.0)
    expected = {name: np.zeros(len(table)) for name, table in before.items()}
    for design, number in enumerate(NUMBERS):
        placed = int(np.count_nonzero(PRIMITIVES[design])) if "place" in expected and number else 0
        terms = 4 + ("number" in expected) + placed
        own = {"primitive": 4 * entropy_slope(before["primitive"], 1, len(before["primitive"]))}
        if "number" in expected:
            own["number"] = entropy_slope(before["number"], 0, len(before["number"]))
        if placed:
            own["place"] = placed * entropy_slope(before["place"], 0, number + 1)
        for name, change in own.items():
            expected[name] += 2.0 * change / terms / 3
    for name, change in expected.items():
        assert found[name] == pytest.approx(change, abs=1e-5) and np.abs(change).max() > 0.005, name


def test_the_weight_of_the_entropy_follows_its_target():
    """It falls above the target and rises below it, by a tenth of its logarithm, within bounds; without one it stays.

    Of a single place the entropy is that of the primitives: of equal ones 1, and next to nothing of a sure one.
    """
    uniform, sure = 0.0, 50.0
    for begins, target, liked, expected in (
        (0.05, 0.9, (uniform, uniform), [0.05 * np.exp(-0.1), 0.05 * np.exp(-0.2)]),
        (0.05, 0.9, (sure, sure), [0.05 * np.exp(0.1), 0.05 * np.exp(0.2)]),
        (0.05, 0.9, (sure, uniform), [0.05 * np.exp(0.1), 0.05]),
        (0.05, 0.0, (sure, uniform), [0.05, 0.05]),
        (9.5, 0.9, (sure, sure), [10.0, 10.0]),
        (1.05e-4, 0.9, (uniform, uniform), [1e-4, 1e-4]),
    ):
        made = teacher("code", f"slots=4,entropy_weight={begins},entropy_target={target}")
        table, found = as_tables(made, np.random.default_rng(0))["primitive"], []
        for bias in liked:
            with torch.no_grad():
                made.generator.primitive[2].weight.zero_()
                table.zero_()
                table[2] = bias
            drawn = Drawn(np.zeros((3, 100), np.float32), np.zeros(3, np.int64), PRIMITIVES, PLACES)
            measured = made.improve([drawn.of([row]) for row in range(3)], outcomes(*RETURNS))
            assert measured["entropy"] == pytest.approx(float(bias == uniform), abs=1e-3)
            found.append(measured["entropy_weight"])
        assert found == pytest.approx(expected), (begins, target, liked)
        assert made.entropy_weight == found[-1]


def observe(made, proposals, returns, players):
    """Report these episodes, which end in this order, with the players in this order."""
    count, nothing = len(proposals), np.zeros(len(proposals), np.float32)
    made.observe(
        FinishedEpisodes(
            np.array([one.level for one in proposals]),
            np.array([players.index(one.player) for one in proposals], np.int16),
            np.ones(count, bool),
            np.array(returns, float),
            nothing > 0,
            np.ones(count, int),
            *[nothing] * 3,
            players=players,
        )
    )


@pytest.mark.parametrize(("name", "others"), [("paired", ("antagonist",)), ("code", ("student/2", "student/3"))])
@pytest.mark.parametrize("backwards", [False, True])
def test_returns_are_those_of_the_player_and_the_episode_that_earned_them(name, others, backwards):
    """Whatever the order in which episodes end, and in which players are listed."""
    made = teacher(name, f"slots=2,batch=2,episodes=2,population={1 + len(others)}")
    proposals = made.propose(np.arange(2 * 2 * (1 + len(others))), 0)
    assert made.players == ("student", *others)
    order, players = (-1, made.players[::-1]) if backwards else (1, made.players)
    earned = {(one.level, one.player): 0.01 * place for place, one in enumerate(proposals)}
    ended = proposals[::order]
    observe(made, ended, [earned[one.level, one.player] for one in ended], players)
    assert len(made._open) == 2
    for first, design in made._open.items():
        expected = [[earned[first + episode, player] for episode in range(2)] for player in made.players]
        assert made._outcome(design).returns.tolist() == expected


def test_learning_progress_is_the_students_from_design_to_design_and_from_batch_to_batch():
    """A design that is not played changes nothing, and what was last is kept with the run."""
    made, resumed = (teacher("alp", "slots=4,population=2") for _ in range(2))
    drawn = Drawn(np.zeros((3, 100), np.float32), np.zeros(3, np.int64), PRIMITIVES, PLACES)
    each = [drawn.of([row]) for row in range(3)]
    other = [1.0, 1.0]
    first = made.improve(each, outcomes([[0.5, 0.3], other], [[-0.2, 0.2], other], [[0.7, 0.9], other]))
    assert first["objective"] == pytest.approx((0.4 + 0.4 + 0.8) / 3), "from 0 to 0.4, to 0, to 0.8"
    resumed.restore(*made.state())
    trivial = Outcome(None, 0, 0, 0, 0)
    for one in (made, resumed):
        after = one.improve(each, [*outcomes([[1000.0, 1000.0], other]), trivial, *outcomes([[-0.5, 0.5], other])])
        assert after["objective"] == pytest.approx((0.2 - 1.0 + 1.0) / 3), "from 0.8 to 1, to 0"
        assert one.state()[1]["return_before"] == 0.0


def test_the_share_of_primitives_rises_evenly_over_the_schedule_and_then_is_all():
    made = teacher("scheduled-designs", "slots=5,batch=1,first_share=0.2,rises_over=1000")
    for step, expected in ((0, 0.2), (250, 0.4), (750, 0.8), (1_000, 1.0), (1_000_000, 1.0)):
        made.propose(np.arange(1), step)
        chosen = np.concatenate([design.primitives for _, design in made.draw(2_000)])
        shares = np.bincount(chosen, minlength=6) / len(chosen)
        assert 1 - shares[0] == pytest.approx(expected, abs=0.0 if expected == 1 else 0.02), step
        assert shares[1:] == pytest.approx([expected / 5] * 5, abs=0.02), "none is liked better"
