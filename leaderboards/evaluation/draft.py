"""What a submission says of its method and runs, before anything is played."""

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from procgen_bench.baselines.method_table import get_method
from procgen_bench.baselines.policies.folders import PolicyFolder
from procgen_bench.baselines.policies.loading import PolicySource, is_onnx, is_own, is_scripted, policy_hash
from procgen_bench.baselines.policies.onnx.sandbox.policy import SandboxedPolicy
from procgen_bench.baselines.training.run_folder import TrainingRecord, read_training_record
from procgen_bench.core.benchmark import Benchmark
from procgen_bench.core.errors import InvalidPolicyError
from procgen_bench.core.policy import OraclePolicy, Policy
from procgen_bench.core.provenance import commit, hardware, package_versions
from procgen_bench.leaderboards.evaluation.policy_files import PlayedPolicy, submitted_files
from procgen_bench.leaderboards.evaluation.training_lists import stated_training_tasks
from procgen_bench.leaderboards.submission.metadata import FORMAT_VERSION, MAX_CURVE_POINTS, METADATA_FILE, Metadata
from procgen_bench.leaderboards.submission.strict_json import validated

#: Points of all runs' learning curves together, so that the metadata stay within their size.
_MAX_CURVE_POINTS = 2_000


@dataclass(frozen=True)
class MethodDescription:
    """What a submission says about its method; see :class:`~procgen_bench.leaderboards.submission.metadata.Metadata`.

    ``method`` and ``training_steps`` are ``None`` to take what the policies themselves say.
    """

    authors: str
    command: str
    method: str | None = None
    link: str | None = None
    training_steps: int | None = None
    notes: str = ""


def draft(
    benchmark: Benchmark,
    chosen: Sequence[PlayedPolicy],
    seeds: Sequence[int],
    loaded: Sequence[Policy],
    records: Sequence[TrainingRecord | None],
    description: MethodDescription,
) -> Metadata:
    """The submission's metadata as far as they are known before it is played."""
    description = _completed(description, chosen, loaded)
    oracle = any(isinstance(policy, OraclePolicy) for policy in loaded)
    oracle |= any(is_scripted(policy.origin) and get_method(str(policy.origin)).oracle for policy in chosen)
    runs = [
        {
            "training_seed": seed,
            "policy_hash": policy_hash(policy.source, benchmark.environment_id),
            "training": _training(record, benchmark, _MAX_CURVE_POINTS // len(chosen)),
            "training_tasks": stated_training_tasks(record, benchmark),
        }
        for policy, seed, record in zip(chosen, seeds, records, strict=True)
    ]
    fields = {
        "format_version": FORMAT_VERSION,
        "method": description.method,
        "authors": description.authors,
        "link": description.link,
        "benchmark": benchmark.id,
        "benchmark_version": benchmark.version,
        "oracle": oracle,
        "training_steps": description.training_steps,
        "runs": runs,
        "policies": bool(submitted_files(chosen)),
        "claimed_score": 0.0,
        "package_versions": package_versions(),
        "command": description.command,
        "commit": commit(),
        "hardware": hardware(),
        "wall_time_seconds": 0.0,
        "notes": description.notes,
    }
    return validated(Metadata, fields, METADATA_FILE)


def training_record(source: PolicySource) -> TrainingRecord | None:
    """How a policy was trained, if it still lies in its run folder."""
    kept = not (is_own(source) or is_scripted(source) or is_onnx(source))
    return read_training_record(Path(source)) if kept else None


def _completed(
    description: MethodDescription, chosen: Sequence[PlayedPolicy], loaded: Sequence[Policy]
) -> MethodDescription:
    """The description with its gaps filled by what the policies say."""
    recorded = [_recorded(*pair) for pair in zip(chosen, loaded, strict=True)]
    if description.method is None and recorded:
        description = replace(description, method=recorded[0][0])
    if description.training_steps is None:
        unknown = [policy.origin for policy, (_, steps) in zip(chosen, recorded) if not isinstance(steps, int)]
        if unknown:
            raise InvalidPolicyError(
                f"the policy {unknown[0]} does not record its training steps; say how many (--training-steps)"
            )
        known = [steps for _, steps in recorded if steps is not None]
        description = replace(description, training_steps=max(known, default=0))
    return description


def _recorded(chosen: PlayedPolicy, policy: Policy) -> tuple[str | None, int | None]:
    """Name of a policy's method and the environment steps of its training, ``None`` where nothing says them."""
    origin = chosen.origin
    if isinstance(policy, SandboxedPolicy):
        return policy.description.method, policy.description.training_steps
    if is_own(origin):
        return (str(origin).rpartition(":")[2] if isinstance(origin, str) else type(origin).__name__), None
    if is_scripted(origin):
        return str(origin), 0
    folder = PolicyFolder.read(Path(origin))
    return folder.method, folder.configuration.get("training_steps")


def _training(record: TrainingRecord | None, benchmark: Benchmark, max_points: int) -> dict[str, Any] | None:
    """How a policy was trained; its curve is thinned to ``max_points``."""
    if record is None:
        return None
    # A run for another benchmark was evaluated on that one's tasks: its curve would say nothing of this one.
    curve = record.curve if record.benchmark == benchmark.id else []
    every = max(1, math.ceil(len(curve) / min(max_points, MAX_CURVE_POINTS)))
    return {
        "command": record.command,
        "commit": record.commit,
        "hardware": record.hardware,
        "wall_time_seconds": record.seconds,
        "curve": [{"step": int(row["step"]), "score": row[benchmark.metric]} for row in curve[::every]],
    }
