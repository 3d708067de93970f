"""verifiers.json: whose signatures a board trusts."""

import re
from pathlib import Path
from typing import Annotated

from pydantic import Field

from procgen_bench.core.atomic import write_bytes
from procgen_bench.core.errors import ProcgenBenchError
from procgen_bench.leaderboards.board.record import PublicKey
from procgen_bench.leaderboards.board.verifier import Verifier
from procgen_bench.leaderboards.errors import CorruptBoardError, InvalidSubmissionError
from procgen_bench.leaderboards.submission.plain_folder import read_plain_file
from procgen_bench.leaderboards.submission.strict_json import StrictModel, parse_json, validated

VERIFIERS_FILE = "verifiers.json"
_MAX_BYTES = 64 * 1024


class UntrustedVerifierError(ProcgenBenchError):
    """A board does not trust a verifier's signature."""


class InvalidKeyError(ProcgenBenchError, ValueError):
    """A text that is no verifier's public key."""


class _Verifiers(StrictModel):
    """The file's content: public keys, and secrets from which fresh episodes were drawn and are drawn no more."""

    verifiers: Annotated[list[PublicKey], Field(max_length=1_000)]
    published_secrets: Annotated[list[PublicKey], Field(max_length=1_000)] = []


def trusted_verifiers(board: Path) -> frozenset[str]:
    """Public keys of the verifiers that a board trusts; none where there is no board.

    Raises:
        CorruptBoardError: The file cannot be read.
    """
    return frozenset(_read(board).verifiers)


def check_trusted(verifier: Verifier, board: Path) -> None:
    """Raise an error unless a board trusts a verifier, or is still to be made.

    Raises:
        UntrustedVerifierError: It trusts others.
    """
    if (board / VERIFIERS_FILE).exists() and verifier.public_key not in trusted_verifiers(board):
        raise UntrustedVerifierError(
            f"the board {board} trusts other verifiers than you ({verifier.public_key[:16]}...); its maintainer adds "
            f"you by `procgen-bench board trust {verifier.public_key} --board {board}`"
        )


def trust(public_key: str, board: Path) -> None:
    """Let a board trust a verifier, too.

    Raises:
        InvalidKeyError: It is no public key.
    """
    if not re.fullmatch(r"[0-9a-f]{64}", public_key):
        raise InvalidKeyError(f"{public_key!r} is no public key, expected 64 hexadecimal digits")
    kept = _read(board)
    if public_key not in kept.verifiers:
        _write(kept.model_copy(update={"verifiers": [*kept.verifiers, public_key]}), board)


def publish_secret(secret: bytes, board: Path) -> None:
    """Show a secret that is used no more, so that everyone can draw the fresh episodes again."""
    kept = _read(board)
    _write(kept.model_copy(update={"published_secrets": [*kept.published_secrets, secret.hex()]}), board)


def _read(board: Path) -> _Verifiers:
    path = board / VERIFIERS_FILE
    if not path.exists():
        return _Verifiers(verifiers=[])
    try:
        content = parse_json(read_plain_file(path, _MAX_BYTES), VERIFIERS_FILE)
        return validated(_Verifiers, content, VERIFIERS_FILE)
    except InvalidSubmissionError as error:
        raise CorruptBoardError(f"the board {path.parent} cannot be read ({error.fault}); restore the file") from None


def _write(verifiers: _Verifiers, board: Path) -> None:
    board.mkdir(parents=True, exist_ok=True)
    write_bytes(board / VERIFIERS_FILE, verifiers.model_dump_json(indent=2).encode() + b"\n")
