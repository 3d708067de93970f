"""sb3-ppo, sb3-dqn and sb3-sac are stable-baselines3's algorithms, and nothing else."""

import random

import numpy as np
import pytest
import torch
from stable_baselines3 import DQN, PPO, SAC

from procgen_bench.baselines.method_table import get_method
from procgen_bench.baselines.methods import stable_baselines3 as method
from procgen_bench.baselines.policies.arrays import named
from procgen_bench.baselines.policies.loading import load_policy
from procgen_bench.baselines.stable_baselines3 import CurriculumVecEnv, UnsupportedTeacherError
from procgen_bench.baselines.training.method import RowsOptions
from procgen_bench.baselines.training.refusals import TooFewStepsError
from procgen_bench.baselines.training.run import make_rows
from procgen_bench.baselines.training.run_folder import curve_of
from procgen_bench.core.benchmarks import get_benchmark
from procgen_bench.core.errors import InvalidOptionError
from procgen_bench.core.seeding import seed_from_parts
from procgen_bench.engine.environment_options import make_environment

ARGUMENTS = {
    "sb3-ppo": "n_steps=16,batch_size=16,n_epochs=2",
    "sb3-dqn": "learning_starts=16,batch_size=8,buffer_size=1000",
    "sb3-sac": "learning_starts=16,batch_size=8,buffer_size=1000",
}
BENCHMARKS = {"sb3-ppo": "grid-world/graded", "sb3-dqn": "grid-world/graded", "sb3-sac": "point-maze/test"}
ALGORITHMS = {"sb3-ppo": PPO, "sb3-dqn": DQN, "sb3-sac": SAC}


def configured(name, **settings):
    settings = {"num_envs": 2, "arguments": ARGUMENTS[name], "evaluation_tasks": 1, "width": 16} | settings
    return get_method(name).load("configuration")(**settings)


def trained(name, out, steps=96, seed=0, benchmark=None, **settings):
    chosen = get_benchmark(benchmark or BENCHMARKS[name])
    return get_method(name).train(chosen, configured(name, **settings), seed, steps, out)


def weights_of(run):
    policy = load_policy(run.policy_path, run.benchmark.environment_id)
    return {key: tensor.numpy() for key, tensor in policy.network.state_dict().items()}


def assert_equal(first, second):
    assert first.keys() == second.keys()
    assert all(np.array_equal(first[key], second[key]) for key in first)


@pytest.mark.parametrize("name", ALGORITHMS)
def test_its_weights_are_those_of_its_own_learn(name, tmp_path):
    """Evaluations, the teacher and the curve leave no trace in what is learned."""
    run = trained(name, tmp_path / "run", evaluate_every=32)
    assert len(curve_of(run.path)) == 4
    rows = make_rows(run.benchmark, configured(name), 0, 96, RowsOptions(2, rollout_steps=0))
    with torch.random.fork_rng(devices=[]):
        model = ALGORITHMS[name](
            "MultiInputPolicy",
            CurriculumVecEnv(rows),
            policy_kwargs={"net_arch": [16, 16]},
            seed=seed_from_parts("stable-baselines3", 0) % 2**32,
            **method.arguments_of(configured(name)),
        )
        model.learn(96)
    played = get_method(name).load("policy").part_of(model.policy)
    assert_equal(weights_of(run), {key: tensor.cpu().numpy() for key, tensor in played.state_dict().items()})
    assert rows.steps == 96


def test_a_stopped_run_begins_again_and_global_generators_are_put_back(tmp_path, monkeypatch):
    whole = trained("sb3-dqn", tmp_path / "whole", evaluate_every=32)
    finished, seen = method._Reports.evaluate, []

    def stop(self):
        seen.append(self.rows.steps)
        if len(seen) == 3:
            raise KeyboardInterrupt
        finished(self)

    before = random.getstate(), np.random.get_state()[1].tolist(), torch.random.get_rng_state()
    monkeypatch.setattr(method._Reports, "evaluate", stop)
    with pytest.raises(KeyboardInterrupt):
        trained("sb3-dqn", tmp_path / "stopped", evaluate_every=32)
    after = random.getstate(), np.random.get_state()[1].tolist(), torch.random.get_rng_state()
    assert before[:2] == after[:2] and torch.equal(before[2], after[2])
    again = trained("sb3-dqn", tmp_path / "stopped", evaluate_every=32)
    assert_equal(weights_of(whole), weights_of(again))
    assert [row["step"] for row in curve_of(again.path)] == [row["step"] for row in curve_of(whole.path)]
    modified = (again.policy_path / "weights.safetensors").stat().st_mtime_ns
    trained("sb3-dqn", tmp_path / "stopped", evaluate_every=32)
    assert (again.policy_path / "weights.safetensors").stat().st_mtime_ns == modified, "a finished run is left alone"


@pytest.mark.parametrize(("name", "teacher"), [("sb3-ppo", "plr"), ("sb3-dqn", "apt-gen"), ("sb3-dqn", "learnability")])
def test_teachers(name, teacher, tmp_path):
    """One that scores levels by the critic, one that reads whole episodes, one that probes and is charged for it."""
    options = {"learnability": "candidates=4,episodes=1,period=4,buffer_size=2"}.get(teacher, "")
    benchmark = {"apt-gen": "grid-world/target-a"}.get(teacher)
    run = trained(name, tmp_path / "run", 400, benchmark=benchmark, teacher=teacher, teacher_options=options)
    curve = curve_of(run.path)
    assert run.finished and curve[-1]["step"] <= 400


def test_what_a_teacher_asks_in_vain_is_refused_before_anything_is_written(tmp_path):
    with pytest.raises(UnsupportedTeacherError, match="not to be learned from"):
        trained("sb3-ppo", tmp_path / "run", teacher="robust-plr")
    with pytest.raises(UnsupportedTeacherError, match="teacher plr scores levels by a critic"):
        trained("sb3-dqn", tmp_path / "run", teacher="plr")
    assert not (tmp_path / "run").exists()


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ("n_step=4", "arguments names 'n_step', expected one of .*n_steps"),
        ("seed=4", "arguments names 'seed', expected one of"),
        ("n_steps", "arguments is 'n_steps', expected plain values by name"),
        ("n_steps=open('x')", "expected plain values by name"),
        ("n_steps=1,batch_size=1,n_epochs='x'", "n_epochs"),
    ],
)
def test_arguments_that_are_none(arguments, message, tmp_path):
    with pytest.raises((InvalidOptionError, TypeError), match=message):
        trained("sb3-ppo", tmp_path / "run", arguments=arguments, num_envs=1)


def test_whole_rollouts_fit(tmp_path):
    with pytest.raises(TooFewStepsError, match="expected at least 32, one rollout"):
        trained("sb3-ppo", tmp_path / "run", 31)
    with pytest.raises(InvalidOptionError, match="expected a number of steps"):
        trained("sb3-dqn", tmp_path / "run", num_envs=1, arguments="train_freq=(1,'episode')")
    assert not (tmp_path / "run").exists()
    assert curve_of(trained("sb3-ppo", tmp_path / "run", 95).path)[-1]["step"] == 64


@pytest.mark.parametrize(
    ("name", "environment_id"),
    [
        ("sb3-ppo", "GridWorld-v0"),
        ("sb3-ppo", "GMiniWoB-v0"),
        ("sb3-ppo", "SparsePointMaze-v0"),
        ("sb3-ppo", "VoxelBuild-v0"),
        ("sb3-dqn", "GridWorld-v0"),
        ("sb3-sac", "SparsePointMaze-v0"),
    ],
)
def test_the_policy_acts_as_the_algorithm_predicts(name, environment_id):
    """Pictures, several choices, reals."""
    with make_environment(environment_id) as env, torch.random.fork_rng(devices=[]):
        model = ALGORITHMS[name]("MultiInputPolicy", env, policy_kwargs={"net_arch": [16, 16]}, seed=0)
        policy = get_method(name).load("policy")(environment_id, False, 16, 2)
        policy.load_weights({key: tensor.numpy() for key, tensor in policy.part_of(model.policy).state_dict().items()})
        seen, _ = env.reset(seed=0)
        batch = {key: array[np.newaxis] for key, array in named(seen).items()}
        expected, _ = model.predict(seen, deterministic=True)
        np.testing.assert_allclose(policy.act(batch, np.ones(1, np.bool_))[0], expected, rtol=1e-5, atol=1e-6)


def test_drawn_actions_have_the_distribution_of_the_algorithm():
    """Reals are normal around the mean, before they are cut to their range."""
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(0)
        policy = method.PPOPolicy("SparsePointMaze-v0", True, 16, 1)
    with torch.no_grad():
        policy.network.log_std.fill_(-2.0)
    policy.seed(0)
    with make_environment("SparsePointMaze-v0") as env:
        seen, _ = env.reset(seed=0)
    batch = {key: np.repeat(array[np.newaxis], 4_000, axis=0) for key, array in seen.items()}
    drawn = policy.act(batch, np.ones(4_000, np.bool_))
    assert np.allclose(drawn.std(axis=0), np.exp(-2.0), rtol=0.1)


@pytest.mark.parametrize("name", ALGORITHMS)
def test_every_setting_reaches_the_algorithm(name, tmp_path):
    """Those of the loop are tested where it is; ``stochastic`` is the policy's."""
    usual = weights_of(trained(name, tmp_path / "usual"))
    others = {"num_envs": 4, "width": 8, "layers": 1, "arguments": f"{ARGUMENTS[name]},gamma=0.5"}
    for setting, value in others.items():
        changed = weights_of(trained(name, tmp_path / setting, **{setting: value}))
        assert changed.keys() != usual.keys() or any(
            not np.array_equal(array, changed[key]) for key, array in usual.items()
        ), setting
    for stochastic in (False, True) if name != "sb3-dqn" else ():
        run = trained(name, tmp_path / f"stochastic {stochastic}", stochastic=stochastic)
        assert load_policy(run.policy_path, run.benchmark.environment_id).stochastic == stochastic
