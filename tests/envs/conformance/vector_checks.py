"""What every native vector environment must hold; each check takes factories, so that planted faults can be passed."""

from collections.abc import Callable
from functools import partial
from typing import Any

import gymnasium
import numpy as np
import pytest
from gymnasium.utils.seeding import np_random
from gymnasium.vector import AutoresetMode, SyncVectorEnv, VectorEnv

from procgen_bench.core.errors import InvalidActionError, InvalidOptionError
from tests.envs.conformance.single_checks import (
    NO_SEEDS,
    Factory,
    assert_frames,
    assert_in_space,
    draws_solvable_tasks,
    forms_of,
    no_actions,
    tasks_to_try,
)
from tests.envs.conformance.trajectory import assert_equal, play_vector, seeded_space

ROWS = 6
#: Called with ``num_envs``, ``autoreset_mode`` and the environment's keywords.
VectorFactory = Callable[..., VectorEnv]


def check_rows_equal_single(
    vector_factory: VectorFactory, factory: Factory, mode: AutoresetMode, num_rows: int = ROWS, num_limits: int = 3
) -> None:
    """Row ``k`` equals the single environment with the same task and seed, through the ends of several episodes.

    That is watched for as many steps as ``num_limits`` truncated episodes have, and some more.
    """
    env = vector_factory(num_envs=num_rows, autoreset_mode=mode)
    tasks = list(tasks_to_try(factory()).values())[:num_rows]
    tasks += [None] * (num_rows - len(tasks))
    seeds = [100 + 3 * row for row in range(num_rows)]
    observations, infos = env.reset(seed=seeds, options={"task": tasks})
    rows = [_FollowedRow(factory(), mode) for _ in range(num_rows)]
    for k, row in enumerate(rows):
        row.compare(k, row.begin(seeds[k], tasks[k]), observations, infos)
    actions = seeded_space(env.action_space, 0)
    for _ in range(num_limits * rows[0].env.spec.max_episode_steps + 7):
        batch = actions.sample()
        observations, rewards, terminations, truncations, infos = env.step(batch)
        for k, row in enumerate(rows):
            expected = row.advance(batch[k])
            row.compare(k, expected, observations, infos, (rewards[k], terminations[k], truncations[k]))
        ended = terminations | truncations
        if mode == AutoresetMode.DISABLED and ended.any():
            tasks = tasks[1:] + tasks[:1]
            observations, infos = env.reset(options={"reset_mask": ended, "task": tasks})
            for k in np.flatnonzero(ended):
                rows[k].compare(k, rows[k].begin(None, tasks[k]), observations, infos)
    assert min(row.episodes for row in rows) > 1, "a row saw no second episode, so this check saw too little"


def check_vector_seed_types(vector_factory: VectorFactory) -> None:
    """As :func:`check_seed_types` of single environments, by the same rule; of one seed and of one per row."""
    env, undisturbed = vector_factory(num_envs=2), vector_factory(num_envs=2)
    actions = seeded_space(env.action_space, 0).sample()
    rows = env.num_envs
    expected = undisturbed.reset(seed=5)
    for seed in (np.uint8(5), 5):
        assert_equal(env.reset(seed=seed), expected, f"seed {seed!r}")
    expected = undisturbed.reset(seed=list(range(rows)))
    assert_equal(env.reset(seed=np.arange(rows)), expected, "an array of seeds")
    for wrong in (*NO_SEEDS, *([seed] * rows for seed in NO_SEEDS), [[2]] * rows):
        with pytest.raises(InvalidOptionError, match="seed"):
            env.reset(seed=wrong)
    assert_equal(env.step(actions), undisturbed.step(actions), "a refused seed changed the episodes")
    for one in (env, undisturbed):
        one.close()


def check_vector_actions(vector_factory: VectorFactory) -> None:
    """As :func:`check_actions` of single environments, by the same rule."""
    env, undisturbed = vector_factory(num_envs=2), vector_factory(num_envs=2)
    actions = seeded_space(env.action_space, 0).sample()
    expected = _first_step(undisturbed, actions)
    for form in forms_of(actions):
        assert_equal(_first_step(env, form), expected, f"actions {form!r}")
    for wrong in (*no_actions(env.action_space), "left", None, [[0], [0, 1]], actions[0], actions[:1]):
        with pytest.raises(InvalidActionError) as caught:
            env.step(wrong)
        assert "expected" in str(caught.value) and "\n" not in str(caught.value), str(caught.value)
    assert_equal(env.step(actions), undisturbed.step(actions), "refused actions changed the episodes")
    for one in (env, undisturbed):
        one.close()


def _first_step(env: VectorEnv, actions: object) -> tuple:
    env.reset(seed=3)
    return env.step(actions)


class _FollowedRow:
    """A single environment led as one row of a vector environment is."""

    def __init__(self, env: gymnasium.Env, mode: AutoresetMode):
        self.env, self.mode = env, mode
        self.episodes, self.ended, self.step_number = 0, False, 0

    def begin(self, seed: int | None = None, task=None) -> dict[str, Any]:
        self.episodes, self.ended = self.episodes + 1, False
        observation, info = self.env.reset(seed=seed, options={"task": task})
        return {"observation": observation, "info": info, "outcome": (0.0, False, False)}

    def advance(self, action) -> dict[str, Any]:
        self.step_number += 1
        if self.ended and self.mode == AutoresetMode.NEXT_STEP:
            return self.begin()
        observation, reward, terminated, truncated, info = self.env.step(action)
        outcome = (reward, terminated, truncated)
        self.ended = terminated or truncated
        if self.ended and self.mode == AutoresetMode.SAME_STEP:
            return self.begin() | {"outcome": outcome, "final_observation": observation, "final_info": info}
        return {"observation": observation, "info": info, "outcome": outcome}

    def compare(self, k: int, expected: dict, observations, infos: dict, outcome=(0.0, False, False)) -> None:
        place = f"row {k}, step {self.step_number} ({self.mode.name})"
        assert_equal(row_of(observations, k), expected["observation"], f"{place}: the observation differs")
        reward, terminated, truncated = outcome
        assert_equal(
            (float(reward), bool(terminated), bool(truncated)), expected["outcome"], f"{place}: the outcome differs"
        )
        found = info_of(infos, k)
        final_observation, final_info = found.pop("final_obs", None), found.pop("final_info", None)
        assert_equal(found, expected["info"], f"{place}: the info differs")
        assert_equal(final_observation, expected.get("final_observation"), f"{place}: the final observation differs")
        assert_equal(final_info, expected.get("final_info"), f"{place}: the final info differs")


def row_of(batch, k: int):
    """Row ``k`` of a batched observation."""
    return {name: array[k] for name, array in batch.items()} if isinstance(batch, dict) else batch[k]


def info_of(infos: dict[str, Any], k: int) -> dict[str, Any]:
    """What ``infos`` say of row ``k``: the entries whose mask is set there, as the single environment's info."""
    found = {}
    for name, values in infos.items():
        if f"_{name}" in infos and infos[f"_{name}"][k]:
            value = info_of(values, k) if isinstance(values, dict) else values[k]
            found[name] = value.item() if isinstance(value, np.generic) else value
    return found


def check_equals_sync(vector_factory: VectorFactory, factory: Factory, mode: AutoresetMode, steps: int = 160) -> None:
    """Gymnasium's ``SyncVectorEnv`` over the single environment returns the same batches, rewards and infos."""
    native = vector_factory(num_envs=ROWS, autoreset_mode=mode)
    sync = SyncVectorEnv([factory] * ROWS, autoreset_mode=mode)
    assert native.observation_space == sync.observation_space and native.action_space == sync.action_space
    assert native.metadata["autoreset_mode"] == sync.metadata["autoreset_mode"] == mode
    moments = zip(play_vector(native, 9, steps), play_vector(sync, 9, steps), strict=True)
    for number, (ours, theirs) in enumerate(moments):
        place = f"{mode.name}, moment {number}"
        assert_equal(ours[:4], theirs[:4], f"{place}: SyncVectorEnv returned something else")
        for k in range(ROWS):
            assert_equal(info_of(ours.info, k), info_of(theirs.info, k), f"{place}, row {k}: SyncVectorEnv's info")


def check_success_in_the_last_step(vector_factory: VectorFactory, factory: Factory) -> None:
    """A task that is solved in the last allowed step is truncated, too, as ``TimeLimit`` says, in a row as well."""
    env = factory()
    space = env.unwrapped.task_space
    plans = ((task, space.solve(task)) for task in tasks_to_try(env).values() if task is not None)
    task, plan = next((task, plan) for task, plan in plans if plan is not None)
    single, rows = (make(max_episode_steps=len(plan)) for make in (factory, partial(vector_factory, num_envs=1)))
    for one in (single, rows):
        one.reset(seed=1, options={"task": task})
    for number, action in enumerate(plan, 1):
        _, reward, terminated, truncated, info = single.step(action)
        _, *outcome, infos = rows.step(np.asarray(action)[np.newaxis])
        expected = (reward, terminated, truncated, info["success"])
        assert expected[2:] == (number == len(plan),) * 2, f"step {number} of {len(plan)}: {expected}"
        assert_equal(tuple(one.item() for one in (*outcome, infos["success"])), expected, f"step {number}: the row")
    rows.close()


def check_batched_spaces_hold(vector_factory: VectorFactory, mode: AutoresetMode) -> None:
    """Every batch of observations lies in the batched space; rewards and ends have Gymnasium's dtypes."""
    env = vector_factory(num_envs=ROWS, autoreset_mode=mode)
    for number, moment in enumerate(play_vector(env, 10, 300)):
        assert_in_space(moment.observation, env.observation_space, f"batch {number} of {mode.name}")
        if moment.reward is not None:
            assert moment.reward.dtype == np.float64 and moment.reward.shape == (ROWS,)
            for ends in (moment.terminated, moment.truncated):
                assert ends.dtype == np.bool_ and ends.shape == (ROWS,)


def check_solvable_rows(vector_factory: VectorFactory, factory: Factory, num_rows: int = 3) -> None:
    """With ``tasks="solvable"`` rows draw what single environments draw, also when they reset by themselves."""
    if not draws_solvable_tasks(factory().unwrapped):
        with pytest.raises(InvalidOptionError, match="tasks is 'solvable'"):
            vector_factory(num_envs=num_rows, tasks="solvable")
        return
    seeds = list(range(5, 5 + num_rows))
    env = vector_factory(num_envs=num_rows, tasks="solvable", max_episode_steps=1)
    singles = [factory(tasks="solvable") for _ in seeds]
    env.reset(seed=seeds)
    for seed, single in zip(seeds, singles):
        single.reset(seed=seed)
    for _ in range(2):
        assert env.tasks == tuple(single.unwrapped.task for single in singles)
        for _ in range(2):  # the one step of the episode, and the one that begins the next
            env.step(env.action_space.sample())
        for single in singles:
            single.reset()


def check_vector_reset_leaves_nothing_behind(vector_factory: VectorFactory, num_tasks: int | None = None) -> None:
    """A seed and a task (the first ``num_tasks`` to try) give a new environment's trajectory after any history."""
    used = vector_factory(num_envs=ROWS)
    tasks = dict(list(tasks_to_try(used).items())[:num_tasks])
    for seed, (name, task) in enumerate(tasks.items()):
        expected = play_vector(vector_factory(num_envs=ROWS), seed, 70, task)
        play_vector(used, 1_000 + seed, 11 * seed + 1, list(tasks.values())[seed - 1])
        assert_equal(play_vector(used, seed, 70, task), expected, f"task {name}: an earlier episode left traces")


def check_own_generator_is_seeded(vector_factory: VectorFactory) -> None:
    """``reset(seed=)`` seeds the environment's own ``np_random``, as Gymnasium's vector environments do."""
    env = vector_factory(num_envs=2)
    for seed in (7, np.int64(8)):
        env.reset(seed=seed)
        assert env.np_random_seed == seed, f"np_random_seed is {env.np_random_seed} after reset(seed={seed})"
        drawn, expected = env.np_random.random(), np_random(int(seed))[0]
        assert drawn == expected.random(), f"np_random is not the generator of seed {seed}"
        env.reset()
        with pytest.raises(InvalidOptionError):
            env.reset(seed=9, options={"nothing": 0})
        assert env.np_random_seed == seed and env.np_random.random() == expected.random(), "a reset without a seed"
    drawn = []
    for seeds in ([1, 2], [1, 2], [1, 3], [1, None]):
        env.reset(seed=seeds)
        assert env.np_random_seed == -1, f"np_random_seed is {env.np_random_seed} after reset(seed={seeds})"
        drawn.append(env.np_random.random())
    assert drawn[0] == drawn[1] and len(set(drawn)) == 3, f"lists of seeds gave the numbers {drawn}"
    env.reset(seed=[None, None])
    assert env.np_random.random() not in drawn, "a list of no seeds has seeded np_random"
    env.close()


def check_vector_rendering(vector_factory: VectorFactory, factory: Factory) -> None:
    """``render`` gives one frame per row, the single environment's frame of the same task."""
    for mode in vector_factory(num_envs=1).metadata["render_modes"]:
        env, single = vector_factory(num_envs=ROWS, render_mode=mode), factory(render_mode=mode)
        env.reset(seed=11)
        frames = env.render()
        assert len(frames) == ROWS, f"{len(frames)} frames for {ROWS} rows"
        assert_frames(list(frames), mode)
        for k, task in enumerate(env.unwrapped.tasks):
            single.reset(options={"task": task})
            assert_equal(frames[k], single.render(), f"row {k}'s {mode} frame is not the single environment's")
