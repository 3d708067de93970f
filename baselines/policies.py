"""Policies by name or by folder. A folder holds JSON and safetensors only; its method's own code reads them."""

import hashlib
import json
import os
import shutil
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from safetensors import SafetensorError
from safetensors.numpy import load_file, save_file

from procgen_bench.baselines.methods import METHODS, get_method
from procgen_bench.errors import InvalidPolicyError, UnknownNameError
from procgen_bench.policy import Policy

_DESCRIPTION, _WEIGHTS = "policy.json", "weights.safetensors"
_MAX_DESCRIPTION_BYTES = 64 * 1024


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
        (building / _DESCRIPTION).write_text(self._description() + "\n")
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
        try:
            if path.stat().st_size > _MAX_DESCRIPTION_BYTES:
                raise InvalidPolicyError(f"{path} is larger than {_MAX_DESCRIPTION_BYTES} bytes")
            description = json.loads(path.read_text())
            weights = load_file(folder / _WEIGHTS)
        except (OSError, ValueError, RecursionError, SafetensorError) as error:
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


def load_policy(source: str | Path, environment_id: str) -> Policy:
    """The policy of a name (``"random"``, ``"solver"``, ...) or of a folder, ready to play ``environment_id``.

    Raises:
        UnknownNameError: Neither a folder nor the name of a method that needs no training.
        InvalidPolicyError: The folder cannot be read, or its policy is for another environment.
    """
    if _is_scripted(source):
        return get_method(str(source)).load("policy")(environment_id)
    folder = _read_for(source, environment_id)
    return get_method(folder.method).load("policy").from_folder(folder)


def policy_hash(source: str | Path, environment_id: str) -> str:
    """SHA-256 (hexadecimal) that stands for the policy: over its content, or over the scripted policy's name."""
    if _is_scripted(source):
        return hashlib.sha256(f"{source}|{environment_id}".encode()).hexdigest()
    return _read_for(source, environment_id).hash()


def _is_scripted(source: str | Path) -> bool:
    return str(source) in METHODS and not METHODS[str(source)].trainable


def _read_for(source: str | Path, environment_id: str) -> PolicyFolder:
    if not Path(source).is_dir():
        scripted = [method.name for method in METHODS.values() if not method.trainable]
        raise UnknownNameError("policy", str(source), [*scripted, "or the path of a policy folder"])
    folder = PolicyFolder.read(Path(source))
    if folder.environment != environment_id:
        raise InvalidPolicyError(
            f"the policy in {source} plays {folder.environment!r}, expected one that plays {environment_id!r}"
        )
    return folder
