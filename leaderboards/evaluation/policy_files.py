"""The policies of an evaluation as files: what is played is what the submission brings and boards play."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from procgen_bench.baselines.policies.loading import (
    PolicySource,
    is_onnx,
    is_own,
    is_scripted,
    read_policy_folder,
)
from procgen_bench.baselines.policies.onnx.sandbox.policy import read_policy_file
from procgen_bench.baselines.policies.onnx.sandbox.process import PLAYED_WITH
from procgen_bench.core.atomic import write_bytes
from procgen_bench.core.extras import check_modules, import_extra
from procgen_bench.leaderboards.submission.metadata import policy_file

#: What writes a policy's file, and plays it.
EXPORTED_WITH = ("torch", "onnxscript", *PLAYED_WITH)


@dataclass(frozen=True, eq=False)
class PlayedPolicy:
    """What a run's policy is loaded from.

    Attributes:
        origin: What the caller named.
        source: What is loaded and played: for a trained policy, its ONNX file.
        file: The file's content; ``None`` for policies that have none.
    """

    origin: PolicySource
    source: PolicySource
    file: bytes | None


def policy_files(origins: Sequence[PolicySource], environment_id: str, scratch: Path) -> list[PlayedPolicy]:
    """Every trained policy as an ONNX file in the folder ``scratch``; others as they are.

    Raises:
        UnknownNameError: There is no such policy.
        InvalidPolicyError: A policy cannot be read or exported.
        MissingExtraError: Exporting takes a package that is not installed.
    """
    chosen = [origin for origin in origins if not is_own(origin) and not is_scripted(origin)]
    if chosen:
        check_modules(*(PLAYED_WITH if all(map(is_onnx, chosen)) else EXPORTED_WITH))
    return [_policy_file(origin, environment_id, scratch / policy_file(run)) for run, origin in enumerate(origins)]


def submitted_files(policies: Sequence[PlayedPolicy]) -> tuple[bytes, ...]:
    """The files that a submission brings: one for each run, or none where a run has none."""
    files = [policy.file for policy in policies]
    return tuple(file for file in files if file is not None) if all(file is not None for file in files) else ()


def _policy_file(origin: PolicySource, environment_id: str, path: Path) -> PlayedPolicy:
    if is_own(origin) or is_scripted(origin):
        return PlayedPolicy(origin, origin, None)
    if is_onnx(origin):
        return PlayedPolicy(origin, origin, read_policy_file(origin))
    read_policy_folder(origin, environment_id)
    export = import_extra("procgen_bench.baselines.policies.onnx.export")
    file = export.export_folder(Path(origin))
    write_bytes(path, file)
    return PlayedPolicy(origin, path, file)
