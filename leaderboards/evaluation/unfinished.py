"""What has been played of a submission that is not finished: kept on disk, so that the same command continues."""

import io
import json
import shutil
import time
import zipfile
import zlib
from pathlib import Path
from typing import Any

import numpy as np
from filelock import FileLock, Timeout

from procgen_bench.core.atomic import write_bytes, write_text
from procgen_bench.leaderboards.errors import UnfinishedEvaluationError, brief
from procgen_bench.leaderboards.evaluation.chunks import Chunk, packed_chunk, unpacked_chunk

_BINDING_FILE, _LOCK_FILE = "evaluation.json", ".lock"
_UNREADABLE = (OSError, ValueError, EOFError, zipfile.BadZipFile, zlib.error)


class UnfinishedEvaluation:
    """The folder beside a submission that is being made: a file for every chunk that has been played.

    As a context it is this command's alone.

    Args:
        submission: Where the submission will be; the folder is called the same with ``.unfinished`` added.
        binding: All that decides the episodes, plain JSON values by name.

    Raises:
        UnfinishedEvaluationError: The folder is another evaluation's, is none, or a command that runs has it.
    """

    def __init__(self, submission: Path, binding: dict[str, Any]):
        self.folder = submission.with_name(f"{submission.name}.unfinished")
        self._start = time.perf_counter()
        self._earlier_seconds = 0.0
        self.folder.mkdir(parents=True, exist_ok=True)
        self._lock = FileLock(self.folder / _LOCK_FILE, timeout=0)
        try:
            self._lock.acquire()
        except Timeout:
            raise UnfinishedEvaluationError(f"another command is playing for {submission}") from None
        try:
            self._bind(json.loads(json.dumps(binding)))
        except BaseException:
            self._lock.release()
            raise

    @property
    def seconds(self) -> float:
        """Wall time of the evaluation so far, that of earlier commands included."""
        return self._earlier_seconds + time.perf_counter() - self._start

    def read(self, run: int, number: int) -> Chunk | None:
        """A chunk of a run; ``None`` if it has not been played.

        Raises:
            UnfinishedEvaluationError: Its file is not as it was written.
        """
        path = self._chunk(run, number)
        if not path.exists():
            return None
        try:
            with path.open("rb") as file, np.load(file, allow_pickle=False) as archive:
                arrays = {name: archive[name] for name in archive.files}
            chunk = unpacked_chunk(arrays)
            self._earlier_seconds = max(self._earlier_seconds, float(arrays["seconds"]))
        except (*_UNREADABLE, KeyError) as error:
            raise UnfinishedEvaluationError(f"{path} cannot be read ({error}); remove it") from None
        return chunk

    def write(self, run: int, number: int, chunk: Chunk) -> None:
        """Keep a chunk; it is on the disk once this has come back."""
        content = io.BytesIO()
        seconds = np.float64(self.seconds)
        np.savez_compressed(content, allow_pickle=False, seconds=seconds, **packed_chunk(chunk))
        write_bytes(self._chunk(run, number), content.getvalue())

    def __enter__(self) -> "UnfinishedEvaluation":
        return self

    def __exit__(self, *_) -> None:
        # Another command may go on with it, if there is anything to go on with.
        self._lock.release()
        if self.folder.exists() and not any(self.folder.glob("*.npz")):
            self.remove()

    def remove(self) -> None:
        """The submission is written: nothing is left to keep."""
        shutil.rmtree(self.folder)

    def _chunk(self, run: int, number: int) -> Path:
        return self.folder / f"run-{run}-chunk-{number:05}.npz"

    def _bind(self, binding: dict[str, Any]) -> None:
        path = self.folder / _BINDING_FILE
        if not path.exists():
            if any(entry.name != _LOCK_FILE for entry in self.folder.iterdir()):
                raise UnfinishedEvaluationError(
                    f"{self.folder} holds something else; remove it or choose another --out"
                )
            write_text(path, json.dumps(binding, indent=2) + "\n")
            return
        try:
            found = json.loads(path.read_text("utf-8"))
        except (OSError, ValueError) as error:
            raise UnfinishedEvaluationError(f"{path} cannot be read ({error}); remove {self.folder}") from None
        for name, value in binding.items():
            if not isinstance(found, dict) or found.get(name) != value:
                there = found.get(name) if isinstance(found, dict) else found
                raise UnfinishedEvaluationError(
                    f"{self.folder} holds episodes of another evaluation ({name} is {brief(there)}, here "
                    f"{brief(value)}); remove it to begin again, or choose another --out"
                )
