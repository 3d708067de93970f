"""verified.json: what the verifier found, under its signature."""

import hashlib
import re
from typing import Annotated

from pydantic import Field

from procgen_bench.leaderboards.board.trust import Day, Key, Trust
from procgen_bench.leaderboards.board.verifier import KEY_BYTES, SIGNATURE_BYTES, Verifier, is_signed
from procgen_bench.leaderboards.errors import InvalidSubmissionError
from procgen_bench.leaderboards.submission.metadata import SHA256, Line, Versions
from procgen_bench.leaderboards.submission.strict_json import StrictModel, parse_json, validated
from procgen_bench.leaderboards.verification.training_overlap import TrainingOverlap
from procgen_bench.leaderboards.verification.verification import Tier

RECORD_FILE = "verified.json"
#: Twice what the scores of 64 runs of the largest suite take.
MAX_RECORD_BYTES = 32 * 1024 * 1024

#: Share of observations from which on policies that do the same count as copies. Independent runs come to 0.84 at most
#: among 83 policies of GridWorld, BitGrid and the point maze.
_COPIED = 0.95
#: Of a record that is not signed yet.
UNSIGNED = ""
#: How a record ends: by who verified, and the signature under all that is before it.
_END = re.compile(
    rb',"verifier":"([0-9a-f]{%d})"(,"signature":"([0-9a-f]{%d})")}\n' % (2 * KEY_BYTES, 2 * SIGNATURE_BYTES)
)
_END_BYTES = len(',"verifier":"","signature":""}\n') + 2 * KEY_BYTES + 2 * SIGNATURE_BYTES


class FreshScore(StrictModel):
    """What the policies scored when the verifier played them itself, on tasks and seeds of its own.

    Attributes:
        score: Mean over runs and episodes.
        runs: Mean of each run.
        episodes: Episodes of each run.
        seconds: Wall time of all that was played, the suite included.
        error: Standard error of the score, over episodes; older records say nothing of it.
        secret: SHA-256 of the secret that tasks and seeds were derived from, which is published when it is replaced.
    """

    score: float
    runs: list[float]
    episodes: Annotated[int, Field(ge=1)]
    seconds: Annotated[float, Field(ge=0)]
    secret: SHA256
    error: Annotated[float, Field(ge=0)] | None = None


class NormalisedScores(StrictModel):
    """How a submission stood under the normaliser that its benchmark had when it was verified.

    Attributes:
        normaliser: Version of the normaliser.
        checksum: SHA-256 of what it holds.
        percentiles: Normalised scores of each run (rows) at the percentiles that rank.
        participation: Share of tasks with any reward in each run.
    """

    normaliser: Annotated[int, Field(ge=1)]
    checksum: SHA256
    percentiles: list[list[float]]
    participation: list[float]


class Resemblance(StrictModel):
    """The policy that a run's is most like, on observations that nobody knows.

    Attributes:
        entry: Name of the policy's entry of the same benchmark, which may be the run's own.
        run: Its run there.
        share: Share of the observations on which both do the same.
    """

    entry: Line
    run: Annotated[int, Field(ge=0)]
    share: Annotated[float, Field(ge=0, le=1)]

    @property
    def is_copy(self) -> bool:
        """Whether one counts as a copy of the other."""
        return self.share >= _COPIED


class VerifiedRecord(StrictModel):
    """What the verifier found.

    Attributes:
        tier: ``"replayed"`` or ``"re-run"``.
        score: The suite's score: what the verifier saw the policies play, of tier ``"replayed"`` what the recorded
            actions earn.
        scores: Mean score of each task (columns) in each run (rows).
        unfinished_episodes: Episodes that were not played to their end.
        by_segments: Episodes whose physics differed in the last bits, and that were verified by segments
            (:mod:`procgen_bench.leaderboards.verification.segments`); records older than that say nothing of it.
        fresh: What the policies score on fresh episodes; ``None`` for tier ``"replayed"``.
        training: What each run met of the suite in its training; ``None`` for a run that does not state what it was
            trained on, and for all runs of older records.
        training_lists: SHA-256 of each list of training tasks that the board keeps, by its file's name; none of older
            records.
        normalised: How it stood among its benchmark's games, under which normaliser; ``None`` where the benchmark had
            none.
        submission: SHA-256 of ``submission.json``.
        traces: Content address of the traces that were played, or replayed.
        run_actions: SHA-256 over each run's actions: equal where runs play the same, whatever their policies.
        sketches: What each run does at some places (:meth:`~.traces.Traces.sketches`): nearly equal where runs play
            nearly the same; older records have none.
        resembles: Of each run whose policy was played, the policy that was there before and does nearly the same;
            ``None`` for one that is like none. Older records say nothing of it.
        parameters, policy_bytes: Of each policy that was played, how many numbers its tensors hold, and the size of its
            file; older records say nothing of it.
        package_versions: Versions that verified, by package.
        submitted_on: Day of the submission, YYYY-MM-DD.
        verified_on: Day on which it was verified, YYYY-MM-DD; records of an older root say nothing of it.
        verifier: Public key of who verified.
        signature: Its signature under all of the above.
    """

    tier: Annotated[Tier, Field(strict=False)]
    score: float
    scores: list[list[float]]
    unfinished_episodes: Annotated[int, Field(ge=0)]
    by_segments: Annotated[int, Field(ge=0)] = 0
    fresh: FreshScore | None = None
    training: list[TrainingOverlap | None] | None = None
    training_lists: dict[Line, SHA256] = {}
    normalised: NormalisedScores | None = None
    submission: SHA256
    traces: SHA256
    run_actions: list[SHA256]
    sketches: list[Annotated[str, Field(pattern="^([0-9a-f]{2})+$")]] = []
    resembles: list[Resemblance | None] = []
    parameters: list[Annotated[int, Field(ge=0)]] = []
    policy_bytes: list[Annotated[int, Field(ge=0)]] = []
    package_versions: Versions
    submitted_on: Day
    verified_on: Day | None = None
    verifier: Key
    signature: Annotated[str, Field(pattern=rf"^([0-9a-f]{{{2 * SIGNATURE_BYTES}}})?$")] = UNSIGNED

    def signed(self, verifier: Verifier) -> "VerifiedRecord":
        """The record under the verifier's name and signature."""
        named = self.model_copy(update={"verifier": verifier.public_key})
        return named.model_copy(update={"signature": verifier.sign(named._signed_content())})

    def to_json(self) -> bytes:
        """The file's content."""
        return self.model_dump_json().encode() + b"\n"

    def _signed_content(self) -> bytes:
        return self.model_dump_json(exclude={"signature"}).encode()


def read_record(raw: bytes, trust: Trust, track: str) -> VerifiedRecord:
    """The record that ``verified.json`` holds. Its signature is under its very bytes, and is looked at before them.

    Args:
        raw: The file's content.
        trust: Whom the board trusts.
        track: The track that it is of.

    Raises:
        InvalidSubmissionError: It is not signed by a verifier whom the root has certified for the track and the day, or
            it is no record.
    """
    if hashlib.sha256(raw).hexdigest() in trust.older:
        return validated(VerifiedRecord, parse_json(raw, RECORD_FILE), RECORD_FILE)
    end = _END.fullmatch(raw, max(0, len(raw) - _END_BYTES))
    if end is None:
        raise _unsigned(raw[-16:])
    verifier, signature = end[1].decode(), end[3].decode()
    content = b"".join((memoryview(raw)[: end.start(2)], b"}"))
    if not (trust.knows(verifier) and is_signed(content, signature, verifier)):
        raise _unsigned(signature[:16])
    record = validated(VerifiedRecord, parse_json(raw, RECORD_FILE), RECORD_FILE)
    if fault := trust.fault(verifier, track, record.verified_on or record.submitted_on):
        raise InvalidSubmissionError(
            RECORD_FILE, "verifier", f"{verifier[:16]}...", f"one that may verify {track} on that day: {fault}"
        )
    return record


def _unsigned(found: object) -> InvalidSubmissionError:
    wanted = "that of a verifier that the board trusts, under this content"
    return InvalidSubmissionError(RECORD_FILE, "signature", found, wanted)
