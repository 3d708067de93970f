"""Every method that is trained x every environment: it trains, is evaluated, kept and exported, or is refused."""

import dataclasses

import pytest

from procgen_bench.baselines.curricula.ladder import NoSolverError
from procgen_bench.baselines.method_table import METHODS
from procgen_bench.baselines.policies.loading import load_policy
from procgen_bench.baselines.policies.onnx.export import export_folder
from procgen_bench.baselines.policies.weighted import WeightedPolicy
from procgen_bench.core.benchmarks import BENCHMARKS
from procgen_bench.core.errors import InvalidPolicyError, UnsupportedEnvironmentError
from tests.baselines.curricula.test_every_teacher import OPTIONS
from tests.baselines.papers.code.design_options import DESIGN_TEACHERS

TRAINED = [name for name, method in METHODS.items() if method.trainable]
#: One benchmark of every environment.
BY_ENVIRONMENT = {benchmark.environment_id: benchmark.id for benchmark in [*BENCHMARKS.values()][::-1]}
#: As small as runs get: the settings of those names that a method has.
SMALL = {
    "num_envs": 4,
    "rollout_steps": 6,
    "rollouts": 4,
    "minibatches": 2,
    "epochs": 1,
    "evaluation_tasks": 1,
    "batch_size": 8,
    "learning_starts": 8,
    "width": 16,
    "evaluate_every": 10**9,
    "episodes": 2,
    "simulations": 3,
}
#: Of stable-baselines3's algorithms.
ARGUMENTS = {
    "sb3": "n_steps=6,batch_size=8,n_epochs=1",
    "sb3-ppo": "n_steps=6,batch_size=8,n_epochs=1",
    "sb3-dqn": "learning_starts=8,batch_size=8,buffer_size=100",
    "sb3-sac": "learning_starts=8,batch_size=8,buffer_size=100",
}
#: One cell of every learner; the others are tried by the slow tests, and exports of every environment in onnx's.
QUICK = {
    ("ppo", "GridWorld-v0"),
    ("recurrent-ppo", "CompositionalMiniGrid-v0"),
    ("dqn", "GridWorld-v0"),
    ("sac", "SparsePointMaze-v0"),
    ("ddpg-her", "SparsePointMaze-v0"),
    ("dqn-her", "BitGrid-v0"),
    ("sb3", "GridWorld-v0"),
}
KNOWN = [
    (name, environment_id)
    for name in TRAINED
    for environment_id in BY_ENVIRONMENT
    if environment_id in (METHODS[name].environments or BY_ENVIRONMENT)
]


def cells():
    for name, environment_id in KNOWN:
        marks = () if (name, environment_id) in QUICK else (pytest.mark.slow,)
        yield pytest.param(name, environment_id, marks=marks, id=f"{name}-{environment_id}")


@pytest.mark.parametrize(("name", "environment_id"), [*cells()])
def test_it_trains_and_is_evaluated_kept_and_exported(name, environment_id, tmp_path):
    method, benchmark = METHODS[name], BENCHMARKS[BY_ENVIRONMENT[environment_id]]
    configuration = method.load("configuration")
    fields = {field.name for field in dataclasses.fields(configuration)}
    settings = {key: value for key, value in (SMALL | {"arguments": ARGUMENTS.get(name)}).items() if key in fields}
    steps = SMALL["rollouts"] * benchmark.max_episode_steps if "rollouts" in fields else 24
    run = method.train(benchmark, configuration(**settings), 0, steps, tmp_path / "run")
    assert run.finished and (run.path / "curve.csv").read_text().count("\n") >= 2
    policy = load_policy(run.policy_path, environment_id)
    policy.close()
    if isinstance(policy, WeightedPolicy):
        assert export_folder(run.path)
    else:
        with pytest.raises(InvalidPolicyError, match="no function of tensors"):
            export_folder(run.path)


def teacher_cells():
    for name in OPTIONS | DESIGN_TEACHERS:
        for environment_id in BY_ENVIRONMENT:
            marks = () if (name, environment_id) == ("apt-gen", "GMiniWoB-v0") else (pytest.mark.slow,)
            yield pytest.param(name, environment_id, marks=marks, id=f"{name}-{environment_id}")


@pytest.mark.parametrize(("name", "environment_id"), [*teacher_cells()])
def test_every_teacher_teaches_in_it(name, environment_id, tmp_path):
    method, benchmark = METHODS["ppo"], BENCHMARKS[BY_ENVIRONMENT[environment_id]]
    settings = {"num_envs": 4, "rollout_steps": 6, "minibatches": 2, "epochs": 1, "width": 16, "evaluation_tasks": 1}
    configuration = method.load("configuration")(
        teacher=name, teacher_options=(OPTIONS | DESIGN_TEACHERS)[name], **settings
    )
    try:
        run = method.train(benchmark, configuration, 0, 240, tmp_path / "run")
    except NoSolverError:
        assert name in ("ladder", "demonstrations")
        return
    except UnsupportedEnvironmentError as error:
        assert name in DESIGN_TEACHERS and environment_id not in error.known
        return
    assert run.finished and (run.path / "curve.csv").read_text().count("\n") >= 2


@pytest.mark.parametrize("name", TRAINED)
def test_it_is_refused_where_it_is_not_made_for(name):
    method = METHODS[name]
    for environment_id in BY_ENVIRONMENT:
        if method.environments and environment_id not in method.environments:
            with pytest.raises(
                UnsupportedEnvironmentError, match=f"method {name} does not support {environment_id}; supported"
            ):
                method.check_environment(environment_id)
        else:
            method.check_environment(environment_id)
