"""The conformance suite over every method, and over sabotaged copies, each of which it has to notice."""

from dataclasses import replace

import numpy as np
import pytest
import torch

from procgen_bench.baselines.method_table import METHODS
from procgen_bench.baselines.methods.ppo import PolicyGradient
from procgen_bench.core.benchmarks import get_benchmark
from procgen_bench.testing import ConformanceError, check_learner
from tests.testing.smallest import TRAINED, benchmark_of

#: One learner of every kind: of rollouts, of a replay, of whole episodes.
QUICK = {"ppo", "dqn", "sibling-rivalry"}
#: Rollouts of whole episodes: eight rows of 50 steps each.
LONGER = {"npi-goals": {"steps": 2_000}}


@pytest.mark.parametrize(
    "name", [pytest.param(name, marks=() if name in QUICK else pytest.mark.slow) for name in TRAINED]
)
def test_every_method_conforms(name):
    check_learner(name, benchmark_of(METHODS[name]), **LONGER.get(name, {}))


def _patched(monkeypatch, name, make):
    """Put what ``make`` makes of a method of PPO's learner in its place."""
    monkeypatch.setattr(PolicyGradient, name, make(getattr(PolicyGradient, name)))


def forgets_its_optimiser(monkeypatch):
    def make(state):
        def forgetting(learner):
            arrays, values = state(learner)
            return {name: array for name, array in arrays.items() if not name.startswith("optimizer.")}, values

        return forgetting

    _patched(monkeypatch, "state", make)


def forgets_its_generator(monkeypatch):
    _patched(monkeypatch, "state", lambda state: lambda learner: (state(learner)[0], {}))
    _patched(
        monkeypatch,
        "restore",
        lambda restore: (
            lambda learner, arrays, values: restore(
                learner, arrays, {"rng": learner.rng.bit_generator.state, "compiled": False}
            )
        ),
    )


def draws_from_the_global_generator(monkeypatch):
    def make(act):
        def drawing(learner, observations, memory):
            learner.rng = np.random.default_rng(np.random.randint(1_000))
            return act(learner, observations, memory)

        return drawing

    _patched(monkeypatch, "act", make)


def forgets_its_torch_generator(monkeypatch):
    def make(act):
        def drawing(learner, observations, memory):
            learner.own = getattr(learner, "own", None) or torch.Generator().manual_seed(0)
            learner.rng = np.random.default_rng(int(torch.randint(1_000, (1,), generator=learner.own)))
            return act(learner, observations, memory)

        return drawing

    _patched(monkeypatch, "act", make)


def forgets_a_running_mean(monkeypatch):
    def make(update):
        def scaling(learner, rollout):
            seen = getattr(learner, "mean_reward", 0.0)
            learner.mean_reward = 0.9 * seen + 0.1 * float(rollout.rewards.mean()) + 0.01
            return update(learner, replace(rollout, rewards=rollout.rewards - np.float32(learner.mean_reward)))

        return scaling

    _patched(monkeypatch, "update", make)


def forgets_a_memory_of_its_own(monkeypatch):
    def make(act):
        def remembering(learner, observations, memory):
            learner.count = getattr(learner, "count", 0) + 1
            actions, noted, memory = act(learner, observations, memory)
            return torch.where(torch.tensor(learner.count % 7 == 0), 0, actions), noted, memory

        return remembering

    _patched(monkeypatch, "act", make)


def restores_half(monkeypatch):
    def make(restore):
        def halving(learner, arrays, values):
            restore(learner, {name: a for name, a in arrays.items() if not name.startswith("optimizer.")}, values)

        return halving

    _patched(monkeypatch, "restore", make)


def restores_anything(monkeypatch):
    def make(restore):
        return lambda learner, arrays, values: restore(
            learner, arrays, {"rng": learner.rng.bit_generator.state} | values
        )

    _patched(monkeypatch, "restore", make)


def keeps_a_tuple(monkeypatch):
    def make(state):
        return lambda learner: (state(learner)[0], state(learner)[1] | {"sizes": (1, 2)})

    _patched(monkeypatch, "state", make)


def keeps_a_tensor(monkeypatch):
    def make(state):
        return lambda learner: (state(learner)[0] | {"count": torch.zeros(1)}, state(learner)[1])

    _patched(monkeypatch, "state", make)


def exports_its_first_weights(monkeypatch):
    def make(policy_weights):
        def first(learner):
            learner.first = getattr(learner, "first", None) or policy_weights(learner)
            return learner.first

        return first

    _patched(monkeypatch, "state", lambda state: lambda learner: (_all_of(learner), state(learner)[1]))
    _patched(monkeypatch, "policy_weights", make)


def _all_of(learner):
    """PPO's state, whose network is not read from ``policy_weights()``."""
    from procgen_bench.baselines.policies.arrays import network_arrays
    from procgen_bench.baselines.policies.tensors import optimizer_arrays

    arrays = {f"network.{name}": array for name, array in network_arrays(learner.network).items()}
    return arrays | {f"optimizer.{name}": array for name, array in optimizer_arrays(learner.optimizer).items()}


def exports_the_opposite(monkeypatch):
    def make(policy_weights):
        return lambda learner: {
            name: -array if name.startswith("actor.") else array for name, array in policy_weights(learner).items()
        }

    _patched(monkeypatch, "state", lambda state: lambda learner: (_all_of(learner), state(learner)[1]))
    _patched(monkeypatch, "policy_weights", make)


ENDS_OTHERWISE = "was stopped and resumed ended differently .*missing in state"


@pytest.mark.parametrize(
    ("sabotage", "complaint"),
    [
        pytest.param(forgets_its_optimiser, ENDS_OTHERWISE, marks=pytest.mark.slow),
        (forgets_its_generator, ENDS_OTHERWISE),
        pytest.param(forgets_its_torch_generator, ENDS_OTHERWISE, marks=pytest.mark.slow),
        pytest.param(forgets_a_running_mean, ENDS_OTHERWISE, marks=pytest.mark.slow),
        pytest.param(forgets_a_memory_of_its_own, ENDS_OTHERWISE, marks=pytest.mark.slow),
        (draws_from_the_global_generator, "two runs of seed 0 differ in .*none of it from global ones"),
        pytest.param(
            restores_half, r"after restore\(\), state\(\) of student differs .* in optimizer\.", marks=pytest.mark.slow
        ),
        (restores_anything, r"restore\(\) takes a state without the value 'rng', expected an error"),
        pytest.param(keeps_a_tuple, r"sizes = \(1, 2\), a tuple, expected plain JSON", marks=pytest.mark.slow),
        (keeps_a_tensor, "has the array 'count', which is a Tensor, expected a NumPy array"),
        pytest.param(
            exports_its_first_weights,
            r"policy_weights\(\) are the same as before the first update;",
            marks=pytest.mark.slow,
        ),
        (exports_the_opposite, "with the same weights the policy chooses .* where the learner mostly chooses"),
    ],
    ids=lambda value: getattr(value, "__name__", ""),
)
def test_a_sabotaged_learner_is_noticed(sabotage, complaint, monkeypatch):
    """What is sabotaged is PPO as torch computes it; compiled code refuses an optimiser that lacks its moments."""
    monkeypatch.setattr("procgen_bench.baselines.fast.ppo.twin_of", lambda learner: learner)
    sabotage(monkeypatch)
    with pytest.raises(ConformanceError, match=complaint) as error:
        check_learner("ppo", "grid-world/target-a")
    assert "\n" not in str(error.value)


def test_a_learner_that_ignores_the_seed_is_noticed(monkeypatch):
    """Where there is one task, nothing else draws."""
    module = "procgen_bench.baselines.methods.ppo"
    monkeypatch.setattr(f"{module}.rng_of", lambda name, seed: np.random.default_rng(0))
    monkeypatch.setattr(f"{module}.seed_from_parts", lambda name, seed: 0)
    with pytest.raises(ConformanceError, match="student learned the same weights from the seeds 0 and 1"):
        check_learner("ppo", "grid-world/target-a", {"teacher": "targets"})


def test_a_run_that_is_too_short_to_tell_is_refused():
    with pytest.raises(ConformanceError, match="in a run of 200 steps no checkpoint of the Trainer's lies 2 rollouts"):
        check_learner("ppo", "grid-world/target-a", steps=200)


@pytest.mark.slow
def test_settings_and_methods_of_no_table_are_taken():
    method = replace(METHODS["ppo"], name="mine")
    assert "mine" not in METHODS
    check_learner(method, "grid-world/target-a", {"memory": 4, "teacher": "plr", "teacher_options": "buffer_size=4"})


def test_the_smallest_benchmark_is_one_that_the_method_plays():
    for name in TRAINED:
        assert METHODS[name].suits(get_benchmark(benchmark_of(METHODS[name])).environment_id)
