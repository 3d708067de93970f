"""Stage 1 of AlphaNPI-X as it is trained, kept, resumed, exported and called."""

from contextlib import closing
from dataclasses import fields, replace

import gymnasium
import numpy as np
import pytest

from procgen_bench.baselines.method_table import METHODS, get_method
from procgen_bench.baselines.papers.alphanpi_x.block_policy import BlockPolicy
from procgen_bench.baselines.papers.alphanpi_x.npi_goals import rows_options
from procgen_bench.baselines.papers.alphanpi_x.npi_goals_settings import NPIGoalsConfiguration
from procgen_bench.baselines.papers.alphanpi_x.programs.atomic_policies import LearnedAtomicPolicy, ScriptedAtomicPolicy
from procgen_bench.baselines.policies.arrays import below
from procgen_bench.baselines.policies.folders import PolicyFolder
from procgen_bench.baselines.policies.loading import load_policy
from procgen_bench.baselines.policies.onnx.export import export_folder
from procgen_bench.baselines.training.curriculum_env import closed_on_error
from procgen_bench.baselines.training.run import make_rows
from procgen_bench.baselines.training.run_folder import RunFolderError, curve_of
from procgen_bench.baselines.training.trainer import Trainer
from procgen_bench.core.benchmarks import get_benchmark
from procgen_bench.core.errors import InvalidOptionError, InvalidPolicyError, InvalidTaskError
from procgen_bench.envs.fetch_blocks.simulation import FetchBlocksSimulation
from procgen_bench.tasks.fetch_blocks.draws import draw_start
from procgen_bench.tasks.programs import ATOMIC_STEPS, PROGRAMS
from procgen_bench.tasks.programs.hand import is_let_go
from procgen_bench.tasks.programs.paper import paper_library
from procgen_bench.tasks.programs.zones import DISTANCE_THRESHOLD
from tests.baselines.killed_runs import KilledError, last_checkpoint

train = METHODS["npi-goals"].train

BENCHMARK = get_benchmark("fetch-blocks/test")
#: All phases within eight rollouts of four rows.
SMALL = NPIGoalsConfiguration(
    num_envs=4,
    greedy_rows=2,
    batch_size=16,
    width=16,
    buffer_size=2_000,
    learning_starts=200,
    updates_per_step=0.02,
    phase_1_steps=400,
    states_kept=5,
    evaluation_tasks=1,
    evaluate_every=800,
    checkpoint_every=800,
)
STEPS = 1_600


@pytest.fixture(scope="module")
def run(tmp_path_factory):
    return train(BENCHMARK, SMALL, 0, STEPS, tmp_path_factory.mktemp("npi") / "run")


def test_success_is_kept_by_kind_and_programs_go_on_from_stored_states(run):
    rows = curve_of(run.path)
    assert [int(row["step"]) for row in rows] == [0, 800, STEPS]
    last = rows[-1]
    assert float(last["teacher_phase"]) == 2 and float(last["teacher_states_kept"]) == 5
    kinds = {name.removeprefix("teacher_success_") for name in last if name.startswith("teacher_success_")}
    assert {"stack", "move"} & kinds and {"stack-continued", "move-continued"} & kinds
    for kind in kinds:
        assert {f"teacher_own_{kind}", f"teacher_others_{kind}"} <= set(last)
    arrays, values = run.read_checkpoint()
    assert arrays["player.student.replay.states"].shape == (32, 51, 70)
    assert values["player.student"]["learner"]["phase"] == 2
    assert not np.array_equal(arrays["player.student.networks.actor.from_others.weight"], 0), "the set has grown in"
    assert arrays["teacher.states.state"].shape == (5, 70)


def begun_rows(**settings):
    """The method's rows, which learn programs from the start and have begun."""
    settings = replace(SMALL, phase_1_steps=0, states_kept=100, **settings)
    rows = make_rows(BENCHMARK, settings, 0, STEPS, rows_options(BENCHMARK.environment_id, settings))
    with closed_on_error(rows):
        rows.begin()
    return rows


@pytest.mark.parametrize(("noisy_states", "stored"), [(False, [1, 0]), (True, [1, 3, 0, 2])])
def test_where_rows_with_noise_have_ended_is_stored_only_if_it_is_to_be(noisy_states, stored):
    """Rows 0 and 1 are without noise; they end in two groups."""
    with closing(begun_rows(noisy_states=noisy_states)) as rows:
        ended = [one.values["state"].tolist() for one in rows.env.save_states()]
        for group in ([1, 3], [0, 2]):
            rows.propose(np.array(group))
        kept = [ended.index(one.values["state"].tolist()) for one in rows.teacher.unwrapped._states]
    assert kept == stored


@pytest.mark.parametrize("noisy_states", [False, True])
def test_goals_of_programs_go_on_in_every_row_where_it_has_ended(noisy_states):
    with closing(begun_rows(teacher="program-goals", noisy_states=noisy_states)) as rows:
        ended = rows.env.save_states()
        proposed = rows.propose(np.arange(4))
    goes_on = [row for row, one in enumerate(proposed) if one.state is not None]
    assert len(goes_on) >= 3, "nearly all programs take more than one call"
    for row in goes_on:
        assert np.array_equal(proposed[row].state.values["state"], ended[row].values["state"])


def begun(run, **settings):
    """Settings of runs that go on from this one's policy with programs."""
    return replace(SMALL, begin_from=str(run.policy_path), phase_1_steps=0, stay_near=1.0, **settings)


def ended_as_unkilled(tmp_path, monkeypatch, run, configuration):
    """Whether a run that is killed after a checkpoint, and resumed, ends as this one did."""
    learn, left = Trainer._learn_from_one_rollout, 2

    def killed(*arguments):
        nonlocal left
        left -= (tmp_path / "run" / "checkpoint").exists()
        if not left:
            raise KilledError
        learn(*arguments)

    with monkeypatch.context() as patched, pytest.raises(KilledError):
        patched.setattr(Trainer, "_learn_from_one_rollout", killed)
        train(BENCHMARK, configuration, 0, STEPS, tmp_path / "run")
    arrays, *rest = last_checkpoint(run)
    resumed, *others = last_checkpoint(train(BENCHMARK, configuration, 0, STEPS, tmp_path / "run"))
    assert list(map(repr, rest)) == list(map(repr, others)) and arrays.keys() == resumed.keys()
    assert [name for name in arrays if not np.array_equal(arrays[name], resumed[name], equal_nan=True)] == []
    return True


def test_a_killed_run_ends_as_if_it_had_not_been(run, tmp_path, monkeypatch):
    assert ended_as_unkilled(tmp_path, monkeypatch, run, SMALL)


def test_a_killed_run_that_began_from_a_policy_does_so_too(run, tmp_path, monkeypatch):
    unkilled = train(BENCHMARK, begun(run), 0, STEPS, tmp_path / "unkilled")
    assert ended_as_unkilled(tmp_path, monkeypatch, unkilled, begun(run))


def network(run, name):
    """The weights of a network in a run's checkpoint."""
    return below(run.read_checkpoint()[0], f"player.student.networks.{name}")


def differs(one, other, name):
    """Whether the weights of a network differ between two runs; its running moments may."""
    ours, theirs = network(one, name), network(other, name)
    return any(not np.array_equal(ours[key], theirs[key]) for key in ours if "moments" not in key)


def test_a_run_begins_with_a_policys_actor_or_a_runs_actor_and_critic(run, tmp_path):
    unlearned = begun(run, learning_starts=10_000)
    from_policy = train(BENCHMARK, unlearned, 1, 400, tmp_path / "policy")
    from_run = train(BENCHMARK, replace(unlearned, begin_from=str(run.path)), 1, 400, tmp_path / "run")
    found = [(differs(one, run, "actor"), differs(one, run, "critic")) for one in (from_policy, from_run)]
    assert found == [(False, True), (False, False)]
    assert float(curve_of(from_run.path)[-1]["teacher_phase"]) == 2, "programs from the start"
    critic_only = begun(run, critic_first=1_000)
    found = train(BENCHMARK, replace(critic_only, begin_from=str(run.path)), 1, 400, tmp_path / "critic")
    assert (differs(found, run, "actor"), differs(found, run, "critic")) == (False, True)
    with pytest.raises(InvalidOptionError, match=r"begin_from is .*, whose width is 16, expected 8, this run's"):
        train(BENCHMARK, begun(run, width=8), 1, 400, tmp_path / "wide")


def test_the_packages_policy_can_be_begun_from(tmp_path):
    settings = replace(SMALL, begin_from="trained", width=256, phase_1_steps=0, learning_starts=10_000)
    found = train(BENCHMARK, settings, 0, 200, tmp_path / "run")
    shipped = load_policy("trained", "FetchBlocks-v0").network.state_dict()
    assert np.array_equal(network(found, "actor")["first.weight"], shipped["first.weight"])


def test_a_run_of_another_view_is_not_gone_on_with(run):
    with pytest.raises(RunFolderError, match="view"):
        train(BENCHMARK, replace(SMALL, view="raw"), 0, STEPS, run.path)


def test_the_trained_policy_is_played_and_exported(run, tmp_path):
    policy = load_policy(run.policy_path, "FetchBlocks-v0")
    (tmp_path / "policy.onnx").write_bytes(export_folder(run.path))
    exported = load_policy(tmp_path / "policy.onnx", "FetchBlocks-v0")
    with gymnasium.make("FetchBlocks-v0") as env:
        seen = [env.reset(seed=seed)[0] for seed in range(5)]
    batch = {name: np.stack([one[name] for one in seen]) for name in seen[0]}
    actions = policy.act(batch, np.ones(5, np.bool_))
    assert actions.shape == (5, 4) and actions.dtype == np.float32 and np.abs(actions).max() <= 1
    assert np.allclose(exported.act(batch, np.ones(5, np.bool_)), actions, atol=1e-5)
    exported.close()


_NO_CHOICES = (
    ("view", "bird"),
    ("reward", "none"),
    ("strategy", "past"),
    ("discount", 1.0),
    ("greedy_rows", 4),
    ("teacher_options", "a=1"),
    ("let_go", -0.1),
    ("let_go", 1.1),
    ("critic_first", -1),
    ("stay_near", -1.0),
    ("stay_near", 1.0),  # to what, without begin_from
    ("begin_from", "nowhere"),
    ("last_tolerance", 0.015),  # when, without decline
)


def test_what_is_no_choice_is_refused(tmp_path):
    for name, value in _NO_CHOICES:
        with pytest.raises(InvalidOptionError, match=f"^{name} is "):
            train(BENCHMARK, replace(SMALL, **{name: value}), 0, STEPS, tmp_path / "run")
    assert not (tmp_path / "run").exists()


def test_every_option_is_described():
    for field in fields(get_method("npi-goals").load("configuration")):
        assert field.metadata["description"].endswith(".")


def played(policy, program, seed=0):
    """The result of a call from a start in which the program can be called: its success, and the state at its end."""
    simulation = FetchBlocksSimulation(program.library.num_blocks)
    rng = np.random.default_rng(seed)
    simulation.begin(draw_start(rng, program.library.num_blocks, program.blocks[0], randomness=1.0))
    goal = program.goal(simulation.state)
    policy.begin(3, program, goal)
    for _ in range(ATOMIC_STEPS):
        simulation.step(policy.act([3], simulation.state[np.newaxis])[0].astype(np.float64))
    return bool(program.postcondition(simulation.state, goal)), simulation.state.copy()


def test_the_scripted_expert_is_called_as_the_learned_policy_is(run):
    program = PROGRAMS["Stack_2_0"]
    assert played(ScriptedAtomicPolicy(), program)[0]
    assert not played(LearnedAtomicPolicy.from_folder(run.policy_path), program)[0], "it has learned next to nothing"


def test_the_packages_arm_lets_go_of_what_it_has_built():
    """The policy of FetchBlocks-v0, from which it was trained further, still holds the block at the end."""
    held = LearnedAtomicPolicy(load_policy("trained", "FetchBlocks-v0"))
    ends = {}
    for name, policy in (("lets go", LearnedAtomicPolicy.shipped()), ("holds", held)):
        found = [played(policy, PROGRAMS["Stack_2_0"], seed) for seed in range(4)]
        assert sum(success for success, _ in found) >= 3
        ends[name] = sum(bool(is_let_go(state, 2)) for _, state in found)
    assert ends["lets go"] >= 3 and ends["holds"] <= 1


@pytest.mark.parametrize("num_blocks", [2, 3, 6])
def test_the_relative_view_plays_with_any_number_of_blocks(run, num_blocks):
    played(LearnedAtomicPolicy.from_folder(run.policy_path), paper_library(num_blocks)["Stack_0_1"])


def test_a_call_shows_what_the_environment_shows(run):
    policy = LearnedAtomicPolicy.from_folder(run.policy_path)
    with gymnasium.make("FetchBlocks-v0") as env:
        seen, _ = env.reset(seed=3)
        task, state = env.unwrapped.task, env.unwrapped.simulation.state.copy()
    program = next(one for one in PROGRAMS.values() if one.is_atomic and one.blocks[0] == task.first)
    policy.begin(0, program, task.goal.ravel())
    shown = load_policy(run.policy_path, "FetchBlocks-v0").act({n: a[None] for n, a in seen.items()}, np.ones(1, bool))
    assert np.allclose(policy.act([0], state[None]), shown, atol=1e-6)


@pytest.mark.slow
def test_the_packages_own_policy_plays_fetch_blocks():
    policy = load_policy("trained", "FetchBlocks-v0")
    assert policy.view == "relative"
    rows = 50
    env = gymnasium.make_vec(
        "FetchBlocks-v0",
        num_envs=rows,
        vectorization_mode="vector_entry_point",
        autoreset_mode=gymnasium.vector.AutoresetMode.DISABLED,
    )
    try:
        seen, _ = env.reset(seed=0, options={"task": [*env.unwrapped.task_space.suite("test")][:rows]})
        for step in range(ATOMIC_STEPS):
            seen, *_, infos = env.step(policy.act(seen, np.full(rows, step == 0)))
    finally:
        env.close()
    assert infos["success"].mean() >= 0.65


def raw_policy():
    return BlockPolicy("FetchBlocks-v0", False, 16, "raw")


def test_a_raw_policy_is_refused_with_another_number_of_blocks():
    policy = LearnedAtomicPolicy(raw_policy())
    policy.begin(0, PROGRAMS["Stack_0_1"], np.zeros(12))
    with pytest.raises(InvalidPolicyError, match=r"view is 'raw', of 4 blocks, expected one of 3 blocks, or the view"):
        policy.begin(0, paper_library(3)["Stack_0_1"], np.zeros(9))
    with pytest.raises(InvalidTaskError, match="Clean_Table"):
        policy.begin(0, PROGRAMS["Clean_Table"], np.zeros(12))


def test_a_policy_folder_of_another_view_is_refused(run):
    folder = PolicyFolder.read(run.policy_path)
    for view, reason in (
        ("raw", "expected 'relative', of which the weights are"),
        ("bird", "expected relative or raw"),
    ):
        with pytest.raises(InvalidPolicyError, match=f"configuration.view is '{view}', {reason}"):
            BlockPolicy.from_folder(replace(folder, configuration=folder.configuration | {"view": view}))
    with pytest.raises(InvalidPolicyError, match="expected 'raw', of which the weights are"):
        weights = {name: tensor.numpy() for name, tensor in raw_policy().network.state_dict().items()}
        BlockPolicy.from_folder(replace(folder, weights=weights))


def test_a_folder_of_another_method_is_refused(run, tmp_path):
    replace(PolicyFolder.read(run.policy_path), method="sac").write(tmp_path / "policy")
    with pytest.raises(InvalidPolicyError, match="holds a policy of 'sac', expected one of 'npi-goals'"):
        LearnedAtomicPolicy.from_folder(tmp_path / "policy")


def test_rivals_learn_the_goals_of_programs_from_whole_horizons(tmp_path):
    rival = replace(SMALL, teacher="program-goals", view="raw", relabelled=0)
    found = train(BENCHMARK, rival, 0, 800, tmp_path / "run")
    arrays, values = found.read_checkpoint()
    kept = arrays["player.student.replay.states"]
    assert values["player.student"]["learner"]["phase"] == 1, "all blocks are rewarded"
    follows = (kept[None, :, 0] == kept[:, None, -1]).all(axis=-1).sum()
    assert follows >= len(kept) / 4, "episodes go on where others ended"
    with pytest.raises(InvalidOptionError, match="what the teacher 'program-goals' is set by are options"):
        replace(rival, teacher_options="a=1").check("FetchBlocks-v0")


def test_the_help_of_its_options_names_the_papers_tolerance():
    (tolerance,) = (field for field in fields(NPIGoalsConfiguration) if field.name == "program_tolerance")
    assert tolerance.default == DISTANCE_THRESHOLD and f"{DISTANCE_THRESHOLD:g}" in tolerance.metadata["description"]
