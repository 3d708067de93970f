import json

import numpy as np
import pytest

from procgen_bench.baselines.policies.folders import PolicyFolder
from procgen_bench.baselines.policies.scripted.policies import ConstantPolicy
from procgen_bench.core.benchmarks import get_benchmark
from procgen_bench.core.errors import InvalidPolicyError, UnknownNameError
from procgen_bench.core.policy import Policy
from procgen_bench.leaderboards.errors import ExistingFolderError, InvalidSubmissionError, IrreproducibleEpisodeError
from procgen_bench.leaderboards.evaluation import evaluation, playing
from procgen_bench.leaderboards.evaluation.draft import MethodDescription
from procgen_bench.leaderboards.evaluation.evaluation import evaluate
from procgen_bench.leaderboards.submission.folder import read_submission
from procgen_bench.leaderboards.submission.protocol import check_policy_options
from procgen_bench.leaderboards.verification.verification import verify
from tests.leaderboards.agents import Chance, Recorded

TESTS = MethodDescription(authors="Tests", command="pytest")


def evaluated(benchmark_id, policies, folder, with_policies=True, **description):
    described = MethodDescription("Tests", "pytest", **description)
    return evaluate(get_benchmark(benchmark_id), policies, folder, described, with_policies=with_policies)


@pytest.mark.parametrize("name", ["target-a", "target-b", "target-c", "graded", "random"])
def test_solver_scores_the_maximum_and_null_the_minimum(name, tmp_path):
    benchmark = get_benchmark(f"grid-world/{name}")
    solver = evaluate(benchmark, [("solver", 0)], tmp_path / "solver", TESTS)
    assert solver.verification.score == pytest.approx(benchmark.maximum, abs=1e-12)
    assert solver.submission.metadata.oracle
    null = evaluate(benchmark, [("null", 0)], tmp_path / "null", TESTS)
    assert null.verification.score == benchmark.minimum
    assert null.verification.unfinished_episodes == benchmark.num_episodes
    assert "NullPolicyError" in null.warnings[0]
    for folder in ("solver", "null"):
        assert [path.name for path in (tmp_path / folder).iterdir()] == ["submission.json"], "anybody can play them"


def test_floor_policies_score_near_the_floor(tmp_path):
    random = evaluated("grid-world/graded", [("random", 0), ("random", 1)], tmp_path / "random")
    constant = evaluated("grid-world/graded", [("constant", 0)], tmp_path / "constant")
    assert 0 <= random.verification.score < 0.1
    assert 0 <= constant.verification.score < 0.1
    assert random.verification.scores.shape == (2, 200)


def test_reading_gives_back_what_was_played(random_folder, target):
    submission = read_submission(random_folder)
    assert submission.benchmark == target
    assert submission.num_runs == 2
    metadata = submission.metadata
    assert (metadata.method, metadata.authors, metadata.training_steps) == ("random", "Tests", 0)
    assert metadata.claimed_score == verify(submission)[0].score
    assert {"python", "numpy", "gymnasium"} <= set(metadata.package_versions)
    assert metadata.hardware and metadata.wall_time_seconds > 0
    episodes = submission.episodes(1)
    assert len(episodes) == 50
    assert all(episode.task == target.task_suite()["A"] and episode.task_name == "A" for episode in episodes)
    assert all(1 <= len(episode.actions) <= 50 and episode.actions.dtype == np.int64 for episode in episodes)
    seeds = [episode.seed for run in range(2) for episode in submission.episodes(run)]
    assert len(set(seeds)) == 100


def test_seeds_depend_on_benchmark_policy_run_and_episode(play, target, random_folder):
    def seeds(folder):
        return read_submission(folder).recorded.seeds.tolist()

    again = play(target, Chance(), num_runs=2, method="random")
    assert seeds(again) == seeds(random_folder)
    others = seeds(play(target, Recorded("constant"), method="constant"))
    others += seeds(play(get_benchmark("grid-world/target-b"), Chance(), 2, "random"))
    assert not set(others) & set(seeds(random_folder))


class CrashingPolicy(Policy):
    """Walks right, and breaks down at the fourth step."""

    calls = 0

    def act(self, observations, episode_starts):
        self.calls += 1
        if self.calls > 3:
            raise ZeroDivisionError("no\nluck \x1b[31m")
        return np.zeros(len(episode_starts), np.int64)


def test_crashing_policy_keeps_what_it_played_and_scores_the_minimum_for_the_rest(tmp_path, target, monkeypatch):
    monkeypatch.setattr(evaluation, "load_policy", lambda source, environment_id: CrashingPolicy())
    result = evaluate(target, [("random", 0)], tmp_path / "crashed", MethodDescription("Tests", "pytest"))
    assert result.verification.score == target.minimum
    assert result.verification.unfinished_episodes == 50
    (warning,) = result.warnings
    assert "ZeroDivisionError" in warning and "50 of 50 episodes are unfinished" in warning and warning.isprintable()
    submission = read_submission(tmp_path / "crashed")
    assert warning in submission.metadata.notes


def test_description_is_checked_before_anything_is_played(tmp_path, target, monkeypatch):
    monkeypatch.setattr(playing, "play_episodes", lambda *_, **__: pytest.fail("played before the check"))
    for wrong, message in (
        ({"method": "../up"}, "method is '../up', expected a letter or digit"),
        ({"link": "javascript:alert(1)"}, "link is 'javascript:alert\\(1\\)', expected an http or https address"),
        ({"training_steps": 100_001}, "training_steps is 100001, expected at most the interaction budget"),
    ):
        with pytest.raises(InvalidSubmissionError, match=message):
            evaluated(target.id, [("random", 0)], tmp_path / "new", **wrong)
    with pytest.raises(InvalidSubmissionError, match=r"runs\[1\] is 'the same as runs\[0\]'"):
        evaluated(target.id, [("random", 0), ("random", 0)], tmp_path / "new")
    with pytest.raises(InvalidSubmissionError, match="runs is"):
        evaluated(target.id, [], tmp_path / "new", method="none")
    with pytest.raises(UnknownNameError, match="unknown policy 'nobody'"):
        evaluated(target.id, [("nobody", 0)], tmp_path / "new")
    (tmp_path / "old").mkdir()
    with pytest.raises(ExistingFolderError, match="already exists"):
        evaluated(target.id, [("random", 0)], tmp_path / "old")
    assert sorted(path.name for path in tmp_path.iterdir()) == ["old"]


def test_trained_policies_say_their_method_and_steps(tmp_path, target, monkeypatch):
    monkeypatch.setattr(evaluation, "load_policy", lambda source, environment_id: ConstantPolicy(environment_id))
    for seed, configuration in enumerate(({"training_steps": 700}, {"training_steps": 900}, {})):
        weights = {"weight": np.full(3, seed, np.float32)}
        PolicyFolder("dqn", "GridWorld-v0", configuration, weights).write(tmp_path / f"policy-{seed}")
    first, second, silent = (tmp_path / f"policy-{seed}" for seed in range(3))
    metadata = evaluated(target.id, [(first, 4), (second, 5)], tmp_path / "known", False).submission.metadata
    assert (metadata.method, metadata.training_steps) == ("dqn", 900)
    assert metadata.runs[0].policy_hash != metadata.runs[1].policy_hash
    with pytest.raises(InvalidPolicyError, match="policy-2 does not record its training steps"):
        evaluated(target.id, [(first, 4), (silent, 5)], tmp_path / "unknown", False)
    given = evaluated(target.id, [(silent, 5)], tmp_path / "given", False, training_steps=12, method="Given")
    assert (given.submission.metadata.method, given.submission.metadata.training_steps) == ("Given", 12)


def test_policy_may_choose_how_it_observes_and_nothing_else(target):
    class Choosing(ConstantPolicy):
        environment_options = {"observation": "state"}

    class Privileged(ConstantPolicy):
        environment_options = {"observation": "state", "privileged": True}

    check_policy_options(Choosing(target.environment_id))
    with pytest.raises(InvalidPolicyError, match="option 'privileged', expected only mask, observation"):
        check_policy_options(Privileged(target.environment_id))


def test_play_that_its_replay_does_not_repeat_is_an_error(tmp_path, target, monkeypatch):
    honest = playing.play_episodes

    def inflated(*arguments, **options):
        episodes = honest(*arguments, **options)
        object.__setattr__(episodes[7], "return_", episodes[7].return_ + 1e-6)
        return episodes

    monkeypatch.setattr(playing, "play_episodes", inflated)
    with pytest.raises(IrreproducibleEpisodeError, match="run 0, episode 7 scored"):
        evaluated(target.id, [(Chance(), 0)], tmp_path / "new", training_steps=0)
    assert not (tmp_path / "new").exists()


def test_submission_is_readable_json(random_folder):
    content = json.loads((random_folder / "submission.json").read_text())
    assert content["benchmark"] == "grid-world/target-a"
    assert [run["training_seed"] for run in content["runs"]] == [0, 1]
