"""PolicyFolder: a trained policy as it is kept, in JSON and safetensors; files from outside are checked first."""

import json
import stat
from dataclasses import dataclass
from os import PathLike
from pathlib import Path
from typing import Any

import numpy as np
from safetensors import SafetensorError
from safetensors.numpy import load_file

from procgen_bench.baselines.policies.arrays import content_address
from procgen_bench.core.atomic import replaced_folder, write_text, write_weights
from procgen_bench.core.errors import InvalidPolicyError


def regular_file(path: Path, max_bytes: int) -> Path:
    """The path itself; :class:`InvalidPolicyError` unless it is a regular file of at most ``max_bytes``."""
    status = path.lstat()
    if not stat.S_ISREG(status.st_mode):
        raise InvalidPolicyError(f"{path} is {stat.filemode(status.st_mode)!r}, expected a regular file and no link")
    if status.st_size > max_bytes:
        raise InvalidPolicyError(f"{path} has {status.st_size} bytes, expected at most {max_bytes}")
    return path


#: Where a run's folder keeps its policy, and where those of earlier evaluations, by their steps.
POLICY_FOLDER, KEPT_POLICIES_FOLDER = "policy", "policies"
#: The name of the policies that come with the package, and their folders by environment.
TRAINED, _HERE = "trained", Path(__file__).parent
SHIPPED = {
    "XLandSmall-v0": _HERE / "data",
    "FetchBlocks-v0": _HERE.parent / "papers" / "alphanpi_x" / "programs" / "data",
    "FetchProgram-v0": _HERE.parent / "papers" / "alphanpi_x" / "data",
}
_DESCRIPTION, _WEIGHTS = "policy.json", "weights.safetensors"
_MAX_DESCRIPTION_BYTES, _MAX_WEIGHTS_BYTES = 64 * 1024, 1024**3


@dataclass(frozen=True)
class PolicyFolder:
    """A trained policy as it is kept.

    Attributes:
        method: Name of the method that trained it and can play it.
        environment: Id of the environment that it plays.
        configuration: Plain values from which the method rebuilds the policy.
        weights: Its arrays by name, of any shape and of any dtype of numbers.
    """

    method: str
    environment: str
    configuration: dict[str, Any]
    weights: dict[str, np.ndarray]

    def hash(self) -> str:
        """SHA-256 (hexadecimal) over the description and every array."""
        return content_address(self._description(), self.weights)

    def write(self, folder: Path) -> None:
        """Write the policy to ``folder``, replacing a policy that is there; a killed write leaves the old one."""
        with replaced_folder(folder) as building:
            write_text(building / _DESCRIPTION, self._description() + "\n")
            write_weights(building / _WEIGHTS, self.weights)

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

    @classmethod
    def read_for(cls, folder: Path, environment_id: str) -> "PolicyFolder":
        """Read the folder of a policy for an environment.

        Raises:
            InvalidPolicyError: It cannot be read, or its policy is for another environment.
        """
        found = cls.read(folder)
        if found.environment != environment_id:
            raise InvalidPolicyError(
                f"the policy in {folder} plays {found.environment!r}, expected one that plays {environment_id!r}"
            )
        return found

    def _description(self) -> str:
        description = {"method": self.method, "environment": self.environment, "configuration": self.configuration}
        return json.dumps(description, indent=2, sort_keys=True)


def policy_path(source: str | PathLike, environment_id: str) -> Path:
    """The path itself, or, of ``trained``, where the environment's policy lies; a folder of that name goes before.

    Raises:
        InvalidPolicyError: It is ``trained``, and the package has no policy for the environment.
    """
    if str(source) != TRAINED or Path(source).exists():
        return Path(source)
    if environment_id not in SHIPPED:
        raise InvalidPolicyError(
            f"{TRAINED} is the policy that comes with the package, which has none for {environment_id}, expected a "
            f"policy's folder; environments with one: {', '.join(SHIPPED)}"
        )
    return SHIPPED[environment_id]
