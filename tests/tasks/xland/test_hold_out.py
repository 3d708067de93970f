"""Games and worlds to train on, fresh ones and those of the suites are three sets."""

from itertools import permutations, product

import numpy as np
import pytest

from procgen_bench.core.benchmarks import get_benchmark
from procgen_bench.core.registrations import make_task_space
from procgen_bench.tasks.xland.drawing import SMALL, DrawOptions, draw_small_task, draw_task
from procgen_bench.tasks.xland.games.atoms import FLOOR_NAMES, OBJECTS
from procgen_bench.tasks.xland.games.game import Game
from procgen_bench.tasks.xland.games.recolouring import canonical
from procgen_bench.tasks.xland.games.templates import SKILLS, _goal, skill_game
from procgen_bench.tasks.xland.hold_out import FRESH_SHARE, held_out, no_fresh, no_training

RNG = np.random.default_rng
TEMPLATES = DrawOptions(**(SMALL | {"templates": 0.7, "pooled_games": 40}))


def test_every_game_is_in_one_of_three_sets():
    rng = RNG(0)
    games = [skill_game(rng, 2, str(rng.choice(list(SKILLS)))) for _ in range(2_000)]
    places = np.array([[taken().has_game(game) for taken in (held_out, no_training, no_fresh)] for game in games])
    in_suites, not_to_train_on, not_fresh = places.T
    assert (not_to_train_on[in_suites] & not_fresh[in_suites]).all()
    others = ~in_suites
    assert (not_to_train_on[others] != not_fresh[others]).all()
    assert abs(not_to_train_on[others].mean() - FRESH_SHARE) < 0.06


@pytest.mark.parametrize("draw", [draw_small_task, lambda rng: draw_task(rng, 2, TEMPLATES)])
def test_fresh_tasks_share_neither_game_nor_world_with_training(draw):
    rng, small, space = RNG(1), get_benchmark("xland/small"), make_task_space("XLandSmall-v0")
    for task in (draw(rng) for _ in range(12)):
        assert space.may_be_trained_on(task) and not small.holds_out(task)
    for task in (small.draw(rng) for _ in range(4)):
        assert not (no_fresh().has_game(task.game) or no_fresh().has_world(task.world))
        assert small.holds_out(task) and not space.may_be_trained_on(task)


def test_games_of_one_literal_are_as_few_as_the_page_says_and_some_of_each_skill_may_be_trained_on():
    found = 0
    for literal in SKILLS.values():
        literals = {literal(*things, floor) for things in permutations(OBJECTS, 2) for floor in FLOOR_NAMES}
        pairs = [Game((_goal([[one]]), _goal([[other]]))) for one, other in product(literals, repeat=2)]
        games = {canonical(game): game for game in pairs}
        found += len(games)
        assert not all(map(no_training().has_game, games.values()))
    assert f"are few, {found:,} up to colours" in make_task_space("XLandSmall-v0").met_in_training
