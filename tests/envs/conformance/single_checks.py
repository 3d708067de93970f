"""What every environment of the suite must hold. Each check takes a factory, so that planted faults can be passed."""

import copy
import pickle
from collections.abc import Callable

import gymnasium
import numpy as np
from gymnasium import spaces
from gymnasium.envs.registration import EnvSpec

from procgen_bench.errors import InvalidTaskError
from procgen_bench.task import Task
from procgen_bench.task_space import TaskSpace
from tests.envs.conformance.trajectory import assert_equal, digest, digests_in_fresh_process, play

SEEDS = range(20)
STEPS = 300
FEW_STEPS = 120
#: Seeds for environments whose episodes are longer than ``STEPS``.
FEW_SEEDS = SEEDS[:5]

#: Called without arguments or with ``gymnasium.make``'s keywords (``render_mode``).
Factory = Callable[..., gymnasium.Env]


def check_repeats_in_fresh_processes(
    factory: Factory, player: Callable = play, steps: int = STEPS, seeds: range = SEEDS
) -> None:
    """Equal seeds give equal trajectories, bit for bit, whatever the hash seed, the threads and the process."""
    first = digests_in_fresh_process(player, factory, seeds, steps, hash_seed=1, threads=1)
    second = digests_in_fresh_process(player, factory, seeds, steps, hash_seed=2, threads=2)
    differing = [seed for seed, one, other in zip(seeds, first, second, strict=True) if one != other]
    assert not differing, f"two fresh processes gave different trajectories for the seeds {differing}"


def check_seed_decides(factory: Factory, seeds: range = SEEDS) -> None:
    """The same seed gives the same trajectory again, other seeds give others."""
    env = factory()
    once, again = ([digest(play(env, seed, FEW_STEPS)) for seed in seeds] for _ in range(2))
    assert once == again, "the same seeds gave other trajectories the second time"
    assert len(set(once)) > 1, f"{len(seeds)} seeds all gave one trajectory: the seed is ignored"


def check_reset_leaves_nothing_behind(factory: Factory) -> None:
    """A seed and a task give a new environment's trajectory after a drawn task, the same and another one."""
    used = factory()
    tasks = tasks_to_try(used)
    following = dict(zip(tasks, [*list(tasks.values())[1:], None]))
    for seed, (name, task) in enumerate(tasks.items()):
        expected = play(factory(), seed, FEW_STEPS, task)
        for history, other in enumerate((None, task, following[name])):
            play(used, 1_000 + history, 7 * history + 1 + seed, other)
            assert_equal(
                play(used, seed, FEW_STEPS, task), expected, f"task {name}, seed {seed}: an earlier episode left traces"
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


def check_copies(factory: Factory, player: Callable = play) -> None:
    """A pickled or deep-copied environment in the middle of an episode resets to the same trajectories."""
    env = factory()
    player(env, 5, 33)
    copies = {"pickled": pickle.loads(pickle.dumps(env)), "deep-copied": copy.deepcopy(env)}
    expected = player(env, 6, FEW_STEPS)
    for name, twin in copies.items():
        assert_equal(player(twin, 6, FEW_STEPS), expected, f"the {name} environment plays differently")


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


def check_spec_round_trip(factory: Factory) -> None:
    """``env.spec`` survives JSON, and what it makes is the same environment."""
    env = factory()
    spec = EnvSpec.from_json(env.spec.to_json())
    assert spec == env.spec, f"the spec came back from JSON as {spec}"
    assert_equal(
        play(gymnasium.make(spec), 7, FEW_STEPS), play(env, 7, FEW_STEPS), "the environment made from the spec differs"
    )


def check_rendering(factory: Factory, steps: int = FEW_STEPS) -> None:
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


def check_close_twice(factory: Factory) -> None:
    """Closing again has no effect."""
    env = factory()
    env.reset(seed=0)
    env.close()
    env.close()


def tasks_to_try(env: gymnasium.Env) -> dict[str, object]:
    """By name: the first and the last task of every suite, and none (the environment draws one)."""
    chosen: dict[str, object] = {"drawn": None}
    for name in env.unwrapped.task_space.suite_names:
        suite = env.unwrapped.task_space.suite(name)
        for task_name in (suite.task_names[0], suite.task_names[-1]):
            chosen[f"{name}/{task_name}"] = suite[task_name]
    return chosen
