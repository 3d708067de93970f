"""Every environment of a physics track tells its physics as a vector, and continues from another's bit for bit."""

from functools import partial

import gymnasium
import numpy as np
import pytest

from procgen_bench.core.benchmarks import BENCHMARKS
from procgen_bench.core.errors import InvalidOptionError, ResetNeededError
from procgen_bench.engine.physics_env import check_physics_vector, physics_env
from tests.envs.conformance.trajectory import assert_equal, seeded_space
from tests.installed import INSTALLED_IDS
from tests.tasks.conformance.cases import marks_of

PHYSICS_IDS = sorted({benchmark.environment_id for benchmark in BENCHMARKS.values() if benchmark.physics})
#: Those, and further ones under options that give them another simulation.
OPTIONS = [
    *((name, {}) for name in ("FetchBlocks-v0", "FetchProgram-v0", "SparseAntMaze-v0", "XLand-v0", "XLandSmall-v0")),
    ("TablePush-v0", {"tasks": "targets"}),
    ("FetchBlocks-v0", {"num_blocks": 6}),
    ("SparseAntMaze-v0", {"control": "subgoal"}),
    ("XLand-v0", {"players": 3, "observation": "state", "privileged": True}),
]
#: Their simulation is that of another here.
AS_ANOTHER = [("FetchProgram-v0", {}), OPTIONS[-1]]
MAKERS = [
    pytest.param(
        partial(gymnasium.make, name, **options),
        id=" ".join([name, *map(str, options.values())]),
        marks=pytest.mark.slow if (name, options) in AS_ANOTHER else marks_of(name),
    )
    for name, options in OPTIONS
    if name in INSTALLED_IDS
]
BEFORE, AFTER = 3, 20


def test_tracks_of_physics_are_checked_here():
    assert set(PHYSICS_IDS) <= {name for name, _ in OPTIONS}


@pytest.fixture
def make(request):
    """make() -> another of the environments that are checked, closed in the end."""
    made = []

    def one() -> gymnasium.Env:
        made.append(request.param().unwrapped)
        return made[-1]

    yield one
    for env in made:
        env.close()


def follow(env: gymnasium.Env, steps: int, seed: int) -> list[tuple]:
    """What drawn actions give and make of the physics, until the episode ends."""
    actions, given = seeded_space(env.action_space, seed), []
    for _ in range(steps):
        given.append((*env.step(actions.sample()), env.physics_vector()))
        if given[-1][2] or given[-1][3]:
            break
    return given


def begun_alike(make, count: int) -> list[gymnasium.Env]:
    """Environments in the midst of the same episode, one of those that go on for a while."""
    envs = [make() for _ in range(count)]
    for seed in range(20):
        for env in envs:
            env.reset(seed=seed)
        if len(follow(envs[0], BEFORE + 1, seed=7)) == BEFORE + 1:
            for env in envs:
                env.reset(seed=seed)
                follow(env, BEFORE, seed=7)
            return envs
    raise AssertionError("all episodes end at once, so this check saw nothing")


@pytest.mark.parametrize("make", MAKERS, indirect=True)
def test_another_goes_on_bit_for_bit(make):
    """Moved by a vector that was shaken, an environment goes elsewhere; by the right one, as if nothing had been."""
    env, restored, shaken = begun_alike(make, 3)
    vector = physics_env(env).physics_vector()
    other = vector * (1 + 1e-4 * np.random.default_rng(0).uniform(-1, 1, vector.shape))
    for one in (restored, shaken):
        one.restore_physics(other)
    restored.restore_physics(vector)
    np.testing.assert_array_equal(restored.physics_vector(), vector)
    expected = follow(env, AFTER, seed=8)
    assert_equal(follow(restored, AFTER, seed=8), expected, "restored")
    elsewhere = follow(shaken, AFTER, seed=8)
    assert not np.array_equal(elsewhere[0][-1], expected[0][-1]), "the vector decides nothing"


@pytest.mark.parametrize("make", MAKERS, indirect=True)
def test_the_vector_is_a_finite_copy_as_long_as_the_task_says(make):
    env = make()
    env.reset(seed=1)
    vector = env.physics_vector()
    scales = env.physics_scales(env.task)
    check_physics_vector(vector, len(scales))
    assert scales.dtype == np.float64 and (scales > 0).all()
    before = vector.copy()
    follow(env, 3, seed=0)
    np.testing.assert_array_equal(vector, before)


@pytest.mark.parametrize("make", MAKERS, indirect=True)
def test_the_book_stays(make):
    env, other = begun_alike(make, 2)
    follow(other, 1, seed=8)
    task, elapsed = env.task, env.elapsed
    env.restore_physics(other.physics_vector())
    assert (env.task, env.elapsed) == (task, elapsed) and elapsed != other.elapsed


@pytest.mark.parametrize("make", MAKERS, indirect=True)
def test_what_is_no_vector_of_the_task_is_refused(make):
    env = make()
    for call in (env.physics_vector, partial(env.restore_physics, np.zeros(3))):
        with pytest.raises(ResetNeededError, match="call reset first"):
            call()
    env.reset(seed=1)
    vector = env.physics_vector()
    size = len(vector)
    for wrong, fault in (
        (vector[:-1], rf"float64 \({size - 1},\), expected float64 \({size},\)"),
        (vector.astype(np.float32), rf"float32 \({size},\), expected"),
        (vector.tolist(), r"is \[.*, expected"),
        (np.where(np.arange(size) == 2, np.nan, vector), "number 2 is nan, expected a finite one"),
    ):
        with pytest.raises(InvalidOptionError, match=fault):
            env.restore_physics(wrong)
    np.testing.assert_array_equal(env.physics_vector(), vector)


def test_what_does_not_tell_its_physics_is_named():
    with gymnasium.make("GridWorld-v0") as env, pytest.raises(InvalidOptionError, match="GridWorldEnv does not tell"):
        physics_env(env)
