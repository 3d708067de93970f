"""What saved states must hold in every environment; each check takes factories, as planted faults need it."""

import pickle
from dataclasses import replace

import gymnasium
import numpy as np
import pytest
from gymnasium.vector import AutoresetMode, VectorEnv

from procgen_bench.core.errors import InvalidOptionError, ResetNeededError
from procgen_bench.engine.saved_state import SavedState
from tests.envs.conformance.single_checks import Factory
from tests.envs.conformance.trajectory import assert_equal, seeded_space
from tests.envs.conformance.vector_checks import VectorFactory, info_of, row_of

#: Steps before a state is saved, and after it; rows are truncated in between, ``LIMIT`` steps after they began.
BEFORE, AFTER, LIMIT = 4, 5, 7
ROWS = 3


def check_goes_on(factory: Factory) -> None:
    """A state goes on in its environment, a new one and pickled, and what is drawn afterwards is the same."""
    env = factory().unwrapped
    observation, info, actions = _played(env, seed=3, steps=BEFORE)
    state = env.save_state()
    content = pickle.dumps(state)
    expected = _followed(env, actions)
    assert pickle.dumps(state) == content, "the state changed as the episode went on"
    _assert_frozen(state)
    loaded = pickle.loads(content)
    _assert_frozen(loaded)
    new = factory().unwrapped
    for place, other, given in (("itself", env, state), ("a new one", new, loaded), ("the new one again", new, state)):
        found = other.reset(options={"state": given})
        assert_equal(found, (observation, info), f"restored in {place}: the first observation or info")
        assert other.task == state.task, f"restored in {place}: another task"
        assert other.elapsed == state.elapsed == BEFORE, f"restored in {place}: another number of steps"
        assert_equal(_followed(other, actions), expected, f"restored in {place}")
    env.close()
    new.close()


def check_seed_beside_state(factory: Factory) -> None:
    """A seed decides what is drawn after a state, whatever the state's own random generator."""
    env, twin = factory().unwrapped, factory().unwrapped
    _played(env, seed=3, steps=2)
    state = env.save_state()
    drawn = []
    for one, history in ((env, 8), (twin, 9)):
        one.reset(seed=history)
        one.reset(seed=5, options={"state": state})
        one.reset()
        drawn.append(one.task)
    one.reset(options={"state": state})
    one.reset()
    assert drawn[0] == drawn[1], "tasks drawn after a state do not follow from the seed"
    assert drawn[0] != one.task, "the seed beside a state is ignored"
    env.close()
    twin.close()


def check_refusals(factory: Factory) -> None:
    """What is no state, or not of this kind, or not alone, is refused, and the episode goes on as it would have."""
    env = factory().unwrapped
    with pytest.raises(ResetNeededError, match="call reset first"):
        env.save_state()
    _, _, actions = _played(env, seed=4, steps=2)
    state = env.save_state()
    expected = _followed(env, actions)
    env.reset(options={"state": state})
    for options, problem in (
        ({"state": 3}, "state is 3, expected what save_state returns"),
        (
            {"state": replace(state, kind="a page")},
            f"the saved state belongs to a page; this environment needs one of {env.state_kind}",
        ),
        ({"state": state, "task": state.task}, "a state and a task, expected one of them"),
    ):
        with pytest.raises(InvalidOptionError) as caught:
            env.reset(seed=6, options=options)
        assert problem in str(caught.value) and "\n" not in str(caught.value)
    assert_equal(_followed(env, actions), expected, "a refused state left traces")
    env.close()


def check_ended(factory: Factory, steps: int) -> None:
    """The state after an end, which random play meets, is restored with all that was to be seen; no step follows."""
    env = factory().unwrapped
    actions = seeded_space(env.action_space, 0)
    env.reset(seed=0)
    for _ in range(steps):
        observation, _, terminated, truncated, info = env.step(actions.sample())
        if terminated or truncated:
            break
    assert terminated or truncated, f"no end within {steps} steps, so this check saw nothing"
    state, other = pickle.loads(pickle.dumps(env.save_state())), factory().unwrapped
    assert state.ended, "the state after an end is not called ended"
    assert_equal(other.reset(options={"state": state}), (observation, info), "restored after the end")
    assert other.task == env.task, "another task after the end"
    with pytest.raises(ResetNeededError):
        other.step(actions.sample())
    assert_equal(other.reset(), env.reset(), "the episode after the end")
    env.close()
    other.close()


def check_rows_go_on(vector_factory: VectorFactory, factory: Factory) -> None:
    """States of rows go on in rows, anywhere among others, and in single environments, past their truncation."""
    env = vector_factory(num_envs=ROWS, max_episode_steps=LIMIT)
    observations, infos, actions = _played_rows(env, BEFORE)
    states = [*env.unwrapped.save_states([0, 1]), *env.unwrapped.save_states()[2:]]
    batches = [actions.sample() for _ in range(AFTER)]
    expected = _led(env, batches)
    assert expected[LIMIT - BEFORE - 1][3][2], "the last row was not truncated, so this check saw too little"
    found, found_infos = env.reset(seed=99, options={"state": states})
    assert_equal(found, observations, "restored rows' observations")
    for k in range(ROWS):
        assert_equal(info_of(found_infos, k), info_of(infos, k), f"restored row {k}'s info")
    env.reset(options={"state": states})
    assert_equal(_led(env, batches), expected, "restored rows")
    _check_row_among_others(env, states[0], batches, expected)
    _check_single_of_row(env, factory, states[2], batches, expected)
    env.close()


def check_ended_rows(vector_factory: VectorFactory, factory: Factory) -> None:
    """Truncated rows are saved as ended: they restart as they would have, and single environments refuse a step."""
    env = vector_factory(num_envs=ROWS, max_episode_steps=BEFORE)
    observations, infos, actions = _played_rows(env, BEFORE)
    states = env.unwrapped.save_states()
    assert all(state.ended and state.elapsed == BEFORE for state in states), "truncated rows are not saved as ended"
    batch = actions.sample()
    expected = _led(env, [batch, batch])
    env.reset(options={"state": states})
    assert_equal(_led(env, [batch, batch]), expected, "rows that were restored after their end")
    single = factory().unwrapped
    found = single.reset(options={"state": states[1]})
    assert_equal(found, (row_of(observations, 1), info_of(infos, 1)), "a row's end in a single environment")
    with pytest.raises(ResetNeededError):
        single.step(batch[1])
    single.close()
    env.close()


def check_ended_rows_wait(vector_factory: VectorFactory) -> None:
    """Where rows do not restart by themselves, a restored end waits for a reset."""
    env = vector_factory(num_envs=2, max_episode_steps=1, autoreset_mode=AutoresetMode.DISABLED)
    env.reset(seed=5)
    batch = seeded_space(env.action_space, 0).sample()
    env.step(batch)
    (state,) = env.unwrapped.save_states([1])
    env.reset(seed=6)
    env.reset(options={"state": state, "reset_mask": np.array([True, False])})
    with pytest.raises(ResetNeededError, match=r"after the end of the episode in rows \[0\]"):
        env.step(batch)
    env.close()


def _check_row_among_others(env: VectorEnv, state: SavedState, batches: list, expected: list) -> None:
    """Row 0's state goes on in row 1, between others that do not notice."""
    env.reset(seed=31)
    plain = _led(env, batches)
    env.reset(seed=31)
    env.reset(options={"state": [None, state, None], "reset_mask": np.array([False, True, False])})
    moved = [np.concatenate([batch[:1], batch[:1], batch[2:]]) for batch in batches]
    for number, (found, own, others) in enumerate(zip(_led(env, moved), expected, plain)):
        place = f"step {number}"
        assert_equal(_moment(found, 1), _moment(own, 0), f"{place}: row 0's state in row 1")
        for k in (0, 2):
            assert_equal(_moment(found, k), _moment(others, k), f"{place}: row {k} beside a restored one")


def _check_single_of_row(env: VectorEnv, factory: Factory, state: SavedState, batches: list, expected: list) -> None:
    """A row's state goes on in a single environment, whose state goes on in the rows."""
    single = factory().unwrapped
    single.reset(options={"state": state})
    for number in range(LIMIT - BEFORE - 1):
        observation, reward, *_ = single.step(batches[number][2])
        own = expected[number]
        assert_equal((observation, reward), (row_of(own[0], 2), float(own[1][2])), f"step {number}: a row's state")
    env.reset(options={"state": single.save_state()})
    last, rest = LIMIT - BEFORE - 1, [np.stack([batch[2]] * ROWS) for batch in batches[LIMIT - BEFORE - 1 :]]
    for number, found in enumerate(_led(env, rest), start=last):
        for k in range(ROWS):
            assert_equal(_moment(found, k), _moment(expected[number], 2), f"step {number}: a single's state in row {k}")
    single.close()


def _played(env: gymnasium.Env, seed: int, steps: int):
    """Some steps of an episode of a drawn task that has not ended by then: the last observation and info, actions."""
    for own_seed in range(seed, seed + 20):
        actions = seeded_space(env.action_space, own_seed)
        env.reset(seed=own_seed)
        for _ in range(steps):
            observation, _, terminated, truncated, info = env.step(actions.sample())
            if terminated or truncated:
                break
        else:
            return observation, info, [actions.sample() for _ in range(AFTER)]
    raise AssertionError(f"no episode lasted for {steps} steps, so this check saw nothing")


def _played_rows(env: VectorEnv, steps: int):
    """As :func:`_played`, in every row, which the time limit alone may end with the last step."""
    for attempt in range(50):
        actions = seeded_space(env.action_space, attempt)
        env.reset(seed=1_000 * attempt)
        for number in range(1, steps + 1):
            observations, _, terminations, truncations, infos = env.step(actions.sample())
            if terminations.any() or (number < steps and truncations.any()):
                break
        else:
            return observations, infos, actions
    raise AssertionError(f"rows never lasted for {steps} steps, so this check saw nothing")


def _followed(env: gymnasium.Env, actions: list) -> list:
    """What the actions come to, an ended episode's followed by a bare reset; then two further drawn episodes' begin."""
    found = []
    for action in actions:
        found.append(env.step(action))
        if found[-1][2] or found[-1][3]:
            found.append(env.reset())
    for _ in range(2):
        found += [env.reset(), env.step(actions[0])]
    return [*found, env.task.fingerprint()]


def _led(env: VectorEnv, batches: list) -> list:
    return [(*env.step(batch), [task.fingerprint() for task in env.unwrapped.tasks]) for batch in batches]


def _moment(led: tuple, k: int) -> tuple:
    """Row ``k`` of what a step of a vector environment has returned, with its task."""
    observations, rewards, terminations, truncations, infos, tasks = led
    return row_of(observations, k), rewards[k], terminations[k], truncations[k], info_of(infos, k), tasks[k]


def _assert_frozen(state: SavedState) -> None:
    with pytest.raises(AttributeError):
        state.ended = True
    with pytest.raises(TypeError):
        state.values["more"] = 1
    for name, value in state.values.items():
        assert not isinstance(value, np.ndarray) or not value.flags.writeable, f"{name} can be written into"
