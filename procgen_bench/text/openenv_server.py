"""Sessions of a text environment by OpenEnv's protocol, HTTP and WebSocket (extra ``serve``)."""

import ipaddress
import secrets
import socket
from functools import partial
from typing import Any

import uvicorn
from fastapi import FastAPI
from fastapi.responses import JSONResponse
from openenv import __version__ as openenv_version
from openenv.core.env_server.http_server import HTTPEnvServer
from openenv.core.env_server.interfaces import Environment
from openenv.core.env_server.types import Action, EnvironmentMetadata, Observation, State
from pydantic import Field
from starlette.websockets import WebSocketDisconnect

from procgen_bench.core.errors import InvalidOptionError, ProcgenBenchError, ResetNeededError
from procgen_bench.core.version import __version__
from procgen_bench.text.episode import TextEpisodes, Turn, text_form_of
from procgen_bench.text.guard import LOOPBACK_NAMES, MAX_MESSAGE_BYTES, Guard

#: What can be asked for. OpenEnv's tools (/mcp) are not: there are none, and they would hold sessions for ever.
PATHS = ("/ws", "/reset", "/step", "/state", "/schema", "/metadata", "/health")
#: Characters of the name that a client may give an episode; OpenEnv's own bound over HTTP.
_MAX_EPISODE_ID = 255
#: Seconds between two signs of life that a websocket's other side is asked for, and until it counts as gone.
_PING_SECONDS = 20
#: Seconds that open answers have at the end.
_GRACE_SECONDS = 5


class TextCall(Action):
    """An action: one call in writing, as the environment's description (``/metadata``) says."""

    call: str = Field(description="one call, as the environment's description says, like click('12')")


class TextObservation(Observation):
    """What is told after a reset or a call."""

    instruction: str = Field(description="what is to be done")
    text: str = Field(description="what is seen now")
    error: str = Field(description="what was wrong with the last call; empty: nothing")
    success: bool = Field(description="whether the task is solved")


class TextState(State):
    """An episode so far."""

    task: Any = Field(default=None, description="the task that the reset asked for; null: it was drawn")
    seed: int | None = Field(default=None, description="the seed of the reset")
    call_errors: int = Field(default=0, description="calls that could not be made, or changed nothing")
    total_reward: float = Field(default=0.0, description="sum of the rewards")
    success: bool = Field(default=False, description="whether the task is solved")


class Rows:
    """A number of environments, one for each session.

    They are single environments which share what draws their tasks. A vector environment steps all of its rows at
    once, and sessions each step when their own call comes.

    Args:
        count: How many.
        environment_id: An environment with a text form.
        tasks: From what resets without a task draw.
    """

    def __init__(self, count: int, environment_id: str, tasks: str | None):
        self.count, drawer = count, TextEpisodes(environment_id, tasks)
        drawer.reset()  # loads what is compiled
        self._free = [TextEpisodes(environment_id, drawn_by=drawer) for _ in range(count)]

    def take(self) -> TextEpisodes:
        """A free one.

        Raises:
            InvalidOptionError: There is none.
        """
        if not self._free:
            raise InvalidOptionError(f"all {self.count:,} sessions of this server are taken; try again when one ends")
        return self._free.pop()

    def give_back(self, row: TextEpisodes) -> None:
        """Let others have it."""
        self._free.append(row)


class TextSession(Environment[TextCall, TextObservation, TextState]):
    """A session: a row from its first reset to its end.

    Args:
        rows: The server's.
        metadata: What is served.
    """

    SUPPORTS_CONCURRENT_SESSIONS = True

    def __init__(self, rows: Rows, metadata: EnvironmentMetadata):
        super().__init__()
        self._rows, self._metadata = rows, metadata
        self._row: TextEpisodes | None = None
        self._has_ended = False
        self._episode_id: str | None = None

    def reset(self, seed: int | None = None, episode_id: str | None = None, **others: Any) -> TextObservation:
        """Begin an episode; ``task``: a task's name or raw parameters, as Gymnasium's ``reset`` takes them."""
        if self._has_ended:
            raise ResetNeededError("this session has ended; connect again")
        if unknown := sorted(others.keys() - {"task"}):
            raise InvalidOptionError(f"reset was given {unknown[0]!r:.60}, expected seed, task and episode_id alone")
        if not isinstance(episode_id, str | None) or len(episode_id or "") > _MAX_EPISODE_ID:
            raise InvalidOptionError(f"episode_id is {episode_id!r:.60}, expected at most {_MAX_EPISODE_ID} characters")
        if self._row is None:
            self._row = self._rows.take()
        turn = self._row.reset(seed, others.get("task"))
        self._episode_id = episode_id
        return _observed(turn)

    def step(self, action: TextCall, timeout_s: float | None = None, **others: Any) -> TextObservation:
        """Make a call."""
        if self._row is None:
            raise ResetNeededError("a call was made before reset, or after the end of the session; reset first")
        return _observed(self._row.call(action.call))

    async def reset_async(self, seed: int | None = None, episode_id: str | None = None, **others: Any):
        """As :meth:`reset`, without a thread: it takes a fraction of a millisecond."""
        return self.reset(seed, episode_id, **others)

    async def step_async(self, action: TextCall, timeout_s: float | None = None, **others: Any):
        """As :meth:`step`, without a thread."""
        return self.step(action)

    @property
    def state(self) -> TextState:
        """The episode so far."""
        if self._row is None:
            return TextState()
        row = self._row
        return TextState(
            episode_id=self._episode_id,
            step_count=row.num_calls,
            task=row.task,
            seed=row.seed,
            call_errors=row.num_errors,
            total_reward=row.total,
            success=row.success,
        )

    def get_metadata(self) -> EnvironmentMetadata:
        """What is served."""
        return self._metadata

    def close(self) -> None:
        """End the session, so that another one can have its row."""
        self._has_ended = True
        if self._row is not None:
            self._rows.give_back(self._row)
            self._row = None


def _observed(turn: Turn) -> TextObservation:
    return TextObservation(**turn.words._asdict(), success=turn.success, reward=turn.reward, done=turn.done)


def make_application(
    environment_id: str, tasks: str | None, sessions: int, idle_seconds: float, token: str | None
) -> Guard:
    """The server as an ASGI application.

    Args:
        environment_id: An environment with a text form.
        tasks: From what resets without a task draw, as the environment takes it; ``None``: its own distribution.
        sessions: Sessions at once, at least 1.
        idle_seconds: Seconds after which a session that says nothing ends.
        token: The secret that addresses begin with; ``None``: only this machine is served.
    """
    described = f"{_served(environment_id, tasks)}.\n\n{text_form_of(environment_id).rules()}"
    metadata = EnvironmentMetadata(name=environment_id, description=described, version=__version__)
    rows = Rows(sessions, environment_id, tasks)
    server = HTTPEnvServer(
        partial(TextSession, rows, metadata), TextCall, TextObservation, max_concurrent_envs=sessions
    )
    application = FastAPI(title=f"procgen-bench: {environment_id}", docs_url=None, redoc_url=None, openapi_url=None)
    server.register_routes(application)

    @application.exception_handler(ProcgenBenchError)
    async def refused(_, error: ProcgenBenchError) -> JSONResponse:
        return JSONResponse({"detail": str(error)}, status_code=422)

    return Guard(application, PATHS, token, idle_seconds, 2 * sessions, WebSocketDisconnect)


def serve(environment_id: str, tasks: str | None, sessions: int, host: str, port: int, idle_seconds: float) -> None:
    """Serve sessions until Ctrl-C, after saying what is served, and where.

    Args:
        environment_id, tasks, sessions, idle_seconds: See :func:`make_application`.
        host: The address to listen at. Unless it is this machine's own, whoever asks has to know a secret.
        port: The port; 0: any that is free.

    Raises:
        InvalidOptionError: The port cannot be listened at, or the environment has no text form.
    """
    token = None if _is_loopback(host) else secrets.token_urlsafe(24)
    try:
        listener = socket.create_server((host, port), family=socket.AF_INET6 if ":" in host else socket.AF_INET)
    except OSError as error:
        raise InvalidOptionError(f"cannot serve at {host}, port {port}: {error.strerror or error}") from None
    with listener:
        application = make_application(environment_id, tasks, sessions, idle_seconds, token)
        place = f"[{host}]" if ":" in host else host
        address = f"http://{place}:{listener.getsockname()[1]}{'' if token is None else f'/{token}'}"
        print(f"{_served(environment_id, tasks)}; {sessions:,} sessions")
        print(f"{address} (OpenEnv {openenv_version}; Ctrl-C ends it)", flush=True)
        if token is not None:
            print("Whoever knows this address can use it; what is sent is not encrypted.", flush=True)
        uvicorn.Server(
            uvicorn.Config(
                application,
                ws="websockets-sansio",
                ws_max_size=MAX_MESSAGE_BYTES,
                ws_per_message_deflate=False,
                ws_ping_interval=_PING_SECONDS,
                ws_ping_timeout=_PING_SECONDS,
                limit_concurrency=4 * sessions + 16,
                timeout_graceful_shutdown=_GRACE_SECONDS,
                log_level="warning",
                server_header=False,
            )
        ).run(sockets=[listener])


def _served(environment_id: str, tasks: str | None) -> str:
    return f"{environment_id}, tasks: {tasks or 'drawn by the environment'}"


def _is_loopback(host: str) -> bool:
    if host in LOOPBACK_NAMES:
        return True
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False
