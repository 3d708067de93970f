"""VoxelBuild-v0 with ``observation="pose"``: the same episodes, in which the agent knows where it is."""

import gymnasium
import numpy as np
import pytest
from gymnasium.vector import AutoresetMode

from procgen_bench.core.errors import InvalidOptionError
from procgen_bench.envs.voxel_build import VoxelBuildEnv
from tests.envs.conformance import vector_checks
from tests.envs.voxel_build.test_dynamics import NUMBER, random_builder

ID = "VoxelBuild-v0"


@pytest.mark.parametrize("reward", ["sparse", "distance"])
def test_what_happens_is_the_same(reward):
    shown, known = (gymnasium.make(ID, reward=reward, observation=kind) for kind in ("picture", "pose"))
    rng, built = np.random.default_rng(6), 0
    for _ in range(8):
        task = shown.unwrapped.task_space.sample_task(rng)
        seen, _ = shown.reset(options={"task": task})
        found, _ = known.reset(options={"task": task})
        for action in [None, *random_builder(rng, 100).tolist()]:
            if action is not None:
                seen, *outcome = shown.step(action)
                found, *found_outcome = known.step(action)
                assert found_outcome == outcome
            assert known.observation_space.contains(found)
            for name in ("achieved_goal", "desired_goal"):
                assert np.array_equal(found[name], seen[name])
            x, y, *rest = shown.unwrapped.simulation.poses[0].tolist()
            assert found["observation"].tolist() == [*np.clip([x, y], -11, 21), *rest]
        built += np.count_nonzero(found["achieved_goal"])
    assert built > 40
    assert not known.unwrapped.simulation.pictures.size


def test_from_beyond_what_is_observed_no_cell_is_in_reach():
    env = VoxelBuildEnv(observation="pose")
    env.reset(options={"task": "test/0", "start": (10, 5, 1)})
    for _ in range(14):
        seen = env.step(NUMBER["move forward"])[0]
    assert seen["observation"].tolist() == [21, 5, 0, 1, 3]
    assert env.simulation.poses[0, 0] == 24


def test_the_pose_stands_beside_the_picture():
    both, known, shown = (gymnasium.make(ID, observation=kind) for kind in ("picture+pose", "pose", "picture"))
    envs, rng = (both, known, shown), np.random.default_rng(2)
    seen, pose, picture = (env.reset(options={"task": "test/3"})[0] for env in envs)
    for action in random_builder(rng, 60).tolist():
        assert both.observation_space.contains(seen)
        assert np.array_equal(seen["pose"], pose["observation"])
        assert np.array_equal(seen["observation"], picture["observation"])
        seen, pose, picture = (env.step(action)[0] for env in envs)


@pytest.mark.parametrize("observation", ["pose", "picture+pose"])
def test_rows_equal_single(observation):
    options = {"observation": observation, "tasks": "test"}
    vector_checks.check_rows_equal_single(
        lambda **keywords: gymnasium.make_vec(ID, **options, **keywords),
        lambda: gymnasium.make(ID, **options),
        AutoresetMode.SAME_STEP,
    )


def test_other_observations_are_refused():
    with pytest.raises(
        InvalidOptionError, match=r"observation is 'both', expected one of \['picture', 'pose', 'picture\+pose'\]"
    ):
        gymnasium.make(ID, observation="both")
