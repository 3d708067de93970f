"""Several players in one run: who acts, learns, is counted and is kept."""

import json
from dataclasses import replace

import numpy as np
import pytest
import torch
from safetensors.numpy import load_file, save_file

from procgen_bench.baselines.methods.ppo import PolicyGradient
from procgen_bench.baselines.methods.ppo_settings import PPOConfiguration
from procgen_bench.baselines.parts.actor_critic import ActorPolicy
from procgen_bench.baselines.policies.scripted.policies import NoopPolicy, RandomPolicy
from procgen_bench.baselines.training.contracts import Proposal
from procgen_bench.baselines.training.curriculum_env import CurriculumVectorEnv
from procgen_bench.baselines.training.learner import IncompleteLearnerError, Learner
from procgen_bench.baselines.training.level_source import LevelSource
from procgen_bench.baselines.training.method import rng_of
from procgen_bench.baselines.training.player import Player, PlayersError
from procgen_bench.baselines.training.run_folder import DamagedRunError, RunFolder, RunFolderError
from procgen_bench.baselines.training.teacher import Teacher
from procgen_bench.baselines.training.trainer import Trainer
from procgen_bench.core.benchmarks import get_benchmark
from procgen_bench.core.errors import InvalidOptionError, UnknownNameError
from tests.baselines.killed_runs import KilledError, last_checkpoint

BENCHMARK = get_benchmark("grid-world/graded")
SETTINGS = PPOConfiguration(
    num_envs=12, rollout_steps=8, minibatches=2, epochs=1, width=16, evaluate_every=300, checkpoint_every=300,
    evaluation_tasks=4, entropy_target=0.5,
)  # fmt: skip


class Rivals(Teacher):
    """Gives the same level to two students and an antagonist, and then the one that the antagonist is ahead in."""

    players = ("student", "student/2", "antagonist")
    required_columns = frozenset({"value_loss"})

    def __init__(self, levels, rng):
        super().__init__(levels, rng, None)
        self.returns = {name: [] for name in self.players}
        self.level = self.turn = 0

    def propose(self, rows, step):
        proposals = []
        for _ in rows:
            if self.turn == 0:
                self.level = self.next_number()
                (self.task,) = self.levels.draw_plain(self.rng, 1)
            proposals.append(Proposal(self.level, self.task, player=self.players[self.turn]))
            self.turn = (self.turn + 1) % len(self.players)
        return proposals

    def observe(self, finished):
        assert np.isfinite(finished.value_loss).all()
        for name in self.players:
            self.returns[name] += finished.by(name).return_.tolist()

    def learn(self, student):
        values = student.snapshot("antagonist").values
        return {"regret": sum(self.returns["antagonist"]) - sum(self.returns["student"]), "kinds": len(values)}

    def state(self):
        arrays, values = super().state()
        arrays |= {f"returns.{place}": np.array(self.returns[name]) for place, name in enumerate(self.players)}
        task = self.levels.task_space.plain(self.task)
        return arrays, values | {"level": self.level, "turn": self.turn, "task": task}

    def restore(self, arrays, values):
        super().restore(arrays, values)
        self.returns = {name: arrays[f"returns.{place}"].tolist() for place, name in enumerate(self.players)}
        self.level, self.turn = values["level"], values["turn"]
        self.task = self.levels.task_space.resolve(values["task"])


class Fixed(Teacher):
    """Proposes one thing."""

    def __init__(self, proposal, players=("student",), benchmark=BENCHMARK):
        super().__init__(LevelSource(benchmark, solvable=True), np.random.default_rng(0), None)
        self.proposal, self.players, self.finished = proposal, players, []

    def propose(self, rows, step):
        return [replace(self.proposal, level=self.next_number()) for _ in rows]

    def observe(self, finished):
        self.finished.append(finished)


def learner_and_policy(environment_id="GridWorld-v0", memory=0, seed=0):
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(seed)
        policy = ActorPolicy(environment_id, True, width=16, memory=memory)
        network = ActorPolicy(environment_id, True, width=16, memory=memory).network
    return PolicyGradient(network, policy.actions, replace(SETTINGS, memory=memory), rng_of("learner", seed)), policy


def player(name="student", **options):
    learner, policy = learner_and_policy(**options)
    return Player(learner, policy, {"width": 16, "memory": learner.memory_width}, name)


def rivals(folder, steps=1_500):
    """A run of two students, one of which remembers, and an antagonist."""
    teacher = Rivals(LevelSource(BENCHMARK, solvable=True), np.random.default_rng(1))
    rows = CurriculumVectorEnv("GridWorld-v0", 12, teacher, seed=0)
    players = [player(), player("student/2", memory=4, seed=1), player("antagonist", seed=2)]
    return Trainer(RunFolder(folder, "ppo", BENCHMARK, SETTINGS, 0, steps), players, rows, SETTINGS.rollout_steps)


def begin(proposal, folder, players=None, environment_id="GridWorld-v0", benchmark=BENCHMARK, teacher=None, **options):
    teacher = teacher or Fixed(proposal, benchmark=benchmark)
    rows = CurriculumVectorEnv(environment_id, 2, teacher, seed=0, **options)
    return Trainer(RunFolder(folder, "ppo", benchmark, SETTINGS, 0, 1_000), players or player(), rows, 8)


@pytest.fixture
def task():
    """One that takes several steps."""
    return BENCHMARK.task_suite().tasks[-1]


def test_a_population_killed_and_resumed_ends_as_one_that_was_not(tmp_path, monkeypatch):
    with rivals(tmp_path / "whole") as trainer:
        trainer.advance(1_500)
    learn, left = Trainer._learn_from_one_rollout, [9]

    def killed(*arguments):
        left[0] -= 1
        if not left[0]:
            raise KilledError
        learn(*arguments)

    with monkeypatch.context() as patched:
        patched.setattr(Trainer, "_learn_from_one_rollout", killed)
        with pytest.raises(KilledError), rivals(tmp_path / "killed") as broken:
            broken.advance(1_500)
    assert (tmp_path / "killed" / "checkpoint").exists()
    assert len({one.curve[-1]["training_return"] for one in trainer.players}) == 3  # each has its own episodes'
    assert sum(one.curve[-1]["player_step"] for one in trainer.players) == trainer.steps
    assert all(one.steps > 0 for one in trainer.players)
    with rivals(tmp_path / "killed") as resumed:
        resumed.advance(1_500)
    (arrays, *rest), (others, *other_rest) = last_checkpoint(trainer.run), last_checkpoint(resumed.run)
    assert arrays.keys() == others.keys()
    assert all(np.array_equal(array, others[name], equal_nan=True) for name, array in arrays.items())
    assert repr(rest) == repr(other_rest)
    assert {path.parent.relative_to(tmp_path / "whole").as_posix() for path in trainer.run.path.rglob("curve.csv")} == {
        ".", "players/student/2", "players/antagonist",
    }  # fmt: skip


@pytest.mark.slow
def test_advancing_in_pieces_is_the_same_run(tmp_path):
    with rivals(tmp_path / "whole") as whole:
        whole.advance(1_500)
    with rivals(tmp_path / "pieces") as pieces:
        reached = [pieces.advance(step) for step in (1, 400, 401, 1_500)]
    assert reached == [96, 480, 480, 1_500]
    for one, other in zip(whole.players, pieces.players):
        weights, others = one.learner.policy_weights(), other.learner.policy_weights()
        assert all(np.array_equal(array, others[name]) for name, array in weights.items())


def test_torch_is_seeded_by_the_run(tmp_path, monkeypatch, task):
    """A learner may draw from torch's own generator: two runs of one seed draw the same, and no update as another."""
    drawn, update = [], PolicyGradient.update

    def drawing(learner, rollout):
        drawn.append(torch.rand(1).item())
        return update(learner, rollout)

    monkeypatch.setattr(PolicyGradient, "update", drawing)
    for name in ("one", "other"):
        with begin(Proposal(0, task), tmp_path / name) as trainer:
            trainer.advance(64)
    half = len(drawn) // 2
    assert drawn[:half] == drawn[half:] and len(set(drawn)) == half > 1


def test_each_player_learns_from_its_own_rows(tmp_path):
    """Every row is one player's until its episode ends; rollouts hold no other player's steps."""
    with rivals(tmp_path / "run") as trainer:
        collector = trainer._collector
        rollout = collector.collect()
        parts = collector.by_player(rollout)
        played = np.stack(collector._played)
        assert set(parts) == {0, 1, 2} and (played >= 0).all()
        for number, part in parts.items():
            columns = np.flatnonzero((played == number).any(axis=0))
            own = (played == number)[:, columns]
            assert part.rewards.shape == own.shape and (part.train <= own).all()
            assert np.array_equal(part.rewards, rollout.rewards[:, columns])
            assert np.array_equal(part.train, own)
            values = part.aux["values"].numpy()
            assert (values[~own] == 0).all() and (values[own] != 0).all()
            assert part.cut_memory.shape == (part.truncations.sum(), 4 if number == 1 else 0)
        trainer.advance(0)


def test_frozen_players_act_and_are_neither_trained_nor_counted(tmp_path, task):
    class Halves(Fixed):
        def propose(self, rows, step):
            return [Proposal(self.next_number(), task, player=("student", "control")[row % 2]) for row in rows]

    teacher = Halves(None, ("student", "control"))
    players = [player(), Player(None, RandomPolicy("GridWorld-v0"), name="control")]
    with begin(None, tmp_path / "run", players, teacher=teacher) as trainer:
        rollout = trainer._collector.collect()
        assert trainer.steps == 8 and list(trainer._collector.by_player(rollout)) == [0]
        assert len(np.unique(rollout.actions[:, 1])) > 1
    finished = trainer._collector.finished_episodes(rollout)
    assert not finished.by("control").train.any() and finished.by("student").train.all()


def test_an_episode_begins_from_a_saved_state(tmp_path, task):
    with begin(Proposal(0, task), tmp_path / "first") as trainer:
        trainer.rows.step(np.full(2, trainer.rows.env.task_space.solve(task)[0]))
        (state,) = trainer.rows.env.save_states([0])
    with begin(Proposal(0, task, state=state), tmp_path / "second") as trainer:
        assert trainer.rows.env.simulation.elapsed.tolist() == [1, 1]
        trainer.advance(200)


def test_a_saved_state_goes_on_under_another_goal(tmp_path):
    """What reset can replace beside a state is replaced, and nothing else."""
    benchmark = get_benchmark("bit-grid/test")
    first, second = benchmark.task_suite().tasks[:2]
    rows = CurriculumVectorEnv("BitGrid-v0", 2, Fixed(Proposal(0, first), benchmark=benchmark), seed=0)
    rows.begin()
    (state,) = rows.env.save_states([0])
    other = replace(first, goal=second.goal)
    rows.teacher.proposal = Proposal(0, other, state=state)
    rows.begin()
    assert [task.fingerprint() for task in rows.env.tasks] == [other.fingerprint()] * 2
    rows.teacher.proposal = Proposal(0, second, state=state)
    with pytest.raises(InvalidOptionError, match="differs from its state's in more than reset can replace"):
        rows.begin()
    rows.close()


def test_a_frozen_co_player_takes_its_seat_and_its_steps_are_not_counted(tmp_path):
    """The second player of a world of XLand: a policy that the run was given, and then the student itself."""
    benchmark = get_benchmark("xland/small")
    world = next(task for task in benchmark.task_suite().tasks if task.game.num_players == 2)
    asked = []

    class Still(NoopPolicy):
        def act(self, observations, episode_starts):
            asked.append(len(episode_starts))
            return super().act(observations, episode_starts)

    for name in ("still", "student"):
        teacher = Fixed(Proposal(0, world, co_players=(name,)), benchmark=benchmark)
        options = {"players": "all", "observation": "state"}
        rows = CurriculumVectorEnv("XLand-v0", 1, teacher, seed=0, **options)
        run = RunFolder(tmp_path / name, "ppo", benchmark, SETTINGS, 0, 1_000)
        others = {"still": Still("XLand-v0")}
        with Trainer(run, player(environment_id="XLandSmall-v0"), rows, 4, co_players=others) as trainer:
            rollout = trainer._collector.collect()
            assert rows.acts.tolist() == [True, False] and trainer.steps == 4
            (part,) = trainer._collector.by_player(rollout).values()
            assert part.rewards.shape == (4, 1) and part.train.all()
    assert asked == [1] * 4


def test_rates_are_the_players_own_and_kept(tmp_path, task):
    with begin(Proposal(0, task), tmp_path / "run") as trainer:
        trainer.student.set_rate("learning_rate", 0.0)
        before = trainer.student.learner.policy_weights()
        trainer.advance(200)
        after = trainer.student.learner.policy_weights()
        assert all(np.array_equal(array, after[name]) for name, array in before.items())
        with pytest.raises(InvalidOptionError, match="has no rate 'warmth', expected one of"):
            trainer.student.set_rate("warmth", 1.0)
        trainer.checkpoint()
    with begin(Proposal(0, task), tmp_path / "run") as resumed:
        resumed.advance(0)
        assert resumed.student.rates["learning_rate"] == 0.0


def test_a_snapshot_is_another_players_beginning(tmp_path, task):
    with begin(Proposal(0, task), tmp_path / "run") as trainer:
        trainer.advance(100)
        other = player(seed=5)
        other.load(trainer.student.snapshot())
        weights = trainer.student.learner.policy_weights()
        assert all(np.array_equal(array, weights[name]) for name, array in other.learner.policy_weights().items())


class Forgetful(PolicyGradient):
    """A learner of the user's own that has not written how it is kept."""

    state = Learner.state


def test_what_cannot_be_obeyed_is_refused_before_anything_is_written(tmp_path, task):
    folder, bits = tmp_path / "run", get_benchmark("bit-grid/test")
    state_of_bits = CurriculumVectorEnv("BitGrid-v0", 1, Fixed(Proposal(0, bits.task_suite().tasks[0])), seed=0)
    state_of_bits.begin()
    (state,) = state_of_bits.env.save_states([0])
    curious, _ = learner_and_policy()
    curious.required_infos = ("goal_truths",)
    unmade = type("Unmade", (), {"act": None})()
    for error, message, make in [
        (PlayersError, "proposes levels to antagonist, and this run has only student", lambda: begin(
            None, folder, teacher=Fixed(Proposal(0, task), ("student", "antagonist")))),
        (PlayersError, "proposes no levels to student/2", lambda: begin(
            Proposal(0, task), folder, [player(), player("student/2")])),
        (UnknownNameError, "player of a proposal", lambda: begin(Proposal(0, task, player="ghost"), folder)),
        (InvalidOptionError, "has the co-players noop, expected at most 0", lambda: begin(
            Proposal(0, task, co_players=("noop",)), folder)),
        (InvalidOptionError, "a proposal's state is one of", lambda: begin(Proposal(0, task, state=state), folder)),
        (PlayersError, "requires the infos goal_truths, and GridWorld-v0 declares none", lambda: begin(
            Proposal(0, task), folder, Player(curious, player().policy))),
        (PlayersError, "the learner of player student is a Unmade, expected a Learner", lambda: Player(
            unmade, player().policy)),
        (IncompleteLearnerError, "the learner Forgetful lacks state, expected act, update,", lambda: Forgetful()),
        (PlayersError, "expected a name for each", lambda: begin(Proposal(0, task), folder, [player(), player()])),
        (PlayersError, "a player is called 'A B'", lambda: player("A B")),
    ]:  # fmt: skip
        with pytest.raises(error, match=message):
            make()
        assert not folder.exists(), message


def test_checkpoints_of_an_older_form_are_refused(tmp_path, task):
    with begin(Proposal(0, task), tmp_path / "run") as trainer:
        trainer.run.write_checkpoint({"memory": np.zeros(1)}, {"curve": []})
        with pytest.raises(RunFolderError, match="of an older form; train it from the beginning"):
            trainer.advance(100)


@pytest.mark.parametrize("damage", ["bit", "array", "value"])
def test_a_damaged_checkpoint_is_one_error(damage, tmp_path, task):
    """Which learner can tell that one of its arrays is missing? None has to."""
    with begin(Proposal(0, task), tmp_path / "run") as trainer:
        trainer.advance(100)
        trainer.checkpoint()
    arrays_path, values_path = (tmp_path / "run/checkpoint" / name for name in ("arrays.safetensors", "values.json"))
    if damage == "bit":
        content = bytearray(arrays_path.read_bytes())
        content[-1] ^= 1
        arrays_path.write_bytes(content)
    elif damage == "array":
        arrays = load_file(arrays_path)
        del arrays[next(name for name in arrays if "optimizer" in name)]
        save_file(arrays, arrays_path)
    else:
        values = json.loads(values_path.read_text())
        del values["player.student"]["learner"]["rng"]
        values_path.write_text(json.dumps(values))
    message = "player.student cannot continue from it: KeyError: 'rng'" if damage == "value" else "not what was written"
    with (
        begin(Proposal(0, task), tmp_path / "run") as resumed,
        pytest.raises(DamagedRunError, match=f"is damaged .*{message}.*train it from the beginning") as error,
    ):
        resumed.advance(1_000)
    assert "\n" not in str(error.value)


def test_a_player_with_memory_can_be_a_frozen_co_player():
    sizes = {"width": 8, "layers": 1, "memory": 4}
    policy = ActorPolicy("GridWorld-v0", True, **sizes)
    frozen = Player(None, policy, sizes).frozen_policy()
    assert frozen is not policy and frozen.state_shapes == policy.state_shapes
