"""What every environment of the suite must hold. Each check takes a factory, so that planted faults can be passed."""

import copy
import pickle
from collections.abc import Callable

import gymnasium
import numpy as np
import pytest
from gymnasium import spaces
from gymnasium.envs.registration import EnvSpec

from procgen_bench.core.errors import (
    ClosedEnvironmentError,
    InvalidActionError,
    InvalidOptionError,
    InvalidTaskError,
    UnknownNameError,
)
from procgen_bench.core.task import Task
from procgen_bench.core.task_space import TaskSpace
from tests.envs.conformance.trajectory import assert_equal, digest, digests_here_and_there, play, seeded_space

SEEDS = range(10)
STEPS = 300
FEW_STEPS = 120
#: Seeds for environments whose episodes are longer than ``STEPS``.
FEW_SEEDS = SEEDS[:5]

#: Called without arguments or with ``gymnasium.make``'s keywords (``render_mode``).
Factory = Callable[..., gymnasium.Env]


def check_repeats_in_another_process(
    factory: Factory, player: Callable = play, steps: int = STEPS, seeds: range = SEEDS
) -> None:
    """Equal seeds give equal trajectories, bit for bit, whatever the hash seed, the threads and the process."""
    here, there = digests_here_and_there(player, factory, seeds, steps)
    differing = [seed for seed, one, other in zip(seeds, here, there, strict=True) if one != other]
    assert not differing, f"two processes gave different trajectories for the seeds {differing}"


def check_seed_decides(factory: Factory, seeds: range = SEEDS) -> None:
    """The same seed gives the same trajectory again, other seeds give others."""
    env = factory()
    once, again = ([digest(play(env, seed, FEW_STEPS)) for seed in seeds] for _ in range(2))
    assert once == again, "the same seeds gave other trajectories the second time"
    assert len(set(once)) > 1, f"{len(seeds)} seeds all gave one trajectory: the seed is ignored"


def check_seed_is_reported(factory: Factory) -> None:
    """After a seeded reset the environment tells the seed, also after resets without one, or refused ones."""
    env = factory().unwrapped
    for seed in (11, 4):
        env.reset(seed=seed)
        assert env.np_random_seed == seed, f"np_random_seed is {env.np_random_seed} after reset(seed={seed})"
        env.reset()
        with pytest.raises(InvalidOptionError):
            env.reset(seed=seed + 1, options={"nothing": 0})
        assert env.np_random_seed == seed, f"np_random_seed is {env.np_random_seed}, reset was last seeded with {seed}"


#: What :func:`~procgen_bench.core.seeding.checked_seed` refuses.
NO_SEEDS = (True, np.True_, -1, np.int64(-1), 2.0, "2")


def check_seed_types(factory: Factory) -> None:
    """NumPy's integers are the same seeds; what is none is refused, and the episode goes on."""
    env, undisturbed = factory(), factory()
    action = seeded_space(env.action_space, 0).sample()
    for one, seed in ((env, np.uint8(5)), (undisturbed, 5)):
        one.reset(seed=seed)
        assert type(one.unwrapped.np_random_seed) is int, f"reset with a {type(seed)} tells that as its seed"
    for wrong in (*NO_SEEDS, [2]):
        with pytest.raises(InvalidOptionError, match=r"seed is .*, expected an integer of at least 0, or None"):
            env.reset(seed=wrong)
    assert_equal(env.step(action), undisturbed.step(action), "a refused seed changed the episode")


def check_actions(factory: Factory) -> None:
    """All forms of an action are the same action; what is none is refused, and the episode goes on."""
    env, undisturbed = factory().unwrapped, factory().unwrapped
    space = seeded_space(env.action_space, 0)
    action = space.sample()
    expected = _first_step(undisturbed, action)
    for form in forms_of(action):
        assert_equal(_first_step(env, form), expected, f"action {form!r}")
    for wrong in (*no_actions(space), "left", None, [[0], [0, 1]], np.array(action)[np.newaxis]):
        with pytest.raises(InvalidActionError) as caught:
            env.step(wrong)
        assert str(space) in str(caught.value) and "\n" not in str(caught.value), str(caught.value)
    assert_equal(env.step(action), undisturbed.step(action), "a refused action changed the episode")


def _first_step(env: gymnasium.Env, action: object) -> tuple:
    env.reset(seed=3)
    return env.step(action)


def forms_of(action: np.ndarray | np.integer) -> list:
    """The same action, or actions, as lists, tuples, and of every type that holds the same kind of number."""
    array = np.asarray(action)
    types = "efd" if array.dtype.kind == "f" else "bhilBHIL"
    # Of half precision are few numbers: those that it can hold.
    same = [array.astype(kind) for kind in types if (array.astype(kind) == array).all()]
    listed = array.tolist()
    return [*same, listed, *([tuple(listed)] if array.ndim else [])]


def no_actions(space: spaces.Space) -> list[np.ndarray]:
    """Arrays of a batched or single space's shape that hold booleans, numbers outside, or another kind of number."""
    zeros = np.zeros(space.shape)
    if isinstance(space, spaces.Box):
        return [zeros.astype(bool), zeros + 1e6, zeros - 1e300, zeros + np.nan, zeros + 1j, zeros.astype(object)]
    return [zeros.astype(bool), zeros, zeros + np.nan, *(zeros.astype(int) + far for far in (256 * 10**6, -1, 2**40))]


def check_reset_leaves_nothing_behind(factory: Factory, steps: int = FEW_STEPS, num_tasks: int | None = None) -> None:
    """A seed and a task (the first ``num_tasks`` to try) give a new environment's trajectory after any history.

    That is a drawn task, the same and another one.
    """
    used = factory()
    tasks = dict(list(tasks_to_try(used).items())[:num_tasks])
    following = dict(zip(tasks, [*list(tasks.values())[1:], None]))
    for seed, (name, task) in enumerate(tasks.items()):
        expected = play(factory(), seed, steps, task)
        for history, other in enumerate((None, task, following[name])):
            play(used, 1_000 + history, 7 * history + 1 + seed, other)
            assert_equal(
                play(used, seed, steps, task), expected, f"task {name}, seed {seed}: an earlier episode left traces"
            )


def check_tasks_at_reset(factory: Factory) -> None:
    """A task, its name and its raw parameters, if any, put that task into the environment, with one trajectory."""
    env = factory()
    space = env.unwrapped.task_space
    encoded = 0
    for name, task in tasks_to_try(env).items():
        if task is None:
            continue
        expected = play(env, 0, 0, task)
        assert env.unwrapped.task == task, f"reset was given task {name}, but another is in the environment"
        forms = [name, *_parameters(space, task)]
        encoded += len(forms) - 1
        for form in forms:
            assert_equal(play(env, 0, 0, form), expected, f"task {name} given as {type(form).__name__}")
            assert env.unwrapped.task == task, f"reset was given task {name} as {type(form).__name__}, but has another"
    assert encoded, "no task has parameters"


def check_solvable_tasks(factory: Factory, episodes: int = 3) -> None:
    """``tasks="solvable"`` draws tasks that can be solved, decided by the seed or a saved state, or is refused."""
    if not draws_solvable_tasks(factory().unwrapped):
        with pytest.raises(InvalidOptionError, match=r"tasks is 'solvable'.*suites: ") as caught:
            factory(tasks="solvable")
        assert "\n" not in str(caught.value)
        return
    env, again = (factory(tasks="solvable") for _ in range(2))
    env.reset(seed=5)
    state, drawn = env.unwrapped.save_state(), _drawn_tasks(env, episodes)
    unsolvable = [task for task in drawn if not env.unwrapped.task_space.is_solvable(task)]
    assert not unsolvable, f"{len(unsolvable)} of {episodes} drawn tasks cannot be solved"
    for start in ({"options": {"state": state}}, {"seed": 5}):
        again.reset(**start)
        assert _drawn_tasks(again, episodes) == drawn, f"other tasks were drawn after reset(**{list(start)})"


def draws_solvable_tasks(env: gymnasium.Env) -> bool:
    """Whether the environment takes ``tasks="solvable"``."""
    return env.draws_solvable or env.task_space.draws_solvable_quickly


def _drawn_tasks(env: gymnasium.Env, episodes: int) -> list[Task]:
    drawn = []
    for _ in range(episodes):
        drawn.append(env.unwrapped.task)
        env.reset()
    return drawn


def check_unknown_arguments(factory: Factory, known: str = "tasks") -> None:
    """An unknown argument is refused by its name, with the one that may be meant, and all that there are."""
    with pytest.raises(UnknownNameError, match=rf"'{known}z'; did you mean '{known}'.*known: ") as caught:
        factory(**{f"{known}z": None})
    assert {"tasks", "render_mode"} <= set(caught.value.listed.split(", "))


def _parameters(space: TaskSpace, task: Task) -> list:
    """The task's raw parameters; none where its family's ``encode`` tells that it has none."""
    try:
        return [space.encode(task)]
    except InvalidTaskError as error:
        assert "to have parameters" in str(error)
        return []


def check_spaces_hold_every_observation(factory: Factory, seeds: range = SEEDS) -> None:
    """Every observation lies in the observation space, with exactly its shapes and dtypes."""
    env = factory()
    for seed in seeds:
        for number, moment in enumerate(play(env, seed, STEPS)):
            assert_in_space(moment.observation, env.observation_space, f"observation {number} of seed {seed}")


def assert_in_space(value, space: gymnasium.Space, name: str) -> None:
    """Stricter than ``Space.contains``, which lets dtypes pass that can be cast."""
    if isinstance(space, spaces.Dict):
        assert isinstance(value, dict) and set(value) == set(space), f"{name} has other keys than {list(space)}"
        for key, leaf in space.items():
            assert_in_space(value[key], leaf, f"{name}: {key}")
        return
    if isinstance(space, spaces.Box | spaces.MultiDiscrete | spaces.MultiBinary):
        assert isinstance(value, np.ndarray), f"{name} is a {type(value).__name__}, not an array"
        assert value.dtype == space.dtype, f"{name} has dtype {value.dtype}, not {space.dtype}"
        assert value.shape == space.shape, f"{name} has shape {value.shape}, not {space.shape}"
    assert space.contains(value), f"{name} lies outside {space}: {value}"


def check_copies(factory: Factory, player: Callable = play, steps: int = FEW_STEPS) -> None:
    """A pickled or deep-copied environment in the middle of an episode resets to the same trajectories."""
    env = factory()
    player(env, 5, 33)
    copies = {"pickled": pickle.loads(pickle.dumps(env)), "deep-copied": copy.deepcopy(env)}
    expected = player(env, 6, steps)
    for name, twin in copies.items():
        assert_equal(player(twin, 6, steps), expected, f"the {name} environment plays differently")


def check_instances_share_nothing(factory: Factory) -> None:
    """Seeding one environment's spaces does not disturb another's draws."""
    one, other = factory(), factory()
    for name in ("action_space", "observation_space"):
        getattr(one, name).seed(0)
        expected = [digest(getattr(one, name).sample()) for _ in range(20)]
        getattr(one, name).seed(0)
        getattr(other, name).seed(1)
        found = [digest(getattr(one, name).sample()) for _ in range(20)]
        assert found == expected, f"seeding one environment's {name} disturbed another's"
    parameters, others = (env.unwrapped.task_space.space for env in (one, other))
    draws = []
    for seed in (1, 2):
        parameters.seed(0)
        others.seed(seed)
        others.sample()
        draws.append(digest([parameters.sample() for _ in range(3)]))
    assert draws[0] == draws[1], "seeding the parameters of one environment's tasks disturbed another's"


def check_spec_round_trip(factory: Factory) -> None:
    """``env.spec`` survives JSON, and what it makes is the same environment."""
    env = factory()
    spec = EnvSpec.from_json(env.spec.to_json())
    assert spec == env.spec, f"the spec came back from JSON as {spec}"
    assert_equal(
        play(gymnasium.make(spec), 7, FEW_STEPS), play(env, 7, FEW_STEPS), "the environment made from the spec differs"
    )


def check_spec_of_tasks(factory: Factory) -> None:
    """The spec of an environment that was given tasks, in any form, survives JSON and pickling."""
    space = factory().unwrapped.task_space
    tasks = {name: task for name, task in tasks_to_try(factory()).items() if task is not None}
    for given in (list(tasks.values()), next(iter(tasks.values())), [space.sample(np.random.default_rng(0)), *tasks]):
        env = factory(tasks=given)
        spec = EnvSpec.from_json(env.spec.to_json())
        assert spec == env.spec == pickle.loads(pickle.dumps(env.spec)), f"the spec came back as {spec}"
        twin = gymnasium.make(spec)
        for one in (env, twin):
            one.reset(seed=0)
        drawn = [[one.unwrapped.task, one.reset()][0] for one in [env, twin] * 5]
        assert drawn[::2] == drawn[1::2], "the environment made from the spec draws other tasks"


def check_rendering(factory: Factory, steps: int = 40) -> None:
    """Every render mode gives frames of one kind, shows changes, and leaves the trajectory as it is."""
    expected = play(factory(), 8, steps)
    for mode in factory().metadata["render_modes"]:
        env, frames = factory(render_mode=mode), []
        if mode == "human":  # a pace for people would take minutes
            env.unwrapped.metadata = env.unwrapped.metadata | {"render_fps": 10_000}
        found = play(env, 8, steps, after_each=lambda: frames.append(env.render()))  # noqa: B023 - called in play
        env.close()
        assert_equal(found, expected, f"rendering as {mode} changed the trajectory")
        assert_frames(frames, mode)


def assert_frames(frames: list, mode: str) -> None:
    """Frames are of the kind that ``mode`` promises, of one shape, and not all the same."""
    if mode == "human":
        assert all(frame is None for frame in frames), "rendering for a person returned something"
        return
    if mode == "ansi":
        assert all(isinstance(frame, str) and frame for frame in frames), "ansi frames are not text"
    else:
        kinds = {(frame.dtype, frame.shape) for frame in frames}
        assert len(kinds) == 1, f"{mode} frames are of several kinds: {kinds}"
        ((dtype, shape),) = kinds
        assert dtype == np.uint8 and len(shape) == 3 and shape[2] == 3, f"{mode} frames are {dtype} {shape}"
    assert len({digest(frame) for frame in frames}) > 1, f"all {mode} frames are the same"


def check_time_limit(factory: Factory, seeds: range = SEEDS) -> None:
    """Episodes are truncated at exactly the registered number of steps."""
    env = factory()
    limit = gymnasium.spec(env.spec.id).max_episode_steps
    assert env.spec.max_episode_steps == limit, f"the spec says {env.spec.max_episode_steps} steps, registered {limit}"
    elapsed, truncations = 0, 0
    for seed in seeds:
        for number, moment in enumerate(play(env, seed, max(STEPS, 2 * limit))):
            elapsed = 0 if moment.reward is None else elapsed + 1
            if elapsed:
                assert moment.truncated == (elapsed >= limit), (
                    f"seed {seed}, moment {number}: truncated is {moment.truncated} at step {elapsed}, limit {limit}"
                )
                truncations += moment.truncated
    assert truncations, "no episode lasted to the limit, so this check saw nothing"


def check_close(factory: Factory) -> None:
    """Closing again has no effect, and nothing is played afterwards; a reset opens a single environment again."""
    env = factory()
    env.reset(seed=0)
    action = seeded_space(env.action_space, 0).sample()
    env.close()
    env.close()
    is_vector = isinstance(env, gymnasium.vector.VectorEnv)
    for call in (lambda: env.step(action), *((env.reset, lambda: env.reset(seed=0)) if is_vector else ())):
        with pytest.raises(ClosedEnvironmentError, match="the environment has been closed; make a new one"):
            call()
    if not is_vector:
        env.reset(seed=0)
        env.step(action)
        env.close()


def tasks_to_try(env: gymnasium.Env) -> dict[str, object]:
    """By name: the first and the last task of every suite, and none (the environment draws one)."""
    chosen: dict[str, object] = {"drawn": None}
    for name in env.unwrapped.task_space.suite_names:
        suite = env.unwrapped.task_space.suite(name)
        for task_name in (suite.task_names[0], suite.task_names[-1]):
            chosen[f"{name}/{task_name}"] = suite[task_name]
    return chosen
