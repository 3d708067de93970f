"""Policies by name or by folder. A folder holds JSON and safetensors only; its method's own code reads them."""

import hashlib
import json
import os
import shutil
from dataclasses import dataclass
from os import PathLike
from pathlib import Path
from typing import Any

import numpy as np
from safetensors import SafetensorError
from safetensors.numpy import load_file, save_file

from procgen_bench.baselines.methods import METHODS, get_method
from procgen_bench.baselines.onnx_policy.sandbox.policy import SandboxedPolicy, policy_file_hash, read_policy_file
from procgen_bench.baselines.own_policies import as_policy, own_policy_hash
from procgen_bench.baselines.policy_file import regular_file
from procgen_bench.core.errors import InvalidPolicyError, UnknownNameError
from procgen_bench.core.own_code import names_code
from procgen_bench.core.policy import Policy

#: What a policy is loaded from; see :func:`load_policy`.
PolicySource = Any

#: Where a run's folder keeps its policy.
POLICY_FOLDER = "policy"
_DESCRIPTION, _WEIGHTS = "policy.json", "weights.safetensors"
_MAX_DESCRIPTION_BYTES, _MAX_WEIGHTS_BYTES = 64 * 1024, 1024**3


@dataclass(frozen=True)
class PolicyFolder:
    """A trained policy as it is kept.

    Attributes:
        method: Name of the method that trained it and can play it.
        environment: Id of the environment that it plays.
        configuration: Plain values from which the method rebuilds the policy.
        weights: Its arrays by name.
    """

    method: str
    environment: str
    configuration: dict[str, Any]
    weights: dict[str, np.ndarray]

    def hash(self) -> str:
        """SHA-256 (hexadecimal) over the description and every array."""
        digest = hashlib.sha256(self._description().encode())
        for name in sorted(self.weights):
            array = np.ascontiguousarray(self.weights[name])
            digest.update(f"{name}|{array.dtype.str}|{array.shape}|".encode() + array.tobytes())
        return digest.hexdigest()

    def write(self, folder: Path) -> None:
        """Write the policy to ``folder``, replacing a policy that is there; a killed write leaves the old one."""
        building = folder.with_name(f".{folder.name}.building")
        shutil.rmtree(building, ignore_errors=True)
        building.mkdir(parents=True)
        (building / _DESCRIPTION).write_text(self._description() + "\n", "utf-8")
        save_file(self.weights, building / _WEIGHTS)
        if folder.exists():
            retired = folder.with_name(f".{folder.name}.retired")
            shutil.rmtree(retired, ignore_errors=True)
            os.rename(folder, retired)
            os.rename(building, folder)
            shutil.rmtree(retired)
        else:
            os.rename(building, folder)

    @classmethod
    def read(cls, folder: Path) -> "PolicyFolder":
        """Read a policy folder.

        Raises:
            InvalidPolicyError: A file is missing, is not what its name says, or a field is missing or of another type.
        """
        path = folder / _DESCRIPTION
        if (folder / POLICY_FOLDER / _DESCRIPTION).is_file() and not path.exists():
            raise InvalidPolicyError(f"{folder} is a run's folder, expected its policy's: {folder / POLICY_FOLDER}")
        try:
            description = json.loads(regular_file(path, _MAX_DESCRIPTION_BYTES).read_text("utf-8"))
            weights = load_file(regular_file(folder / _WEIGHTS, _MAX_WEIGHTS_BYTES))
        except (OSError, ValueError, RecursionError, MemoryError, SafetensorError) as error:
            raise InvalidPolicyError(f"{folder} is not a policy folder: {error}") from None
        if not isinstance(description, dict):
            raise InvalidPolicyError(f"{path} holds {type(description).__name__}, expected an object")
        for key, kind in (("method", str), ("environment", str), ("configuration", dict)):
            if not isinstance(description.get(key), kind):
                raise InvalidPolicyError(f"{path} has {key} = {description.get(key)!r}, expected a {kind.__name__}")
        return cls(description["method"], description["environment"], description["configuration"], weights)

    def _description(self) -> str:
        description = {"method": self.method, "environment": self.environment, "configuration": self.configuration}
        return json.dumps(description, indent=2, sort_keys=True)


def load_policy(source: PolicySource, environment_id: str) -> Policy:
    """A policy that is ready to play ``environment_id``.

    Args:
        source: A name (``"random"``, ``"solver"``, ...), a folder, an ONNX file (which plays in a sandbox),
            ``"module:Class"`` of code that is imported, or an object: a :class:`Policy`, or anything that has its
            ``act``.
        environment_id: What it plays.

    Raises:
        UnknownNameError: Neither a folder nor the name of a method that needs no training.
        InvalidPolicyError: The folder or the code cannot be read, or the policy is for another environment.
    """
    if is_own(source):
        return as_policy(source, environment_id)
    assert isinstance(source, (str, PathLike))
    if is_scripted(source):
        return get_method(str(source)).load("policy")(environment_id)
    if is_onnx(source):
        return SandboxedPolicy.from_file(source, environment_id)
    folder = read_policy_folder(source, environment_id)
    return get_method(folder.method).load("policy").from_folder(folder)


def policy_hash(source: PolicySource, environment_id: str) -> str:
    """SHA-256 (hexadecimal) that stands for the policy: over its content, or over the scripted policy's name."""
    if is_own(source):
        return own_policy_hash(source, environment_id)
    assert isinstance(source, (str, PathLike))
    if is_scripted(source):
        return _scripted_hash(str(source), environment_id)
    if is_onnx(source):
        return policy_file_hash(read_policy_file(source))
    return read_policy_folder(source, environment_id).hash()


def is_own(source: PolicySource) -> bool:
    """Whether it is a person's own: an object, or code to be imported."""
    return not isinstance(source, (str, PathLike)) or names_code(source)


def is_onnx(source: PolicySource) -> bool:
    """Whether it is the path of an ONNX file."""
    return isinstance(source, (str, PathLike)) and Path(source).suffix == ".onnx"


def is_scripted(source: PolicySource) -> bool:
    """Whether it is the name of a policy that needs no training, which goes before a folder of that name."""
    return isinstance(source, (str, PathLike)) and str(source) in METHODS and not METHODS[str(source)].trainable


def scripted_name(policy_hash: str, environment_id: str) -> str | None:
    """Name of the scripted policy that a hash stands for; ``None``: it stands for none."""
    names = (name for name, method in METHODS.items() if not method.trainable)
    return next((name for name in names if _scripted_hash(name, environment_id) == policy_hash), None)


def _scripted_hash(name: str, environment_id: str) -> str:
    return hashlib.sha256(f"{name}|{environment_id}".encode()).hexdigest()


def read_policy_folder(source: str | PathLike, environment_id: str) -> PolicyFolder:
    """A trained policy's folder, for an environment.

    Raises:
        UnknownNameError: There is no such folder.
        InvalidPolicyError: It cannot be read, or its policy is for another environment.
    """
    if not Path(source).is_dir():
        scripted = [method.name for method in METHODS.values() if not method.trainable]
        raise UnknownNameError("policy", str(source), [*scripted, "or the path of a policy folder"])
    folder = PolicyFolder.read(Path(source))
    if folder.environment != environment_id:
        raise InvalidPolicyError(
            f"the policy in {source} plays {folder.environment!r}, expected one that plays {environment_id!r}"
        )
    return folder
