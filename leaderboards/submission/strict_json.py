"""JSON from outside: parsed without its usual leniency, and held against a model."""

import json
import re
from typing import Any, TypeVar

import pydantic

from procgen_bench.leaderboards.errors import InvalidSubmissionError, brief

Model = TypeVar("Model", bound=pydantic.BaseModel)


class StrictModel(pydantic.BaseModel):
    """Base of the models: no conversions, no unknown fields, no infinities, immutable."""

    model_config = pydantic.ConfigDict(strict=True, extra="forbid", frozen=True, allow_inf_nan=False)


def parse_json(raw: bytes, file: str) -> Any:
    """The value of a JSON text; ``file`` is its name in errors.

    Raises:
        InvalidSubmissionError: Not UTF-8, not JSON, nested too deeply, a key given twice, NaN or infinity.
    """

    def unique(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
        members: dict[str, Any] = {}
        for key, value in pairs:
            if key in members:
                raise InvalidSubmissionError(file, "key", key, "every key only once")
            members[key] = value
        return members

    def refuse_constant(constant: str) -> None:
        raise InvalidSubmissionError(file, "number", constant, "a finite number")

    try:
        return json.loads(raw.decode(), object_pairs_hook=unique, parse_constant=refuse_constant)
    except InvalidSubmissionError:
        raise
    except UnicodeDecodeError as error:
        at = raw[error.start : error.start + 4]
        raise InvalidSubmissionError(file, f"text at byte {error.start}", at, "UTF-8") from None
    except RecursionError:
        raise InvalidSubmissionError(file, "nesting", raw[:16].decode() + "...", "a few levels") from None
    except json.JSONDecodeError as error:
        around = error.doc[error.pos : error.pos + 20]
        raise InvalidSubmissionError(
            file, f"text at line {error.lineno}, column {error.colno}", around, f"JSON ({error.msg})"
        ) from None
    except ValueError as error:  # an integer of thousands of digits
        raise InvalidSubmissionError(file, "number", str(error), "a number of ordinary size") from None


def validated(model: type[Model], value: Any, file: str) -> Model:
    """An instance of ``model`` from parsed JSON.

    Raises:
        InvalidSubmissionError: Names the first field that is missing, unknown, of the wrong type or out of range.
    """
    try:
        return model.model_validate(value)
    except pydantic.ValidationError as error:
        fault = error.errors(include_url=False)[0]
    field = _path(fault["loc"]) or "content"
    match fault["type"]:
        case "missing":
            raise InvalidSubmissionError(file, "content", f"{field} (missing)", "every field")
        case "extra_forbidden":
            raise InvalidSubmissionError(file, f"unknown field {field}", fault["input"], "no such field")
    expected = fault["msg"].removeprefix("Value error, ").removeprefix("Input should be ")
    raise InvalidSubmissionError(file, field, fault["input"], f"{expected[:1].lower()}{expected[1:]}")


def _path(location: tuple[str | int, ...]) -> str:
    path = ""
    for part in location:
        if isinstance(part, int):
            path += f"[{part}]"
        else:
            # Keys come from outside; only short plain ones are shown as they are.
            path += "." + (part if re.fullmatch(r"\w{1,40}", part, re.ASCII) else brief(part))
    return path.removeprefix(".")
