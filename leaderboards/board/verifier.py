"""Who verifies: a key that signs what a replay found, and a secret that fresh episodes are drawn from."""

import contextlib
import os
import secrets
import tempfile
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey, Ed25519PublicKey
from platformdirs import user_config_path

from procgen_bench.core.atomic import naming_path
from procgen_bench.core.errors import ProcgenBenchError

#: Environment variable with the folder of another identity than the user's own.
FOLDER_VARIABLE = "PROCGEN_BENCH_VERIFIER"
KEY_BYTES, SIGNATURE_BYTES, SECRET_BYTES = 32, 64, 32
_KEY_FILE, _SECRET_FILE, _ROOT_FILE = "signing.key", "episodes.secret", "root.key"
_REMEDY = "restore it, or remove it for a new one"
_ELSEWHERE = f"set {FOLDER_VARIABLE} to a folder that can be written"


class UnreadableVerifierError(ProcgenBenchError):
    """A file of the verifier's identity is not as it was written, or cannot be made."""


@dataclass(frozen=True)
class Verifier:
    """One person's or machine's identity as a verifier; both parts are secret.

    Attributes:
        key: Ed25519 private key, 32 bytes.
        secret: What the seeds of fresh episodes are derived from, 32 bytes.
    """

    key: bytes
    secret: bytes

    @property
    def public_key(self) -> str:
        """What a board knows the verifier by, 64 hexadecimal digits."""
        return public_key_of(self.key)

    def sign(self, content: bytes) -> str:
        """The signature of ``content``, 128 hexadecimal digits."""
        return sign(content, self.key)


def public_key_of(key: bytes) -> str:
    """The public key of a private one, 64 hexadecimal digits."""
    return Ed25519PrivateKey.from_private_bytes(key).public_key().public_bytes_raw().hex()


def sign(content: bytes, key: bytes) -> str:
    """The signature of ``content`` under a private key, 128 hexadecimal digits."""
    return Ed25519PrivateKey.from_private_bytes(key).sign(content).hex()


def is_signed(content: bytes, signature: str, public_key: str) -> bool:
    """Whether ``signature`` is that of the holder of this public key under ``content``."""
    try:
        Ed25519PublicKey.from_public_bytes(bytes.fromhex(public_key)).verify(bytes.fromhex(signature), content)
    except (InvalidSignature, ValueError):
        return False
    return True


def own_verifier() -> Verifier:
    """The user's identity, made on first use: ``$PROCGEN_BENCH_VERIFIER``, or a folder of the user's configuration.

    Raises:
        UnreadableVerifierError: One of its files is not as it was written, or cannot be made.
    """
    folder = verifier_folder()
    return Verifier(
        key=_kept(folder / _KEY_FILE, KEY_BYTES, _new_key),
        secret=_kept(folder / _SECRET_FILE, SECRET_BYTES, lambda: secrets.token_bytes(SECRET_BYTES)),
    )


def own_root(path: Path | None = None) -> bytes:
    """A private root key, 32 bytes: of a file, which may lie on a medium that is kept offline; ``None``: the user's
    own, made on first use.

    Raises:
        UnreadableVerifierError: The file is not there, or not as it was written.
    """
    if path is not None and not path.exists():
        raise UnreadableVerifierError(f"there is no root key at {path}")
    return _kept(path or verifier_folder() / _ROOT_FILE, KEY_BYTES, _new_key)


def _new_key() -> bytes:
    return Ed25519PrivateKey.generate().private_bytes_raw()


def rotate_secret() -> bytes:
    """Replace the user's secret by a new one; returns the old one, which can now be published."""
    old = own_verifier().secret
    _write_privately(verifier_folder() / _SECRET_FILE, secrets.token_bytes(SECRET_BYTES), os.replace)
    return old


def verifier_folder() -> Path:
    """Where the user's identity is kept.

    Raises:
        UnreadableVerifierError: The user has no home folder.
    """
    if named := os.environ.get(FOLDER_VARIABLE):
        return Path(named)
    with contextlib.suppress(RuntimeError):  # recent platformdirs raise it, older ones give "~/.config"
        if (folder := user_config_path("procgen-bench")).is_absolute():
            return folder / "verifier"
    raise UnreadableVerifierError(f"you have no home folder to keep your verifier's key in; {_ELSEWHERE}")


def _kept(path: Path, length: int, made: Callable[[], bytes]) -> bytes:
    """The content of a file of hexadecimal digits, which is made if it is not there."""
    if not os.path.exists(path):
        try:
            path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
            with contextlib.suppress(FileExistsError):  # another process was quicker: its content is the one
                _write_privately(path, made(), os.link)
        except OSError as error:
            raise UnreadableVerifierError(f"{path} cannot be made ({error.strerror}); {_ELSEWHERE}") from None
    try:
        content = bytes.fromhex(path.read_text("utf-8"))
    except (OSError, ValueError) as error:
        raise UnreadableVerifierError(f"{path} cannot be read ({error}); {_REMEDY}") from None
    if len(content) != length:
        raise UnreadableVerifierError(f"{path} holds {len(content)} bytes, expected {length}; {_REMEDY}")
    return content


def _write_privately(path: Path, content: bytes, move: Callable[[str, Path], None]) -> None:
    """Write a file that its owner alone may read, whole or not at all; ``move`` decides what becomes of an old one."""
    descriptor, temporary = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.")  # readable by its owner alone
    try:
        with naming_path(path), os.fdopen(descriptor, "w", encoding="utf-8") as file:
            file.write(content.hex() + "\n")
            file.flush()
            os.fsync(file.fileno())
        move(temporary, path)
    finally:
        Path(temporary).unlink(missing_ok=True)
