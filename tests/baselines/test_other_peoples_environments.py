"""Environments of other people's: methods learn in them and play what was learned, or refuse them before."""

import dataclasses
import sys
from pathlib import Path

import gymnasium
import numpy as np
import pytest
from gymnasium import spaces

from procgen_bench.baselines.action_kinds import UnsupportedActionsError
from procgen_bench.baselines.method_table import METHODS, get_method
from procgen_bench.baselines.papers.sibling_rivalry.goal_view import has_starts
from procgen_bench.baselines.parts.hierarchy import training_options
from procgen_bench.baselines.policies.arrays import UnreadableObservationsError, named_space
from procgen_bench.baselines.policies.loading import load_policy
from procgen_bench.baselines.policies.onnx.export import export_folder
from procgen_bench.baselines.training.evaluation import play_episodes
from procgen_bench.core.benchmarks import get_benchmark
from procgen_bench.core.errors import UndrawnTasksError, UnsupportedEnvironmentError
from procgen_bench.core.registrations import family_id
from tests.baselines.test_matrix import SMALL
from tests.examples.corridor_benchmarks import corridor_benchmark

sys.path.append(str(Path(__file__).parents[2] / "examples"))
import corridor  # noqa: F401 - registers it
from corridor.environment import CorridorEnv, CorridorVectorEnv
from corridor.simulation import CorridorSimulation, start_rows, step_rows

BENCHMARK = corridor_benchmark("Corridor-v0")
SHAPES = {
    "vector": spaces.Box(np.float32([0, -1]), np.float32([8, 1])),
    "number": spaces.Discrete(27),
    "few": spaces.Discrete(9, start=-1),
    "numbers": spaces.MultiDiscrete([9, 3]),
    "bits": spaces.MultiBinary(4),
    "mixed": spaces.Dict({"door": spaces.Discrete(9), "sign": spaces.MultiDiscrete([3])}),
    "nested": spaces.Dict({"inside": spaces.Dict({"door": spaces.Discrete(9)})}),
    "pair": spaces.Tuple([spaces.Discrete(9), spaces.Discrete(3)]),
}
READABLE = [name for name in SHAPES if name not in ("nested", "pair")]
METHODS_FOR_FEW = ("dqn", "dqn-icm", "dqn-rnd", "dqn-ride")


class ShapedSimulation(CorridorSimulation):
    """A corridor that is shown otherwise."""

    def __init__(self, num_rows, max_episode_steps, shape):
        super().__init__(num_rows, max_episode_steps)
        self.shape, self.observations = shape, None
        self.places = np.zeros((num_rows, 2), np.float32)
        self.state_names = ("places",)
        self.show()

    def start(self, rows, fresh):
        start_rows(rows, fresh, self.streams, *self.bank, *self.task_rows, self.places, self.outcomes)
        self.show()

    def step(self, actions, active):
        step_rows(actions, active, self.max_episode_steps, *self.task_rows, self.places, self.outcomes)
        self.show()

    def resumed(self, rows):
        self.show()

    def show(self):
        door, sign = self.places.astype(np.int64).T
        shown = {
            "vector": self.places,
            "number": 3 * door + sign + 1,
            "few": door - 1,
            "numbers": np.stack([door, sign + 1], axis=1),
            "bits": (np.stack([door, door // 2, door // 4, sign + 1], axis=1) % 2).astype(np.int8),
            "mixed": {"door": door, "sign": sign[:, None] + 1},
            "nested": {"door": door},
            "pair": self.places,
        }[self.shape]
        if self.observations is None:
            self.observations = shown
        elif isinstance(shown, dict):
            for name, array in shown.items():
                self.observations[name][...] = array
        else:
            self.observations[...] = shown


class ShapedEnv(CorridorEnv):
    def __init__(self, shape="vector", **others):
        self.shape, self.observation_space = shape, SHAPES[shape]
        super().__init__(**others)

    def make_simulation(self, num_rows, max_episode_steps):
        return ShapedSimulation(num_rows, max_episode_steps, self.shape)


class ShapedVectorEnv(CorridorVectorEnv):
    single_env_type = ShapedEnv


class TurningEnv(CorridorEnv):
    action_space = spaces.Box(-1, 1, (2,))


class UnboundedEnv(CorridorEnv):
    action_space = spaces.Box(-np.inf, np.inf, (2,))


class UnboundedVectorEnv(CorridorVectorEnv):
    single_env_type = UnboundedEnv


class BigEnv(CorridorEnv):
    action_space = spaces.MultiDiscrete([20, 20])


@pytest.fixture(autouse=True)
def registered():
    """Environments of this file by their ids, for the time of a test."""
    before = dict(gymnasium.registry)
    entry = f"{__name__}:"
    for name in SHAPES:
        gymnasium.register(
            f"{name.capitalize()}Corridor-v0",
            entry_point=f"{entry}ShapedEnv",
            vector_entry_point=f"{entry}ShapedVectorEnv",
            max_episode_steps=40,
            disable_env_checker=True,
            kwargs={"shape": name},
        )
    for name in ("Turning", "Unbounded", "Big"):
        gymnasium.register(f"{name}-v0", entry_point=f"{entry}{name}Env", max_episode_steps=40)
    for known in ("BitGrid-v0", "GridWorld-v0", "SparseAntMaze-v0"):
        spec = gymnasium.spec(known)
        gymnasium.register(
            f"Their{known}",
            entry_point=spec.entry_point,
            vector_entry_point=spec.vector_entry_point,
            max_episode_steps=spec.max_episode_steps,
            disable_env_checker=True,
        )
    yield
    gymnasium.registry.clear()
    gymnasium.registry.update(before)


def train(name, benchmark, out, steps=24, **options):
    method = get_method(name)
    method.check_environment(benchmark.environment_id)
    configuration = method.load("configuration")
    fields = {field.name for field in dataclasses.fields(configuration)}
    settings = {key: value for key, value in SMALL.items() if key in fields} | options
    return method.train(benchmark, configuration(**settings), 0, steps, out)


def shaped(name):
    return dataclasses.replace(BENCHMARK, environment_id=f"{name.capitalize()}Corridor-v0")


@pytest.mark.parametrize(
    "name",
    [
        "recurrent-ppo",
        "dqn",
        *(pytest.param(name, marks=pytest.mark.slow) for name in ("ppo", "a2c", *METHODS_FOR_FEW[1:])),
    ],
)
def test_methods_learn_from_observations_without_names(name, tmp_path):
    assert train(name, BENCHMARK, tmp_path / "run").finished


@pytest.mark.parametrize(
    ("name", "shape"),
    [
        pytest.param(name, shape, marks=() if (name, shape) == ("ppo", "mixed") else pytest.mark.slow)
        for name in ("ppo", "dqn")
        for shape in READABLE
    ],
)
def test_what_learned_from_arrays_of_any_kind_plays_and_is_exported(name, shape, tmp_path):
    benchmark = shaped(shape)
    run = train(name, benchmark, tmp_path / "run", steps=48)
    (tmp_path / "policy.onnx").write_bytes(export_folder(run.path))
    tasks, played = [*benchmark.task_suite()], []
    for source in (run.policy_path, tmp_path / "policy.onnx"):
        policy = load_policy(source, benchmark.environment_id)
        policy.seed(0)
        episodes = play_episodes(policy, benchmark.environment_id, tasks, [1, 2, 3])
        played.append([episode.actions.tolist() for episode in episodes])
        policy.close()
    assert played[0] == played[1]


@pytest.mark.parametrize("shape", ["nested", "pair"])
def test_other_observations_are_refused_before_there_is_a_folder(shape, tmp_path):
    with pytest.raises(UnreadableObservationsError, match=r"is of .*expected Box, .* let the environment show arrays"):
        train("ppo", shaped(shape), tmp_path / "run")
    assert not (tmp_path / "run").exists()


def test_a_dictionary_of_nothing_is_refused():
    with pytest.raises(UnreadableObservationsError, match=r"observation is of Dict\(\), expected Box, "):
        named_space(spaces.Dict({}))


@pytest.mark.parametrize(
    ("method", "expected"),
    [("ppo", "no distribution over others"), ("dqn", "for ppo or sac"), ("sac", "; use ppo or dqn")],
)
def test_other_actions_are_refused_before_there_is_a_folder(method, expected, tmp_path):
    gymnasium.registry["Unbounded-v0"].vector_entry_point = f"{__name__}:UnboundedVectorEnv"
    with pytest.raises(UnsupportedActionsError, match=rf"actions are of Box.*expected .*{expected}"):
        train(method, dataclasses.replace(BENCHMARK, environment_id="Unbounded-v0"), tmp_path / "run")
    assert not (tmp_path / "run").exists()


@pytest.mark.parametrize(
    ("options", "who"),
    [
        ({"teacher": "apt-gen"}, "teacher 'apt-gen'"),
        ({"teacher": "targets"}, "teacher 'targets'"),
        ({"target_share": 0.5}, "target_share 0.5"),
    ],
)
def test_targets_that_nothing_draws_are_refused_before_there_is_a_folder(options, who, tmp_path):
    with pytest.raises(UndrawnTasksError) as caught:
        train("ppo", BENCHMARK, tmp_path / "run", **options)
    message = str(caught.value)
    assert message.startswith(f"{who} proposes tasks like those of corridor/named, which cannot be drawn")
    assert "suite 'named' a draw_like" in message and "fresh='seeds'" in message and "\n" not in message
    assert not (tmp_path / "run").exists()


@pytest.mark.parametrize("options", [{"teacher": "targets"}, {"target_share": 0.5}])
def test_a_suite_that_may_be_trained_on_has_targets(options, tmp_path):
    benchmark = dataclasses.replace(BENCHMARK, fresh="seeds")
    assert train("ppo", benchmark, tmp_path / "run", **options).finished


def test_their_actions_decide_for_which_methods_they_are():
    for name in METHODS_FOR_FEW:
        METHODS[name].check_environment("Corridor-v0")
        with pytest.raises(UnsupportedActionsError, match=r"expected discrete ones.*other spaces are for ppo or sac"):
            METHODS[name].check_environment("Turning-v0")
        with pytest.raises(UnsupportedActionsError, match=r"400 in all, expected at most 256.*more are for ppo"):
            METHODS[name].check_environment("Big-v0")
    METHODS["sac"].check_environment("Turning-v0")
    for environment_id in ("Corridor-v0", "Unbounded-v0"):
        with pytest.raises(UnsupportedActionsError, match=r"expected a bounded Box; use ppo or dqn"):
            METHODS["sac"].check_environment(environment_id)


def test_methods_for_goals_take_those_that_are_made_of_a_known_class():
    assert [family_id(name) for name in ("TheirBitGrid-v0", "Corridor-v0")] == ["BitGrid-v0", "Corridor-v0"]
    known = r"does not support Corridor-v0; supported: .*BitGrid-v0.*; others join as subclasses"
    for name in ("sibling-rivalry", "ppo-naive", "ppo-icm", "dqn-her"):
        METHODS[name].check_environment("TheirBitGrid-v0")
        with pytest.raises(UnsupportedEnvironmentError, match=known):
            METHODS[name].check_environment("Corridor-v0")
    with pytest.raises(UnsupportedEnvironmentError):
        METHODS["dqn-her"].check_environment("TheirGridWorld-v0")
    assert has_starts("TheirBitGrid-v0") and not has_starts("TheirGridWorld-v0")
    assert training_options("TheirSparseAntMaze-v0") == {"control": "subgoal"} and not training_options("Corridor-v0")


@pytest.mark.parametrize(
    ("name", "known"),
    [pytest.param("sibling-rivalry", "bit-grid/test", marks=pytest.mark.slow), ("dqn", "bit-grid/test")],
)
def test_they_learn_alike_under_another_id(name, known, tmp_path):
    own = get_benchmark(known)
    weights = []
    for benchmark in (own, dataclasses.replace(own, id="their/test", environment_id=f"Their{own.environment_id}")):
        run = train(name, benchmark, tmp_path / benchmark.track, steps=SMALL["rollouts"] * benchmark.max_episode_steps)
        weights.append((run.policy_path / "weights.safetensors").read_bytes())
    assert weights[0] == weights[1]
