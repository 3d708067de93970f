"""Sites of primitives that are not published: in arrays, in states, and in both backends alike.

What looks as if it asked for something is to be left alone, in both backends.
"""

import pickle
from dataclasses import replace

import gymnasium
import numpy as np
import pytest
from gymnasium.envs.registration import EnvSpec

from procgen_bench.core.seeding import stream_from_seed
from procgen_bench.envs.web.browser_simulation import BrowserSimulation
from procgen_bench.envs.web.dom_simulation import DomSimulation
from procgen_bench.tasks.sites import HORIZON, SiteDesign, SiteTask, SiteTaskSpace, Variation
from procgen_bench.tasks.sites.elements import Behaviour
from procgen_bench.tasks.sites.pages import placed_elements
from procgen_bench.tasks.sites.solver import solve
from procgen_bench.tasks.sites.variation import CHOICES, NO_VARIATION
from tests.envs.web.play import every_use, play_in_lockstep, random_action
from tests.envs.web.test_lockstep import expert_policy, random_policy, varied
from tests.envs.web.test_lockstep import play_in_lockstep as play_both
from tests.tasks.sites.makers import filled
from tests.tasks.sites.own import drawn_task, invented_library

LIBRARY = invented_library()
ALONE = invented_library(published=False)


def drawn_tasks(count: int, seed: int, library=ALONE) -> list[SiteTask]:
    """Tasks of 1 to 4 pages."""
    rng = np.random.default_rng(seed)
    return [drawn_task(library, 1 + k % 4, 10, rng) for k in range(count)]


def test_arrays_keep_to_the_specification():
    rng = np.random.default_rng(2)
    seen = play_in_lockstep(DomSimulation(8, HORIZON), drawn_tasks(40, 1), lambda site, _: random_action(site, rng))
    assert seen["type"] > 20 and seen["check"] > 10 and seen["choose"] > 5 and seen["select"] > 5
    assert seen["toggle"] > 5 and seen["leave"] > 5


def test_everything_that_can_be_used_does_as_it_says():
    simulation = DomSimulation(1, None)
    plays = {}

    def every(site, _):
        return next(plays.setdefault(id(site), every_use(site)))

    play_in_lockstep(simulation, drawn_tasks(8, 3), every, 500)


def test_tasks_come_back_as_they_were_put_in():
    simulation, tasks = DomSimulation(2, HORIZON), drawn_tasks(6, 4, LIBRARY)
    for task in tasks:
        changed = varied(task, np.random.default_rng(5))
        simulation.load(0, task)
        simulation.load(1, changed)
        assert simulation.task(0) == task and simulation.task(1) == changed


def test_rows_are_drawn_from_a_library():
    simulation = DomSimulation(16, HORIZON, library=LIBRARY)
    every_row, own = np.ones(16, np.bool_), set()
    simulation.streams[:] = [stream_from_seed(seed) for seed in range(16)]
    for _ in range(4):
        simulation.start(every_row, every_row)
        for row in range(16):
            task = simulation.task(row)
            task.validate()
            own |= {one.name for one in task.design.own}
    assert own == {one.name for one in LIBRARY.own}


def played(simulation: DomSimulation, task: SiteTask, count: int) -> DomSimulation:
    """A simulation in which the expert has done its first actions in row 0."""
    simulation.load(0, task)
    simulation.start(np.array([True]), np.array([False]))
    for action in solve(task)[:count]:
        simulation.step(action[None], np.array([True]))
    return simulation


def solves(simulation: DomSimulation, task: SiteTask, first: int) -> bool:
    for action in solve(task)[first:]:
        simulation.step(action[None], np.array([True]))
    return bool(simulation.successes[0])


@pytest.mark.parametrize("way", ["row", "state", "pickle"])
def test_an_episode_goes_on_in_another_simulation(way):
    """Whose primitives have other numbers."""
    for task in drawn_tasks(4, 6):
        half = len(solve(task)) // 2
        before = played(DomSimulation(1, HORIZON), task, half)
        after = DomSimulation(1, HORIZON)
        for other in drawn_tasks(3, 7):
            played(after, other, 1)
        if way == "row":
            after.restore_rows({0: before.save_row(0, "dom", False)})
        elif way == "state":
            after.restore_state(before.save_state())
        else:
            after = pickle.loads(pickle.dumps(before))
        assert after.task(0) == task and after.records(0) == before.records(0)
        assert solves(after, task, half)


def test_variations_are_drawn_in_all_their_parts():
    simulation = DomSimulation(64, HORIZON, library=LIBRARY, variations=tuple(CHOICES))
    simulation.streams[:] = [stream_from_seed(seed) for seed in range(64)]
    simulation.start(np.ones(64, np.bool_), np.ones(64, np.bool_))
    variations = [simulation.task(row).variation for row in range(64)]
    seen = {name: {getattr(one, name) for one in variations} for name in CHOICES}
    assert seen == {name: set(choices) - {"held-out"} for name, choices in CHOICES.items()}


def test_environments_take_tasks_of_own_primitives():
    """One by one, in rows, and in processes of their own."""
    tasks = drawn_tasks(2, 8)
    env = gymnasium.make("GMiniWoB-v0", tasks=tasks)
    env = gymnasium.make(EnvSpec.from_json(env.spec.to_json()))
    env.reset(seed=0)
    assert env.unwrapped.task in tasks
    for task in tasks:
        env.reset(seed=0, options={"task": task})
        outcomes = [env.step(action) for action in solve(task)]
        assert outcomes[-1][4]["success"]
    env.close()
    for mode in ("vector_entry_point", "async"):
        envs = gymnasium.make_vec("GMiniWoB-v0", num_envs=2, vectorization_mode=mode, tasks=tasks[:1])
        envs.reset(seed=0)
        for action in solve(tasks[0]):
            *_, infos = envs.step(np.tile(action, (2, 1)))
        assert infos["success"].all()
        envs.close()


def test_backends_show_invented_primitives_alike():
    tasks = [*drawn_tasks(3, 9), *(varied(task, np.random.default_rng(10)) for task in drawn_tasks(1, 11, LIBRARY))]
    assert play_both(tasks, expert_policy) == len(tasks)
    play_both(tasks[2:], random_policy(12))


@pytest.mark.slow
@pytest.mark.parametrize("events", ["script", "input"])
@pytest.mark.parametrize("part", range(2))
def test_backends_show_hundreds_of_invented_primitives_alike(part, events):
    """420 primitives, 30 of each template; 120 designs a part, half varied: by random actions and by the expert."""
    rng = np.random.default_rng([13, part])
    tasks = []
    for seed in range(5):
        library = invented_library(84, seed=seed, published=seed % 2 == 0)
        tasks += [drawn_task(library, 1 + k % 10, int(rng.integers(4, 40)), rng) for k in range(24)]
    tasks = [varied(task, rng) if k % 2 else task for k, task in enumerate(tasks)]
    used = {primitive for task in tasks for primitive in task.design.own}
    assert len(used) > 300
    solved = play_both(tasks, expert_policy if part else random_policy(14), events, deadline=60)
    assert not part or solved == len(tasks)


def test_environments_draw_from_a_file_and_vary_alike(tmp_path):
    """In one row, in several, and in a browser."""
    LIBRARY.write(tmp_path / "mine.json")
    options = {"library": str(tmp_path / "mine.json"), "variations": ("labels", "layout", "decoys")}
    env = gymnasium.make(EnvSpec.from_json(gymnasium.make("GMiniWoB-v0", **options).spec.to_json()))
    envs = gymnasium.make_vec("GMiniWoB-v0", num_envs=3, vectorization_mode="vector_entry_point", **options)
    envs.reset(seed=20)
    drawn = [envs.simulation.task(row) for row in range(3)]
    for row, task in enumerate(drawn):
        env.reset(seed=20 + row)
        assert env.unwrapped.task == task
        env.unwrapped.task_space.encode(task)
    assert any(task.variation != NO_VARIATION for task in drawn) and any(task.design.own for task in drawn)
    browser = gymnasium.make("GMiniWoB-v0", backend="browser", **options)
    observation, _ = browser.reset(seed=20)
    for name, array in env.reset(seed=20)[0].items():
        assert np.array_equal(observation[name], array), name
    for one in (env, envs, browser):
        one.close()


def test_names_stand_for_what_a_task_carries():
    """Two tasks of one simulation may call different primitives by one name."""
    (one,) = drawn_tasks(1, 15)
    own = tuple(replace(primitive, label=f"{primitive.label} again") if primitive.active else primitive
                for primitive in one.design.own)  # fmt: skip
    other = replace(one, design=replace(one.design, own=own))
    simulation = DomSimulation(2, HORIZON)
    simulation.load(0, one)
    simulation.load(1, other)
    assert simulation.task(0) == one != other == simulation.task(1)


SPACE = SiteTaskSpace()
DESIGN = SiteDesign.from_text("city rememberme cc next_checkout\nusername submit")
TASK = replace(filled(DESIGN), variation=Variation(decoys="after"))
ONE = np.ones(1, np.bool_)


@pytest.fixture(params=[DomSimulation, BrowserSimulation])
def simulation(request):
    made = request.param(1, HORIZON)
    yield made
    made.close()


def decoy(behaviour: Behaviour) -> int:
    """Index on the first page of the first element of a decoy that behaves so."""
    page = TASK.pages[0]
    placed = enumerate(placed_elements(page))
    return next(k for k, one in placed if one.element.behaviour == behaviour and page[one.block].decoy)


def play(simulation, *before: tuple[int, int]) -> tuple[list[float], bool]:
    """Rewards of these actions, and whether the expert's after them are a success."""
    simulation.load(0, TASK)
    simulation.start(ONE, ~ONE)
    rewards = []
    for action in (*before, *solve(TASK).tolist()):
        simulation.step(np.array([action]), ONE)
        rewards.append(float(simulation.rewards[0]))
    assert simulation.terminations[0]
    return rewards[: len(before)], bool(simulation.successes[0])


def test_a_decoy_that_is_filled_in_is_a_failure(simulation):
    assert play(simulation) == ([], True)
    rewards, success = play(simulation, (decoy(Behaviour.TYPE), 0))
    assert rewards == [-0.25 - 0.05] and not success
    field = [field for field, _ in TASK.profile].index("cc")
    placed = placed_elements(TASK.pages[0])
    options = [k for k, one in enumerate(placed) if one.block == placed[decoy(Behaviour.CHOOSE)].block]
    (fitting,) = [k for k in options if placed[k].element.attribute("value") == dict(TASK.profile)["cc"]]
    assert play(simulation, (fitting, field)) == ([-0.25 - 0.05], False)


def test_a_decoy_that_is_put_back_is_none(simulation):
    box, yes = decoy(Behaviour.CHECK), [field for field, _ in TASK.profile].index("rememberme")
    assert play(simulation, (box, yes), (box, yes)) == ([-0.25 - 0.05, 0.25 - 0.05], True)


def test_backends_play_varied_and_invented_sites_as_the_reference_does(simulation):
    rng = np.random.default_rng(5)
    varied, invented = (list(SPACE.suite(name)) for name in ("varied", "invented"))
    tasks = [*varied[::67], *invented[7::71], SPACE.suite("pictures")["flight-4-0"]]
    seen = play_in_lockstep(simulation, tasks, lambda site, _: random_action(site, rng))
    assert seen["type"] > 5
