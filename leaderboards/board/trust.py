"""trust.json: whose records a board believes, and what anybody needs to check them.

A root key, which is kept offline, certifies the keys of verifiers: who holds one, for which tracks, from when until
when. It can revoke them. A verifier commits to the secret of its fresh episodes by its hash, under its signature,
before it uses it, and publishes the secret when it takes another: then everybody can draw the episodes again. Records
of an older root are believed no more, but for those that the root lists; these have no rank.
"""

import datetime
import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Annotated

from pydantic import Field

from procgen_bench.core.atomic import write_bytes
from procgen_bench.core.errors import ProcgenBenchError
from procgen_bench.leaderboards.board.verifier import Verifier, is_signed, public_key_of, sign
from procgen_bench.leaderboards.errors import CorruptBoardError, InvalidSubmissionError
from procgen_bench.leaderboards.rerun.fresh_episodes import commitment
from procgen_bench.leaderboards.submission.metadata import SHA256, Line
from procgen_bench.leaderboards.submission.plain_folder import read_plain_file
from procgen_bench.leaderboards.submission.strict_json import StrictModel, parse_json, validated

TRUST_FILE = "trust.json"
#: Public root key of the published board, whatever its own file says.
PUBLISHED_ROOT = "8364925f852432fa365459649684d7e2758ad22fe5fbf034abf181d15f67ab75"
_PUBLISHED_BOARD = Path(__file__).parents[1] / "results"
#: For a certificate of all tracks.
EVERY_TRACK = "*"
_MAX_BYTES = 4 * 1024 * 1024
_OWN_DAYS = 3_650

Key = Annotated[str, Field(pattern=r"^[0-9a-f]{64}$")]
Signature = Annotated[str, Field(pattern=r"^([0-9a-f]{128})?$")]
Day = Annotated[str, Field(pattern=r"^\d{4}-\d{2}-\d{2}$")]


class UntrustedVerifierError(ProcgenBenchError):
    """A board does not trust a verifier's signature."""


class Statement(StrictModel):
    """Something that is said under a signature; what is signed is its kind and all its other fields."""

    signature: Signature = ""

    def signed(self, key: bytes) -> "Statement":
        """The same under the signature of a private key."""
        return self.model_copy(update={"signature": sign(self._content(), key)})

    def is_signed_by(self, public_key: str) -> bool:
        """Whether it stands under the signature of the holder of this key."""
        return is_signed(self._content(), self.signature, public_key)

    def _content(self) -> bytes:
        return f"procgen_bench {type(self).__name__} {self.model_dump_json(exclude={'signature'})}".encode()


class Certificate(Statement):
    """The root's word that a key may verify.

    Attributes:
        key: The verifier's public key.
        holder: Who has it.
        tracks: The tracks whose rows it may verify; ``["*"]``: all.
        first, last: Days on which it may verify, YYYY-MM-DD.
    """

    key: Key
    holder: Line
    tracks: Annotated[list[Line], Field(min_length=1)]
    first: Day
    last: Day

    def fault(self, track: str | None, day: str) -> str:
        """What keeps the key from verifying a row of a track (``None``: of any) on a day, in words; empty: nothing."""
        if track is not None and EVERY_TRACK not in self.tracks and track not in self.tracks:
            return f"{self.holder}'s key is for {', '.join(self.tracks)}"
        if day < self.first:
            return f"{self.holder}'s key is valid from {self.first}"
        return f"{self.holder}'s key expired on {self.last}" if day > self.last else ""


class Revocation(Statement):
    """The root's word that a key is believed no more.

    Attributes:
        key: The verifier's public key.
        since: The first day whose records are not believed; the first of all where the key was stolen.
        reason: Why.
    """

    key: Key
    since: Day
    reason: Line


class Commitment(Statement):
    """A verifier's word that its fresh episodes are drawn from a secret from now on.

    Attributes:
        key: The verifier's public key, which signs.
        secret: SHA-256 of the secret.
        since: The first day on which it is used.
    """

    key: Key
    secret: SHA256
    since: Day


class OlderRecords(Statement):
    """The root's word that these records were there before it.

    Attributes:
        records: SHA-256 of each ``verified.json``.
    """

    records: list[SHA256] = []


class TrustFile(StrictModel):
    """The file's content; ``secrets`` are those of fresh episodes that are drawn from no more."""

    root: Key
    certificates: list[Certificate] = []
    revocations: list[Revocation] = []
    commitments: list[Commitment] = []
    secrets: list[Key] = []
    older: OlderRecords = OlderRecords()


@dataclass(frozen=True)
class Trust:
    """Whose records a board believes: what of its file stands under the right signatures.

    Attributes:
        file: The file's content; ``None`` of a board that is still to be made.
        older: SHA-256 of records of an older root.
        secrets: Published secrets, by their commitments.
    """

    file: TrustFile | None = None
    older: frozenset[str] = frozenset()
    secrets: Mapping[str, bytes] = field(default_factory=dict)

    def knows(self, key: str) -> bool:
        """Whether the root has ever certified a key."""
        return self.file is not None and any(one.key == key for one in self.file.certificates)

    def fault(self, key: str, track: str | None, day: str) -> str:
        """What keeps a record by a key from being believed, in words; empty if nothing does."""
        certificates = [one for one in (self.file.certificates if self.file else []) if one.key == key]
        if not certificates:
            return "no certificate names its key"
        for revocation in self.file.revocations if self.file else []:
            if revocation.key == key and day >= revocation.since:
                return f"{certificates[0].holder}'s key is revoked since {revocation.since} ({revocation.reason})"
        faults = [certificate.fault(track, day) for certificate in certificates]
        return "" if "" in faults else faults[-1]

    def committed(self, key: str, secret: str, day: str) -> bool:
        """Whether the holder of a key had committed to a secret, by its SHA-256, on a day."""
        commitments = self.file.commitments if self.file else []
        return any(one.key == key and one.secret == secret and one.since <= day for one in commitments)


def read_trust(board: Path, root: str | None = None) -> Trust:
    """Whom a board trusts; nobody where there is no board.

    Args:
        board: The board's folder.
        root: Public key that must be its root; ``None``: of the published board :data:`PUBLISHED_ROOT`, of others
            whichever they name.

    Raises:
        CorruptBoardError: The file cannot be read, or a statement in it is not signed by whom it should be.
    """
    if root is None and board.resolve() == _PUBLISHED_BOARD.resolve():
        root = PUBLISHED_ROOT
    path = board / TRUST_FILE
    if not path.exists():
        return Trust()
    try:
        file = validated(TrustFile, parse_json(read_plain_file(path, _MAX_BYTES), TRUST_FILE), TRUST_FILE)
        if root is not None and file.root != root:
            raise InvalidSubmissionError(TRUST_FILE, "root", file.root, f"{root}, the root of this board")
        _check_signatures(file)
    except InvalidSubmissionError as error:
        raise CorruptBoardError(f"the board {board} cannot be read ({error.fault}); restore the file") from None
    secrets = {commitment(bytes.fromhex(secret)): bytes.fromhex(secret) for secret in file.secrets}
    return Trust(file, frozenset(file.older.records), secrets)


def _check_signatures(file: TrustFile) -> None:
    by_root: Sequence[tuple[str, Sequence[Statement]]] = [
        ("certificates", file.certificates),
        ("revocations", file.revocations),
        ("older", [file.older] if file.older.records else []),
    ]
    for name, statements in by_root:
        for place, statement in enumerate(statements):
            if not statement.is_signed_by(file.root):
                raise InvalidSubmissionError(TRUST_FILE, f"{name}[{place}]", statement.signature[:16], "the root's")
    for place, one in enumerate(file.commitments):
        if not one.is_signed_by(one.key):
            raise InvalidSubmissionError(TRUST_FILE, f"commitments[{place}]", one.signature[:16], "its verifier's")


def check_trusted(verifier: Verifier, board: Path, track: str, day: str) -> None:
    """Raise an error unless a board would believe a record that a verifier makes now, or is still to be made.

    Raises:
        UntrustedVerifierError: It would not.
    """
    trust = certified(verifier, board, day, track)
    if trust.file is not None and not trust.committed(verifier.public_key, commitment(verifier.secret), day):
        raise UntrustedVerifierError(
            f"the board {board} has no commitment to your secret of fresh episodes; `procgen-bench board rotate "
            f"--board {board}` makes it"
        )


def certified(verifier: Verifier, board: Path, day: str, track: str | None = None) -> Trust:
    """Whom a board trusts, a verifier among them, for a track or (``None``) for any.

    Raises:
        UntrustedVerifierError: The board's root has not certified the verifier.
    """
    trust, key = read_trust(board), verifier.public_key
    if trust.file is not None and (fault := trust.fault(key, track, day)):
        raise UntrustedVerifierError(
            f"the board {board} trusts other verifiers than you ({key[:16]}...): {fault}; who holds its root key "
            f"certifies you by `procgen-bench board certify {key} --board {board}`"
        )
    return trust


def make_board(verifier: Verifier, root: bytes, board: Path, day: str) -> None:
    """Make a board's file, under a root key of its own, which certifies a verifier for ten years.

    It is written once: a board without its maker's certificate would refuse its maker for ever.
    """
    last = (datetime.date.fromisoformat(day) + datetime.timedelta(days=_OWN_DAYS)).isoformat()
    certificate = _certificate(verifier.public_key, "the board's maker", [EVERY_TRACK], (day, last), root)
    file = TrustFile(root=public_key_of(root), certificates=[certificate], commitments=[_commitment_of(verifier, day)])
    write_trust(file, board)


def certify(
    key: str, holder: str, tracks: Sequence[str], days: tuple[str, str], root: bytes, board: Path
) -> Certificate:
    """Certify a verifier's key under a board's root key; returns the certificate.

    Raises:
        InvalidSubmissionError: A value is not as it must be.
        UntrustedVerifierError: It is not the board's root key.
    """
    file = _file_under(root, board)
    certificate = _certificate(key, holder, tracks, days, root)
    write_trust(file.model_copy(update={"certificates": [*file.certificates, certificate]}), board)
    return certificate


def _certificate(key: str, holder: str, tracks: Sequence[str], days: tuple[str, str], root: bytes) -> Certificate:
    fields = {"key": key, "holder": holder, "tracks": list(tracks), "first": days[0], "last": days[1]}
    certificate = validated(Certificate, fields, TRUST_FILE).signed(root)
    assert isinstance(certificate, Certificate)
    return certificate


def revoke(key: str, since: str, reason: str, root: bytes, board: Path) -> None:
    """Revoke a verifier's key under a board's root key; errors as of :func:`certify`."""
    file = _file_under(root, board)
    revocation = validated(Revocation, {"key": key, "since": since, "reason": reason}, TRUST_FILE).signed(root)
    write_trust(file.model_copy(update={"revocations": [*file.revocations, revocation]}), board)


def commit(verifier: Verifier, board: Path, day: str, published: bytes | None = None) -> None:
    """Commit to a verifier's secret on a board, and publish an old one."""
    trust = read_trust(board)
    if trust.file is None:
        raise UntrustedVerifierError(f"{board} is no board; `procgen-bench submit SUBMISSION --board {board}` makes it")
    secrets = trust.file.secrets if published is None else [*trust.file.secrets, published.hex()]
    update = {"commitments": [*trust.file.commitments, _commitment_of(verifier, day)], "secrets": secrets}
    write_trust(trust.file.model_copy(update=update), board)


def _commitment_of(verifier: Verifier, day: str) -> Commitment:
    fields = {"key": verifier.public_key, "secret": commitment(verifier.secret), "since": day}
    statement = validated(Commitment, fields, TRUST_FILE).signed(verifier.key)
    assert isinstance(statement, Commitment)
    return statement


def keep_older(records: Sequence[bytes], root: bytes, board: Path) -> None:
    """Let a board show records of an older root, without a rank: the contents of their files."""
    file = _file_under(root, board)
    hashes = sorted({*file.older.records, *(hashlib.sha256(record).hexdigest() for record in records)})
    write_trust(file.model_copy(update={"older": OlderRecords(records=hashes).signed(root)}), board)


def write_trust(file: TrustFile, board: Path) -> None:
    """Write a board's file."""
    board.mkdir(parents=True, exist_ok=True)
    write_bytes(board / TRUST_FILE, file.model_dump_json(indent=1).encode() + b"\n")


def _file_under(root: bytes, board: Path) -> TrustFile:
    """A board's file, which has to be under this private root key."""
    file = read_trust(board).file
    if file is None:
        raise UntrustedVerifierError(f"{board} is no board; `procgen-bench submit SUBMISSION --board {board}` makes it")
    if file.root != public_key_of(root):
        raise UntrustedVerifierError(
            f"the root key of {board} is {file.root[:16]}..., yours is {public_key_of(root)[:16]}... (--root)"
        )
    return file
