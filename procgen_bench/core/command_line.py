"""Runs a typer application: bad input is reported as one line on stderr and an exit code for its kind."""

import io
import os
import sys
import traceback
from collections.abc import Callable, Iterable
from typing import Annotated, NoReturn

import typer

from procgen_bench.core.errors import ProcgenBenchError
from procgen_bench.core.extras import naming_extra
from procgen_bench.core.own_code import ExitsAreErrors
from procgen_bench.core.registrations import ENVIRONMENT_IDS

_USAGE_ERROR, _INTERRUPTED = 2, 130
#: They end the program on purpose: typer after it has answered or prepared a shell, rich when nobody reads on.
_MAY_END = ("typer", "rich")
#: Options that install, or show, a shell's completion, and what has typer take the shell that is named after them:
#: by itself it takes the one that it runs under, whatever is named.
_COMPLETIONS = ("--install-completion", "--show-completion")
_TAKES_SHELL = "_TYPER_COMPLETE_TEST_DISABLE_SHELL_DETECTION"


def completion(names: Callable[[], Iterable[str]]) -> Callable[[str], list[str]]:
    """Shell completion of an argument that is one of ``names``, which are read only then."""

    def complete(incomplete: str) -> list[str]:
        return [name for name in names() if name.startswith(incomplete)]

    return complete


def _benchmark_ids() -> Iterable[str]:
    from procgen_bench.core.benchmarks import BENCHMARKS

    return BENCHMARKS


complete_environment = completion(lambda: ENVIRONMENT_IDS)
complete_benchmark = completion(_benchmark_ids)
EnvironmentArgument = Annotated[
    str,
    typer.Argument(metavar="ENVIRONMENT_ID", help="For example `GridWorld-v0`.", autocompletion=complete_environment),
]


def run(app: typer.Typer, name: str, arguments: list[str] | None = None) -> NoReturn:
    """Run ``app`` and exit: 0 done, 130 for Ctrl-C, else one line on stderr and 2 (bad input) or the error's own code.

    Args:
        app: The application.
        name: What it is called in messages.
        arguments: The words after the name; ``None``: those that the process was started with.
    """
    if isinstance(sys.stdout, io.TextIOWrapper) and sys.stdout.errors == "strict":
        sys.stdout.reconfigure(errors="replace")  # where it is ASCII, a name in another script is no reason to stop
    words = sys.argv[1:] if arguments is None else arguments
    if any(option in words[:-1] for option in _COMPLETIONS):
        os.environ[_TAKES_SHELL] = "1"
    try:
        with naming_extra(), ExitsAreErrors(*_MAY_END):
            # Commands return nothing; an exit code comes only from typer.Exit, and from Ctrl-C as 130.
            code = app(arguments, prog_name=name, standalone_mode=False)
        sys.exit(code)
    except typer.Abort:
        sys.exit(_INTERRUPTED)
    except typer.TyperException as error:
        context = getattr(error, "ctx", None)
        hint = f" (see {context.command_path} --help)" if context else ""
        _fail(_message(error) + _given(error) + hint)
    except ProcgenBenchError as error:
        _fail(str(error), error.exit_code)
    except OSError as error:
        _fail(f"{error}; standard output has no room" if _is_of_output(error) else str(error))


def _message(error: typer.TyperException) -> str:
    """Without typer's "Invalid value: ", where the sentence is a command's own, of no one option."""
    if isinstance(error, typer.BadParameter) and error.param is None and error.param_hint is None:
        return error.message
    return error.format_message()


def _is_of_output(error: OSError) -> bool:
    """Whether what was printed found no room: such an error names no file, and comes from who prints."""
    *_, (frame, _) = traceback.walk_tb(error.__traceback__)
    return error.filename is None and frame.f_globals.get("__name__", "").partition(".")[0] in _MAY_END


def _given(error: typer.TyperException) -> str:
    """The value that was refused, where typer says only what was expected: pydantic, which it asks, knows it."""
    refused = getattr(error.__cause__, "errors", None)
    return f", not {refused(include_url=False)[0]['input']!r}" if callable(refused) else ""


def _fail(message: str, exit_code: int = _USAGE_ERROR) -> NoReturn:
    print("error:", " ".join(message.split()), file=sys.stderr)
    sys.exit(exit_code)
