"""Physics that is recorded while it is played: what its replay gives, to the bit, or an error.

What scoring a trained policy needs is looked for before anything is loaded, exported or played.
"""

import inspect
import subprocess
import sys
from dataclasses import replace

import gymnasium
import numpy as np
import pytest

from procgen_bench.baselines.policies.scripted.policies import RandomPolicy
from procgen_bench.baselines.training.evaluation import play_episodes
from procgen_bench.core.benchmarks import BENCHMARKS, get_benchmark
from procgen_bench.core.errors import InvalidOptionError
from procgen_bench.engine.physics_env import physics_env
from procgen_bench.leaderboards.errors import IrreproducibleEpisodeError
from procgen_bench.leaderboards.evaluation import evaluation, playing, recording
from procgen_bench.leaderboards.evaluation.draft import MethodDescription
from procgen_bench.leaderboards.evaluation.recording import RecorderEnv, Recording
from procgen_bench.leaderboards.submission.submission import EpisodeTrace
from procgen_bench.leaderboards.verification.replay import replay_for
from tests.leaderboards.xland.small_track import OF_FOUR

#: Of every family with physics, a benchmark and how its policies observe.
FAMILIES = [
    ("ant-maze/test", {}),
    ("table-push/target-a", {}),
    ("fetch-blocks/test", {}),
    ("xland/small", {"observation": "state"}),
    ("xland/hand-authored", {"observation": "state"}),
    ("xland/hand-authored", {"observation": "state", "privileged": True}),
]
TESTS = MethodDescription(authors="Tests", command="pytest")


def short(env):
    """The environment with episodes of 61 steps at most: no multiple of a segment or of a chain's link."""
    return gymnasium.wrappers.TimeLimit(env, 61)


@pytest.mark.parametrize(("benchmark_id", "options"), FAMILIES)
def test_what_is_recorded_is_what_the_replay_gives(benchmark_id, options):
    benchmark = get_benchmark(benchmark_id)
    tasks, seeds = benchmark.task_suite().tasks[:2], [3, 4]

    class Looking(RandomPolicy):
        environment_options = options

    policy = Looking(benchmark.environment_id)
    policy.seed(5)
    recorders = Recording.of(benchmark).recorders(options)
    played = play_episodes(
        policy, benchmark.environment_id, tasks, seeds, 2, serial=True, wrapper=lambda env: recorders(short(env))
    )
    traces = [
        EpisodeTrace(task, "of this test", 0, episode.seed, episode.actions, episode.return_, (), None)
        for task, episode in zip(tasks, played, strict=True)
    ]
    for recorded, replayed in zip(recorders.outcomes, replay_for(benchmark, traces), strict=True):
        # The replay does not know of the limit: its episode has not ended where it runs out of actions.
        assert recorded.is_same(replace(replayed, finished=True))
        assert len(recorded.links) == 1 + (recorded.steps > 50)
        assert not recorded.is_same(replace(replayed, finished=True, states=replayed.states + 1e-15 * replayed.states))


def test_the_first_episode_is_recorded_though_its_environment_plays_on():
    benchmark = get_benchmark("table-push/target-a")
    recorders = Recording.of(benchmark).recorders({})
    with recorders(short(gymnasium.make(benchmark.environment_id))) as env:
        env.reset(seed=1)
        env.action_space.seed(1)
        assert recorders.outcomes == []
        while not any(env.step(env.action_space.sample())[2:4]):
            pass
        (first,) = recorders.outcomes
        env.reset(seed=2)
        env.step(env.action_space.sample())
        assert recorders.outcomes == [first]


def test_what_the_environment_cannot_tell_is_left_to_the_replay():
    benchmark = get_benchmark("table-push/target-a")
    with gymnasium.make(benchmark.environment_id) as env:
        assert Recording.of(benchmark).recorders({"maps": "other"})(env) is env
        with pytest.raises(InvalidOptionError, match="observes the same under all options, not"):
            physics_env(env).observed_under({"maps": "other"})


@pytest.mark.parametrize("own", [{}, {"observation": "state"}, {"observation": "state", "privileged": True}])
def test_xland_tells_what_it_shows_under_other_options(own):
    others = [{"observation": "state", "privileged": True}, {"observation": "both", "privileged": False}, {}]
    with gymnasium.make("XLand-v0", **own) as env:
        there = [gymnasium.make("XLand-v0", **options) for options in others]
        for task in ("hand_authored/solve_agi", "hand_authored/choose_wisely_3p"):
            observations = [other.reset(seed=3, options={"task": task})[0] for other in there]
            env.reset(seed=3, options={"task": task})
            env.action_space.seed(4)
            for _ in range(8):
                for options, shown in zip(others, observations, strict=True):
                    observed = physics_env(env).observed_under(options)
                    assert observed.keys() == shown.keys()
                    assert all(np.array_equal(observed[name], part) for name, part in shown.items())
                action = env.action_space.sample()
                env.step(action)
                observations = [other.step(action)[0] for other in there]
        with pytest.raises(InvalidOptionError, match="option of viewing"):
            physics_env(env).observed_under({"players": 3})
        with pytest.raises(InvalidOptionError, match="observation"):
            physics_env(env).observed_under({"observation": "sound"})
        for other in there:
            other.close()


@pytest.mark.parametrize("environment_id", ["XLand-v0", "XLandSmall-v0"])
def test_options_that_are_not_named_are_the_constructors(environment_id):
    env = gymnasium.make(environment_id).unwrapped
    parameters = inspect.signature(type(env)).parameters
    assert dict(env.viewing_options) == {name: parameters[name].default for name in ("observation", "privileged")}


def test_a_record_that_its_replay_does_not_repeat_is_an_error(tmp_path, monkeypatch):
    note, noted = RecorderEnv._note, []

    def misled(self, observation, reward, ended, info):
        noted.append(self)
        note(self, observation, reward, ended, info)
        if ended and self is noted[0]:
            self.outcome = replace(self.outcome, links=self.outcome.links[::-1])

    monkeypatch.setattr(RecorderEnv, "_note", misled)
    with pytest.raises(
        IrreproducibleEpisodeError, match="run 0, episode 0 was recorded differently when it was played"
    ):
        evaluation.evaluate(OF_FOUR, [("constant", 0)], tmp_path / "new", TESTS)


@pytest.mark.slow
def test_one_of_ten_is_replayed(tmp_path, monkeypatch):
    replayed = []

    def counted(benchmark, episodes, *others):
        replayed.append([episode.task_index for episode in episodes])
        return replay_for(benchmark, episodes, *others)

    monkeypatch.setattr(recording, "replay_for", counted)
    monkeypatch.setitem(BENCHMARKS, OF_FOUR.id, OF_FOUR)
    monkeypatch.setattr(playing, "EPISODES_PER_CHUNK", 3)
    played = evaluation.evaluate(OF_FOUR, [("constant", 0), ("random", 1)], tmp_path / "new", TESTS)
    assert replayed == [[0]] and len(played.submission.traces.lengths) == 8


EVALUATE = """
import sys
sys.modules[{missing!r}] = None
from procgen_bench.cli import main
try:
    main(["evaluate", {track!r}, "--policy", {policy!r}, "-o", "submission"])
except SystemExit as stop:
    print(stop.code, "torch" in sys.modules)
"""


@pytest.mark.parametrize(
    ("missing", "track", "policy", "extra"),
    [
        ("onnxruntime", "grid-world/graded", "runs/ppo/policy", "rerun"),
        ("onnxscript", "grid-world/graded", "runs/ppo/policy", "baselines"),
        ("onnx", "grid-world/graded", "policy.onnx", "rerun"),
        ("mujoco", "ant-maze/test", "runs/ppo/policy", "mujoco"),
        ("gymnasium_robotics", "fetch-blocks/groups", "runs/ppo/policy", "fetch"),
    ],
)
def test_a_missing_package_is_named_before_anything_is_done(tmp_path, missing, track, policy, extra):
    script = EVALUATE.format(missing=missing, track=track, policy=policy)
    done = subprocess.run([sys.executable, "-c", script], cwd=tmp_path, capture_output=True, text=True, check=True)
    assert done.stdout.split() == ["2", "False"]
    expected = f"error: {missing} is not installed; install it with: pip install 'procgen-bench[{extra}]'\n"
    assert done.stderr == expected and not list(tmp_path.iterdir())
