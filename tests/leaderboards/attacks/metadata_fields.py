"""A submission.json with a field that is not as it must be, or that its traces belie."""

import hashlib

from tests.leaderboards.attacks.attack import Attacks

ATTACKS = Attacks()


def with_fields(name: str, refusal: str, **fields):
    ATTACKS.add(name, lambda forged: forged.fields(**fields), refusal)


with_fields("unknown_field", "unknown field accepted is True, expected no such field", accepted=True)
with_fields(
    "unknown_field_with_a_strange_name", r"unknown field '\\x1b\[31m\\n.* expected no such", **{"\x1b[31m\nx": 1}
)
with_fields("missing_field", r"content is 'method \(missing\)', expected every field", method=...)
with_fields("bool_for_int", "training_steps is True, expected a valid integer", training_steps=True)
with_fields("bool_for_float", "claimed_score is True, expected a valid number", claimed_score=True)
with_fields("float_for_int", "benchmark_version is 1.0, expected a valid integer", benchmark_version=1.0)
with_fields("text_for_number", "claimed_score is '0.9', expected a valid number", claimed_score="0.9")
with_fields("number_for_text", "method is 3, expected a valid string", method=3)
with_fields("null_for_text", "authors is None, expected a valid string", authors=None)
with_fields("int_for_bool", "oracle is 0, expected a valid boolean", oracle=0)
with_fields("list_for_object", r"package_versions is \[\], expected a valid dictionary", package_versions=[])
with_fields("negative_steps", "training_steps is -1, expected greater than or equal to 0", training_steps=-1)
with_fields("steps_over_budget", "training_steps is 100001, expected at most the inter", training_steps=100_001)
with_fields("steps_beyond_64_bits", r"training_steps is 10+\.\.\.0+, expected", training_steps=10**300)
with_fields("unknown_format", "format_version is 3, expected less than or equal to 2", format_version=3)
with_fields("former_format", "format_version is 1, expected greater than or equal to 2", format_version=1)
with_fields("bool_for_format", "format_version is True, expected a valid integer", format_version=True)
with_fields("unknown_benchmark", "benchmark is 'grid-world/easy', expected one of grid", benchmark="grid-world/easy")
with_fields("benchmark_as_path", "benchmark is '../../etc/passwd', expected one of", benchmark="../../etc/passwd")
with_fields("old_benchmark_version", "benchmark_version is 0, expected 1, the current one", benchmark_version=0)
with_fields("future_benchmark_version", "benchmark_version is 2, expected 1, the current", benchmark_version=2)
with_fields("another_benchmark", r"traces.npz: seeds\[0\] \(run 0, episode 0\) is", benchmark="grid-world/target-b")
with_fields("method_as_path", "method is '../../../method', expected a letter or digit", method="../../../method")
with_fields("method_with_markup", "method is '<script>', expected a letter or digit", method="<script>")
with_fields("method_with_newline", r"method is 'a\\nb', expected a letter or digit", method="a\nb")
with_fields("method_too_long", "method is 'aaa.*', expected string should have at most 64 characters", method="a" * 65)
with_fields("method_empty", "method is '', expected a letter or digit", method="")
with_fields("authors_change_direction", r"authors is 'a\\u202eb', expected printable", authors="a\u202eb")
with_fields("authors_with_lone_surrogate", r"authors is '\\ud800', expected", authors="\ud800")
with_fields("authors_too_long", "authors is 'aaa.*', expected string should have at most 300 ch", authors="a" * 301)
with_fields("command_on_two_lines", r"command is 'a\\nb', expected a single line", command="a\nb")
with_fields("notes_with_escape", r"notes is 'x\\x1b\[2Jy', expected printable characters only", notes="x\x1b[2Jy")
with_fields("notes_too_long", "notes is 'xxx.*', expected string should have at most 2000 char", notes="x" * 2_001)
with_fields("link_runs_code", r"link is 'javascript:alert\(1\)', expected an http", link="javascript:alert(1)")
with_fields("link_breaks_out", "link is .*onclick.*, expected an http", link='https://a.org/" onclick="alert(1)')
with_fields(
    "link_to_file", "link is 'file:///etc/passwd', expected an http or https address", link="file:///etc/passwd"
)
with_fields("commit_is_a_command", "commit is '--help', expected a commit's hexadecimal digits", commit="--help")
with_fields(
    "scripted_player_that_claims_training_steps",
    r"training_steps is 1000, expected 0 and no training: runs\[0\] is 'constant', which does not learn",
    training_steps=1_000,
    runs=[{"training_seed": 0, "policy_hash": hashlib.sha256(b"constant|GridWorld-v0").hexdigest()}],
)
with_fields("no_runs", r"runs is \[\], expected list should have at least 1 item", runs=[])
with_fields("negative_wall_time", "wall_time_seconds is -1.0, expected greater than", wall_time_seconds=-1.0)
with_fields("no_versions", "package_versions is {}, expected dictionary should have at least 1", package_versions={})
with_fields(
    "too_many_runs",
    "runs is .* expected list should have at most 64 items",
    runs=[{"training_seed": seed, "policy_hash": "0" * 64} for seed in range(65)],
)
with_fields(
    "run_with_unknown_field",
    r"unknown field runs\[0\].score is 1, expected no such field",
    runs=[{"training_seed": 0, "policy_hash": "0" * 64, "score": 1}],
)
with_fields(
    "seed_beyond_32_bits",
    r"runs\[0\].training_seed is 4294967296, expected less than",
    runs=[{"training_seed": 2**32, "policy_hash": "0" * 64}],
)
with_fields(
    "hash_in_capitals",
    r"runs\[0\].policy_hash is 'A+\.\.\.A+', expected 64 hex",
    runs=[{"training_seed": 0, "policy_hash": "A" * 64}],
)


def with_runs(name: str, refusal: str, change):
    ATTACKS.add(name, lambda forged: forged.fields(runs=change(forged.metadata()["runs"])), refusal)


with_runs("run_given_twice", r"runs\[1\] is 'the same as runs\[0\]'", lambda runs: [runs[0], runs[0]])
with_runs("run_left_out", r"traces.npz: \w+'s s.* expected .*50", lambda runs: runs[:1])
with_runs(
    "run_announced_without_traces",
    r"runs's shape is \(100,\), expected \(150,\)",
    lambda runs: [*runs, {"training_seed": 2, "policy_hash": "0" * 64}],
)
with_runs(
    "hash_of_another_policy",
    r"seeds\[0\] \(run 0, episode 0\) is \d+, expected \d+: the seed bound to the policy's hash",
    lambda runs: [{**run, "policy_hash": "0" * 64} for run in runs],
)
with_runs(
    "another_training_seed",
    r"seeds\[50\] \(run 1, episode 0\) is \d+, expected \d+: the seed bound",
    lambda runs: [runs[0], {**runs[1], "training_seed": 7}],
)


def with_oracle_unsaid(name: str, method: str, victim: str):
    ATTACKS.add(
        name,
        lambda forged: forged.fields(oracle=False, method="My own method"),
        f"submission.json: oracle is False, expected true: .*'{method}', which knows the task",
        victim=victim,
    )


with_oracle_unsaid("solver_called_learned", "solver", "solver_folder")


def with_training(name: str, refusal: str, **changes):
    """The first run tells of its training, in which something is wrong."""
    curve = [{"step": 10 * point, "score": 0.1 * point} for point in range(4)]
    training = {"command": "c", "commit": None, "hardware": "h", "wall_time_seconds": 1.0, "curve": curve, **changes}
    with_runs(name, refusal, lambda runs: [{**runs[0], "training": training}, *runs[1:]])


def with_curve(name: str, refusal: str, *points):
    with_training(name, refusal, curve=[{"step": step, "score": score} for step, score in points])


with_curve("curve_falls_in_time", r"runs\[0\].training.curve is .* expected rising steps", (10, 0.0), (0, 0.0))
with_curve("curve_stands_in_time", r"runs\[0\].training.curve is .* expected rising steps", (10, 0.0), (10, 0.0))
with_curve("curve_too_long", "expected list should have at most 500 items", *((step, 0.0) for step in range(501)))
with_curve("curve_of_bools", r"curve\[0\].step is True, expected a valid integer", (True, 0.0))
with_curve("curve_of_text", r"curve\[0\].score is '1', expected a valid number", (0, "1"))
with_curve("curve_huge", r"curve\[0\].score is 1e\+308, expected a mean return from", (0, 1e308))
with_curve("curve_huge_below", r"curve\[1\].score is -1e\+308, expected a mean return", (0, 0.0), (1, -1e308))
with_curve("curve_beyond_the_range", r"curve\[1\].score is -3.0, expected a mean return from", (0, 0.0), (1, -3.0))
with_training("training_on_two_lines", "training.command is .*, expected a single line", command="two\nlines")
with_training("training_with_unknown_field", r"unknown field runs\[0\].training.luck is 1, expected no such", luck=1)
with_training("training_of_no_commit", "training.commit is 'HEAD', expected a commit's", commit="HEAD")
with_training("training_before_its_time", "wall_time_seconds is -1.0, expected greater", wall_time_seconds=-1.0)
