"""What runs in a worker process: a host, and the loop that has it do as the parent asks."""

import os
import pickle
import sys
import traceback
from dataclasses import dataclass
from multiprocessing.connection import Connection
from typing import Any, Protocol

from procgen_bench.core.errors import InvalidOptionError
from procgen_bench.core.own_code import exits_are_errors


class Host(Protocol):
    """What a worker process holds. Its public methods are the requests that :func:`serve` answers."""

    def close(self) -> None:
        """The parent has hung up."""


@dataclass(frozen=True)
class Failure:
    """An exception on its way to another process.

    Attributes:
        row: The row that it came from, or ``None``.
        error_type, arguments, attributes: What the error is made of. (One whose constructor takes something else than
            its ``args`` cannot be pickled.)
        trace: The traceback as text.
    """

    row: int | None
    error_type: type[Exception]
    arguments: tuple
    attributes: dict[str, Any]
    trace: str

    @classmethod
    def of(cls, error: Exception, row: int | None = None) -> "Failure":
        """The failure that tells of ``error``; where that cannot be sent, of a RuntimeError with its words."""
        trace = "".join(traceback.format_exception(error))
        failure = cls(row, type(error), error.args, vars(error), trace)
        try:
            pickle.loads(pickle.dumps(failure))
        except Exception:
            return cls(row, RuntimeError, (f"{type(error).__name__}: {error}",), {}, trace)
        return failure

    def error(self, place: str) -> Exception:
        """The error again, of its own type, with a note that it was in ``place``."""
        error = self.error_type.__new__(self.error_type, *self.arguments)
        error.args = self.arguments
        vars(error).update(self.attributes)
        error.add_note(f"In {place}:\n{self.trace}")
        return error


def serve(descriptor: int) -> None:
    """Make the host, then answer requests, until the parent hangs up; ends the process.

    Args:
        descriptor: This end of the connection. The first message is the host's class and its arguments, the others are
            the name of one of its methods and its arguments.
    """
    host = None
    with Connection(descriptor) as connection:
        try:
            host = _made(connection)
            while host is not None:
                connection.send_bytes(_answer(host, connection.recv_bytes()))
        except (EOFError, OSError):  # the parent hung up, or is gone
            pass
    if host is not None:
        host.close()
    sys.stdout.flush()
    sys.stderr.flush()
    os._exit(0)  # the interpreter would spend 0.1 to 0.3 s on taking down what has been imported


def loaded(content: bytes) -> Any:
    """What another process pickled.

    Raises:
        InvalidOptionError: It is made of something that this process cannot import.
    """
    try:
        with exits_are_errors:  # of modules that are imported for it
            return pickle.loads(content)
    except Exception as error:  # pickle raises several
        raise InvalidOptionError(
            f"a worker process cannot load what it is given ({error}); functions, classes and what arguments are made "
            "of must be defined in modules, not in the program itself"
        ) from error


def _made(connection: Connection) -> Host | None:
    """The host; ``None`` where it could not be made, which the parent then knows."""
    content = connection.recv_bytes()
    try:
        host_type, *arguments = loaded(content)
        with exits_are_errors:
            host = host_type(*arguments)
    except Exception as error:
        connection.send_bytes(pickle.dumps(Failure.of(error)))
        return None
    connection.send_bytes(pickle.dumps(None))
    return host


def _answer(host: Host, request: bytes) -> bytes:
    try:
        name, *arguments = loaded(request)
        with exits_are_errors:
            return pickle.dumps(getattr(host, name)(*arguments), pickle.HIGHEST_PROTOCOL)
    except Exception as error:
        return pickle.dumps(Failure.of(error))
