"""Tables of returns as files: strict JSON for people, npz for size; written whole or not at all."""

import io
import json
import zipfile
import zlib
from os import PathLike
from pathlib import Path
from typing import Any, Literal

import numpy as np

from procgen_bench.atomic import write_bytes
from procgen_bench.leaderboards.errors import InvalidSubmissionError
from procgen_bench.leaderboards.strict_json import StrictModel, parse_json, validated
from procgen_bench.leaderboards.xland.errors import InvalidReturnsError
from procgen_bench.leaderboards.xland.returns import EvaluationTask, ReturnTable, check_axes, missing_cell

FORMAT_VERSION = 1
SUFFIXES = (".json", ".npz")
_NPZ_ERRORS = (zipfile.BadZipFile, zlib.error, EOFError, OSError, ValueError, KeyError, NotImplementedError)


class Axes(StrictModel):
    """Policies and tasks of a table, as JSON has them."""

    format_version: Literal[FORMAT_VERSION]
    policies: list[str]
    tasks: list[EvaluationTask]


class _Content(Axes):
    """A whole table as JSON; cells that are null are missing."""

    returns: list[list[float | None]]


def write_table(table: ReturnTable, path: str | PathLike) -> None:
    """Write a table as ``.json`` or ``.npz``; a kill leaves the old file or the new one.

    Raises:
        InvalidReturnsError: The path has another suffix.
    """
    path = Path(path)
    write_bytes(path, _json(table) if _suffix(path) == ".json" else _npz(table))


def read_table(path: str | PathLike) -> ReturnTable:
    """The table of a ``.json`` or ``.npz`` file, bit for bit as it was written.

    Raises:
        InvalidReturnsError: Another suffix, no such file, or its content is no table; names the offending cell.
    """
    path = Path(path)
    parse = _from_json if _suffix(path) == ".json" else _from_npz
    try:
        raw = path.read_bytes()
    except OSError as error:
        raise InvalidReturnsError(f"file {path}", error.strerror, "a readable file") from None
    return parse(raw, path.name)


def parsed(model: type[StrictModel], raw: bytes, file: str) -> Any:
    """An instance of ``model`` from strict JSON; :class:`InvalidReturnsError` names file and field."""
    try:
        return validated(model, parse_json(raw, file), file)
    except InvalidSubmissionError as error:
        raise InvalidReturnsError(f"{error.file}: {error.field}", error.value, error.expected) from None


def axes_json(policies: tuple[str, ...], tasks: tuple[EvaluationTask, ...]) -> dict[str, Any]:
    """The fields of :class:`Axes`."""
    return {"format_version": FORMAT_VERSION, "policies": list(policies), "tasks": [task._asdict() for task in tasks]}


def _json(table: ReturnTable) -> bytes:
    fields = axes_json(table.policies, table.tasks) | {"returns": table.returns.tolist()}
    lines = [f"{json.dumps(name)}: {_json_value(value)}" for name, value in fields.items()]
    return ("{\n" + ",\n".join(lines) + "\n}\n").encode()


def _json_value(value: Any) -> str:
    """A value with a line for every entry of a list, so that files can be read and compared."""
    if not isinstance(value, list):
        return json.dumps(value)
    return "[\n" + ",\n".join(json.dumps(entry, allow_nan=False) for entry in value) + "\n]"


def _from_json(raw: bytes, file: str) -> ReturnTable:
    content = parsed(_Content, raw, file)
    check_axes(content.policies, content.tasks)
    if len(content.returns) != len(content.policies):
        expected = f"{len(content.policies)}, one for every policy"
        raise InvalidReturnsError(f"{file}: number of rows of returns", len(content.returns), expected)
    missing = []
    for policy, row in zip(content.policies, content.returns):
        if len(row) > len(content.tasks):
            expected = f"{len(content.tasks)}, one for every task"
            raise InvalidReturnsError(f"{file}: number of returns of {policy!r}", len(row), expected)
        padded = row + [None] * (len(content.tasks) - len(row))
        missing += [(policy, task) for task, value in zip(content.tasks, padded) if value is None]
    if missing:
        raise missing_cell(*missing[0], len(missing))
    return ReturnTable(tuple(content.policies), tuple(content.tasks), np.array(content.returns, np.float64))


def _npz(table: ReturnTable) -> bytes:
    content = io.BytesIO()
    np.savez_compressed(
        content,
        format_version=np.int64(FORMAT_VERSION),
        policies=np.array(table.policies),
        tasks=np.array(table.tasks),
        returns=table.returns,
    )
    return content.getvalue()


def _from_npz(raw: bytes, file: str) -> ReturnTable:
    try:
        with np.load(io.BytesIO(raw), allow_pickle=False) as archive:
            arrays = {name: archive[name] for name in ("format_version", "policies", "tasks", "returns")}
    except _NPZ_ERRORS as error:
        expected = "an npz file with format_version, policies, tasks and returns"
        raise InvalidReturnsError(f"{file}: content", str(error), expected) from None
    if arrays["format_version"].tolist() != FORMAT_VERSION:
        raise InvalidReturnsError(f"{file}: format_version", arrays["format_version"].tolist(), str(FORMAT_VERSION))
    for name, kind, dimensions in (("policies", "U", 1), ("tasks", "U", 2), ("returns", "f", 2)):
        array = arrays[name]
        if array.dtype.kind != kind or array.ndim != dimensions:
            expected = f"{'text' if kind == 'U' else 'floats'} in {dimensions} dimensions"
            raise InvalidReturnsError(f"{file}: {name}", f"{array.dtype} {array.shape}", expected)
    if arrays["tasks"].shape[1] != len(EvaluationTask._fields):
        expected = f"tasks x {len(EvaluationTask._fields)}: {', '.join(EvaluationTask._fields)}"
        raise InvalidReturnsError(f"{file}: shape of tasks", arrays["tasks"].shape, expected)
    tasks = tuple(EvaluationTask(*task) for task in arrays["tasks"].tolist())
    return ReturnTable(tuple(arrays["policies"].tolist()), tasks, arrays["returns"])


def _suffix(path: Path) -> str:
    if path.suffix not in SUFFIXES:
        raise InvalidReturnsError("suffix of the file", path.name, " or ".join(SUFFIXES))
    return path.suffix
