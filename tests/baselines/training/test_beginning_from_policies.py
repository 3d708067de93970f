"""Runs that begin from what a policy, or another run, has learned."""

import dataclasses
import json
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest
import torch

from procgen_bench.baselines.method_table import METHODS
from procgen_bench.baselines.methods import ppo
from procgen_bench.baselines.papers.open_ended.agents import AgentPolicyGradient
from procgen_bench.baselines.parts.actor_critic import ActorPolicy
from procgen_bench.baselines.policies.arrays import below, named_space, network_arrays
from procgen_bench.baselines.policies.folders import PolicyFolder
from procgen_bench.baselines.policies.loading import load_policy
from procgen_bench.baselines.training import beginning
from procgen_bench.baselines.training import run as runs
from procgen_bench.baselines.training.curve_scores import evaluate
from procgen_bench.baselines.training.player import Player
from procgen_bench.baselines.training.run_folder import RunFolder, RunFolderError, curve_of
from procgen_bench.baselines.training.task_records import TaskRecorder
from procgen_bench.core.benchmarks import get_benchmark
from procgen_bench.core.errors import InvalidOptionError, InvalidPolicyError
from procgen_bench.engine.environment_options import make_environment
from procgen_bench.testing.learners import check_learner

BENCHMARK = get_benchmark("grid-world/graded")
SIZES = {"width": 8, "layers": 1, "memory": 0, "network": "", "action_repeat": 1}
TINY = {"num_envs": 4, "rollout_steps": 4, "minibatches": 2, "width": 8, "layers": 1, "evaluation_tasks": 30}
RIGHT = 3


def policy_folder(path, action=RIGHT, environment_id="GridWorld-v0", method="ppo", **sizes):
    """A policy that always takes this action."""
    policy = ActorPolicy(environment_id, True, **SIZES | {n: size for n, size in sizes.items() if n != "critic_scale"})
    with torch.no_grad():
        for head in policy.network.actor.heads:
            head.weight.zero_()
            head.bias.fill_(-1e3)
            head.bias[action] = 1e3
    configuration = {"stochastic": True, **SIZES, **sizes}
    PolicyFolder(method, environment_id, configuration, network_arrays(policy.network)).write(path)
    return str(path)


def trained(path, method="ppo", steps=64, benchmark=BENCHMARK, **settings):
    """A run of the method; one whose returns are normalised is of agents, which can be."""
    known = METHODS[method].within(benchmark.environment_id)
    if "popart_share" in settings:
        known = METHODS[method].within("XLandSmall-v0")
    return known.train(benchmark, known.load("configuration")(**TINY | settings), 0, steps, path)


def first_return(run):
    return curve_of(run.path)[0]["return"]


@pytest.mark.parametrize("method", ["ppo", "vmpo"])
def test_a_run_scores_at_first_what_its_policy_scores(method, tmp_path, monkeypatch):
    folder = policy_folder(tmp_path / "policy")
    known = evaluate(load_policy(folder, "GridWorld-v0"), BENCHMARK, 30, None)["return"]
    assert first_return(trained(tmp_path / "begun", method, begin_from=folder)) == known
    shuffled = policy_folder(tmp_path / "shuffled", action=1)
    assert first_return(trained(tmp_path / "other", method, begin_from=shuffled)) != known
    monkeypatch.setattr(runs, "begin", lambda run, rows, learner: None)
    assert first_return(trained(tmp_path / "fresh", method, begin_from=folder)) != known, "nothing was taken"


def test_a_run_goes_on_from_another_run_and_lists_its_tasks(tmp_path):
    first = trained(tmp_path / "first", steps=256, popart_share=0.01)
    second = trained(tmp_path / "second", popart_share=0.01, begin_from=str(first.path))
    before, after = (np.load(run.path / "training_tasks.npy") for run in (first, second))
    assert curve_of(second.path)[0]["return"] == curve_of(first.path)[-1]["return"]
    assert set(before) < set(after) and (np.diff(after.astype(object)) > 0).all()
    config = json.loads((second.path / "config.json").read_text())
    assert f"--begin-from {first.path}" in config["command"] and len(config["settings"]["begins_with"]) == 64
    from_policy = trained(tmp_path / "third", popart_share=0.01, begin_from=str(first.policy_path))
    assert set(before) < set(np.load(from_policy.path / "training_tasks.npy"))


def learner_of(run):
    policy, network = ppo.actor_critic(run.benchmark, run.configuration, run.seed)
    return AgentPolicyGradient(network, policy.actions, run.configuration, np.random.default_rng(0))


def begun_from(folder, settings):
    """A learner that has begun from a folder, and the hash by which its run is recognised."""
    settings = dataclasses.replace(settings, begin_from=str(folder))
    run = RunFolder(Path(folder).with_name("new"), "ppo", BENCHMARK, settings, 1, 64)
    learner = learner_of(run)
    beginning.begin(run, SimpleNamespace(recorder=TaskRecorder()), learner)
    return learner, run.begins_with


def seen_once():
    """One observation of GridWorld, twice."""
    with make_environment("GridWorld-v0") as env:
        return {name: torch.ones(2, *leaf.shape) for name, leaf in named_space(env.observation_space).items()}


def test_a_critic_keeps_its_scale_of_returns_from_a_run_and_from_its_policy(tmp_path):
    run = trained(tmp_path / "run", steps=256, popart_share=0.01)
    arrays, values = run.read_checkpoint()
    source, seen = learner_of(run), seen_once()
    source.restore(below(arrays, "player.student"), values["player.student"]["learner"])
    assert source.returns_scale.mean
    for folder in (run.path, run.policy_path):
        learner, _ = begun_from(folder, run.configuration)
        assert np.array_equal(learner.values(seen), source.values(seen))
        assert not any(name.startswith("optimizer") for name in learner.state()[0]), "the optimiser begins afresh"


def test_values_in_thousands_are_those_of_the_policy_that_a_run_begins_from(tmp_path):
    run = trained(tmp_path / "run", popart_share=0.01)
    source, seen = learner_of(run), seen_once()
    for _ in range(100):
        source.returns_scale.update(np.array([2_000.0, 4_000.0]), source.network.value_heads)
    Player(source, ActorPolicy("GridWorld-v0", True, **SIZES), run.configuration.sizes).write_policy(
        tmp_path / "source", "ppo", "GridWorld-v0", True, 64
    )
    folder = tmp_path / "source" / "policy"
    learner, begins_with = begun_from(folder, run.configuration)
    assert np.array_equal(learner.values(seen), source.values(seen))
    source.network.critic.bias.data += 1
    assert source.values(seen) == pytest.approx(learner.values(seen) + 1_000), "the scale is that of the returns"
    learner.returns_scale.update(np.zeros(4), [])
    assert learner.returns_scale.mean == pytest.approx(0.99 * 3_000), "the statistics go on where they were"

    kept = PolicyFolder.read(folder)
    assert kept.configuration.pop("critic_scale").keys() == {"mean", "deviation", "updates"}
    kept.write(tmp_path / "older")
    older, begins_without = begun_from(tmp_path / "older", run.configuration)
    assert np.abs(older.values(seen)).max() < 100, "a folder without a scale values states in returns"
    assert begins_with != begins_without


@pytest.mark.parametrize("scale", [{"mean": 1.0}, {"mean": 1.0, "deviation": 0.0, "updates": 3.0}, {"mean": "many"}, 7])
def test_a_scale_that_is_none_is_refused(scale, tmp_path):
    path = tmp_path / "policy"
    policy_folder(path, critic_scale=scale)
    with pytest.raises(InvalidPolicyError, match=r"critic_scale = .*, expected"):
        trained(tmp_path / "run", begin_from=str(path), popart_share=0.01)
    assert not (tmp_path / "run").exists()


@pytest.mark.parametrize(
    "method", [pytest.param("ppo"), *(pytest.param(name, marks=pytest.mark.slow) for name in ("recurrent-ppo", "vmpo"))]
)
def test_a_killed_run_ends_as_if_it_had_not_been(method, tmp_path):
    memory = 8 * (method == "recurrent-ppo")
    folder = policy_folder(tmp_path / "policy", memory=memory, width=16)
    settings = {"begin_from": folder, "layers": 1, "memory": memory}
    settings |= {"cooldown": 0.5, "max_kl": 1e-3} if method != "vmpo" else {}
    check_learner(method, "grid-world/graded", settings, 600)


def test_a_resumed_run_recognises_another_policy(tmp_path):
    folder = policy_folder(tmp_path / "policy")
    trained(tmp_path / "run", begin_from=folder)
    trained(tmp_path / "run", begin_from=folder)
    policy_folder(tmp_path / "policy", action=1)
    with pytest.raises(RunFolderError, match="holds a run with begins_with = "):
        trained(tmp_path / "run", begin_from=folder)


def test_what_cannot_be_begun_from_is_refused_before_anything_is_written(tmp_path):
    def refused(match, error=InvalidOptionError, **settings):
        with pytest.raises(error, match=match):
            trained(tmp_path / "run", **settings)
        assert not (tmp_path / "run").exists()

    refused(
        "begin_from is '.*nowhere', expected the folder of a policy or of a run", begin_from=str(tmp_path / "nowhere")
    )
    refused("is not a policy folder", InvalidPolicyError, begin_from=str(tmp_path))
    bits = policy_folder(tmp_path / "bits", environment_id="BitGrid-v0")
    refused("a policy of BitGrid-v0 with other (actions|observations)", begin_from=bits)
    values = policy_folder(tmp_path / "values", method="dqn")
    refused("a policy of dqn, expected one of ppo, recurrent-ppo, a2c, vmpo$", begin_from=values)
    wide = policy_folder(tmp_path / "wide", width=9)
    refused("whose width is 9, expected 8, this run's", begin_from=wide)
    found = PolicyFolder.read(Path(wide))
    dataclasses.replace(found, configuration=found.configuration | {"width": 8}).write(tmp_path / "claimed")
    refused(r"whose weight trunk.0.weight is \(9, \d+\), expected \(8, \d+\)", begin_from=str(tmp_path / "claimed"))
    memory = policy_folder(tmp_path / "memory", memory=3)
    refused("whose memory is 3, expected 0", begin_from=memory)
    slow = policy_folder(tmp_path / "slow", action_repeat=4)
    refused("whose action_repeat is 4, expected 1", begin_from=slow)
    scaled = trained(tmp_path / "scaled", popart_share=0.01)
    for folder in (scaled.path, scaled.policy_path):
        refused("on PopArt's scale, expected .* a popart_share above 0", begin_from=str(folder))


def begun_in_xland(path, **settings):
    """A run in XLand that begins from a policy of the small."""
    small = policy_folder(path / "small", action=1, environment_id="XLandSmall-v0")
    own = {"begin_from": small, "evaluation_tasks": 1} | settings
    return trained(path / "run", steps=16, benchmark=get_benchmark("xland/hand-authored"), **own)


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({}, "a policy of XLandSmall-v0 with other observations"),
        ({"observation": "smell"}, "observation is 'smell', expected one of"),
    ],
)
def test_a_policy_of_the_small_cannot_go_on_where_xland_shows_other_things(settings, message, tmp_path):
    with pytest.raises(InvalidOptionError, match=message):
        begun_in_xland(tmp_path, **settings)
    assert not (tmp_path / "run").exists()


@pytest.mark.slow
def test_a_policy_of_the_small_goes_on_in_xland_where_that_shows_its_states(tmp_path):
    folder = begun_in_xland(tmp_path, observation="state").policy_path
    assert load_policy(folder, "XLand-v0").environment_options == {"observation": "state"}
    assert PolicyFolder.read(folder).environment == "XLand-v0"


@pytest.mark.slow
def test_a_policy_may_go_on_seeing_more_or_less_than_it_did(tmp_path):
    small = get_benchmark("xland/small")
    seen = trained(tmp_path / "all", benchmark=small, steps=16, privileged=True, evaluation_tasks=1)
    assert load_policy(seen.policy_path, small.environment_id).environment_options == {"privileged": True}
    less = trained(tmp_path / "less", benchmark=small, steps=16, begin_from=str(seen.path), evaluation_tasks=1)
    assert not load_policy(less.policy_path, small.environment_id).environment_options.get("privileged", False)
