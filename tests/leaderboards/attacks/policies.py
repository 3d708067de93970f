"""Policies beside the traces that are not what the metadata say, or that mean harm when they are played."""

import hashlib
import os

from tests.leaderboards.attacks.attack import Attacks
from tests.leaderboards.attacks.folders import enormous
from tests.leaderboards.attacks.tampering import Tampering

#: The metadata of the honest submission announce no policies.
ATTACKS = Attacks()


def announced(forged: Tampering, *policies: bytes):
    """Write policies, one for each of the first runs, under their own hashes, and say that they are there."""
    runs = forged.metadata()["runs"]
    for number, (policy, run) in enumerate(zip(policies, runs)):
        run["policy_hash"] = hashlib.sha256(policy).hexdigest()
        (forged.folder / f"policy-{number}.onnx").write_bytes(policy)
    forged.fields(policies=True, runs=runs)


@ATTACKS.refused("folder: content is 'policy-0.onnx', expected no policies")
def policy_not_announced(forged):
    (forged.folder / "policy-0.onnx").write_bytes(b"policy")


@ATTACKS.refused(r"folder: content is 'policy-0.onnx \(missing\)', expected policy-0.onnx and policy-1.onnx")
def policies_announced_but_missing(forged):
    announced(forged)


@ATTACKS.refused(r"folder: content is 'policy-1.onnx \(missing\)', expected policy-0.onnx and policy-1.onnx")
def policy_of_one_run_missing(forged):
    announced(forged, b"policy 0")


@ATTACKS.refused("folder: content is 'policy-2.onnx', expected policy-0.onnx and policy-1.onnx")
def policy_of_no_run(forged):
    announced(forged, b"policy 0", b"policy 1")
    (forged.folder / "policy-2.onnx").write_bytes(b"policy 2")


@ATTACKS.refused("folder: content is 'policy-00.onnx', expected policy-0.onnx and policy-1.onnx")
def policy_under_two_names(forged):
    announced(forged, b"policy 0", b"policy 1")
    (forged.folder / "policy-00.onnx").write_bytes(b"policy 0")


@ATTACKS.refused("folder: content is 'weights.bin', expected only submission.json")
def weights_beside_a_policy(forged):
    announced(forged, b"policy 0", b"policy 1")
    (forged.folder / "weights.bin").write_bytes(b"weights")


@ATTACKS.refused("policy-1.onnx: SHA-256 is '[0-9a-f.]+', expected [0-9a-f]{64}, the policy_hash of its run")
def policy_changed_after_its_hash(forged):
    announced(forged, b"policy 0", b"policy 1")
    (forged.folder / "policy-1.onnx").write_bytes(b"better policy")


@ATTACKS.refused("policy-0.onnx: SHA-256 is")
def policies_exchanged(forged):
    announced(forged, b"policy 0", b"policy 1")
    for number in (0, 1):
        (forged.folder / f"policy-{number}.onnx").write_bytes(f"policy {1 - number}".encode())


@ATTACKS.refused("policy-0.onnx: file is 'a link', expected a regular file")
def policy_linked_to_an_endless_device(forged):
    announced(forged)
    (forged.folder / "policy-0.onnx").symlink_to("/dev/zero")


@ATTACKS.refused("policy-0.onnx: file is 'no regular file', expected a regular file")
def policy_is_a_pipe(forged):
    announced(forged)
    os.mkfifo(forged.folder / "policy-0.onnx")


@ATTACKS.refused("policy-0.onnx: file is 'no regular file', expected a regular file")
def policy_is_a_folder(forged):
    announced(forged)
    (forged.folder / "policy-0.onnx").mkdir()


@ATTACKS.refused("policy-0.onnx: size in bytes is 100000000000, expected at most 67108864")
def policy_of_100_gigabytes(forged):
    announced(forged, b"", b"")
    enormous(forged, "policy-0.onnx")


@ATTACKS.refused("folder: size of all policies in bytes is 268435457, expected at most 268435456")
def policies_of_too_many_bytes(forged):
    """Four as large as one can be, and one more."""
    largest = 64 * 2**20
    runs = [{"training_seed": seed, "policy_hash": hashlib.sha256(bytes(largest)).hexdigest()} for seed in range(5)]
    forged.fields(policies=True, runs=runs)
    for number in range(4):
        with (forged.folder / f"policy-{number}.onnx").open("wb") as file:
            file.truncate(largest)
    (forged.folder / "policy-4.onnx").write_bytes(b"x")


@ATTACKS.refused("submission.json: policies is 1, expected a valid boolean")
def policies_announced_by_a_number(forged):
    forged.fields(policies=1)


@ATTACKS.refused(
    r"submission.json: method is 'S0lver', expected another name \(--method\): solver is a scripted player"
)
def policies_under_the_solver_s_name(forged):
    announced(forged, b"policy 0", b"policy 1")
    (forged.folder / "traces.npz").unlink()
    forged.fields(method="S0lver")
