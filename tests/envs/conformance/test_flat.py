"""``flat=True``: every environment observes the vector that Gymnasium makes of its observation, single and in rows."""

import gymnasium
import numpy as np
import pytest
from gymnasium.vector import AutoresetMode
from gymnasium.vector.utils import iterate

from procgen_bench.core.errors import InvalidOptionError
from procgen_bench.engine.process_vector_env import ProcessVectorEnv
from procgen_bench.envs.xland import XLandVectorEnv
from tests.envs.conformance.suite import vector_class
from tests.installed import INSTALLED_IDS
from tests.tasks.conformance.cases import LIKE_ANOTHER

#: Of environments whose default observations hold pictures, the options without.
OPTIONS = {"XLand-v0": {"observation": "state"}, "VoxelBuild-v0": {"observation": "pose"}}
#: Played as FetchBlocks-v0 is, in processes, or as those that differ by their sizes.
AS_ANOTHER = ("FetchProgram-v0", "TablePush-v0", *LIKE_ANOTHER)
FLAT_IDS = [pytest.param(name, marks=pytest.mark.slow if name in AS_ANOTHER else ()) for name in INSTALLED_IDS]
STEPS = 12
#: So that rows end, and restart, within those steps.
LIMIT = 5


def flattened(space: gymnasium.Space, observation) -> np.ndarray:
    return gymnasium.spaces.flatten(space, observation).astype(np.float32)


@pytest.mark.parametrize("environment_id", FLAT_IDS)
def test_single(environment_id):
    options = OPTIONS.get(environment_id, {})
    flat, plain = (gymnasium.make(environment_id, flat=choice, **options) for choice in (True, False))
    space = plain.observation_space
    assert type(flat.observation_space) is gymnasium.spaces.Box
    assert flat.observation_space.dtype == np.float32 and flat.action_space == plain.action_space
    (vector, info), (observation, plain_info) = flat.reset(seed=7), plain.reset(seed=7)
    flat.action_space.seed(0)
    for _ in range(STEPS):
        assert flat.observation_space.contains(vector)
        assert np.array_equal(vector, flattened(space, observation))
        assert info["success"] == plain_info["success"]
        action, before = flat.action_space.sample(), vector.copy()
        kept = vector
        vector, *outcome, info = flat.step(action)
        observation, *plain_outcome, plain_info = plain.step(action)
        assert outcome == plain_outcome
        assert np.array_equal(kept, before), "the next step changed an observation"
        if outcome[1] or outcome[2]:
            (vector, info), (observation, plain_info) = flat.reset(), plain.reset()
    flat.close()
    plain.close()


@pytest.mark.parametrize("environment_id", FLAT_IDS)
def test_rows(environment_id):
    options = {"num_envs": 3, **OPTIONS.get(environment_id, {})}
    if issubclass(vector_class(environment_id), XLandVectorEnv):
        options["num_threads"] = 1
    elif issubclass(vector_class(environment_id), ProcessVectorEnv):
        options["num_workers"] = 1
    check_rows(environment_id, **options)


def test_rows_without_copies():
    check_rows("CompositionalMiniGrid-v0", num_envs=3, copy=False)


def test_rows_of_all_players():
    check_rows("XLandSmall-v0", num_envs=2, players="all", num_threads=1)


def check_rows(environment_id: str, **options) -> None:
    options |= {"vectorization_mode": "vector_entry_point", "max_episode_steps": LIMIT}
    options |= {"autoreset_mode": AutoresetMode.SAME_STEP}
    flat, plain = (gymnasium.make_vec(environment_id, flat=choice, **options) for choice in (True, False))
    space, finals = plain.single_observation_space, 0
    vectors, observations = flat.reset(seed=7)[0], plain.reset(seed=7)[0]
    flat.action_space.seed(0)
    for _ in range(STEPS):
        assert flat.observation_space.contains(vectors)
        rows = iterate(plain.observation_space, observations)
        assert np.array_equal(vectors, [flattened(space, row) for row in rows])
        actions = flat.action_space.sample()
        vectors, *outcome, infos = flat.step(actions)
        observations, *plain_outcome, plain_infos = plain.step(actions)
        assert all(map(np.array_equal, outcome, plain_outcome))
        for row in np.flatnonzero(infos.get("_final_obs", [])):
            finals += 1
            expected = flattened(space, plain_infos["final_obs"][row])
            assert np.array_equal(infos["final_obs"][row], expected)
    assert finals, "no row ended, so this check saw too little"
    flat.close()
    plain.close()


def test_goals_stay_goals():
    env = gymnasium.make("BitGrid-v0", flat=True).unwrapped
    env.reset(seed=0)
    assert env.compute_reward(env.task.goal, env.task.goal, {}) == 1.0


def test_states_fit_whether_flat_or_not():
    flat, plain = (gymnasium.make("GridWorld-v0", flat=choice) for choice in (True, False))
    plain.reset(seed=3)
    observation, *_ = plain.step(1)
    vector, _ = flat.reset(options={"state": plain.unwrapped.save_state()})
    assert np.array_equal(vector, flattened(plain.observation_space, observation))


@pytest.mark.parametrize(
    ("environment_id", "options", "why"),
    [
        ("VoxelBuild-v0", {}, "observation is a picture"),
        ("XLand-v0", {}, "rgb is a picture"),
        ("FetchBlocks-v0", {"camera": "front"}, "image is a picture"),
        ("GMiniWoB-v0", {"observation": "text"}, "axtree is no array"),
    ],
)
def test_pictures_and_texts_are_refused_in_one_line(environment_id, options, why):
    with pytest.raises(InvalidOptionError, match=why) as caught:
        gymnasium.make(environment_id, flat=True, **options)
    assert "\n" not in str(caught.value)


def test_other_values_are_refused():
    with pytest.raises(InvalidOptionError, match="flat is 'yes', expected one of"):
        gymnasium.make("GridWorld-v0", flat="yes")
