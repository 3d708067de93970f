"""A chat model behind OpenAI's protocol, and the episodes that it plays; only what Python brings along is needed."""

import json
import queue
import time
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from http.client import HTTPException
from typing import Any
from urllib.error import HTTPError, URLError
from urllib.request import Request, urlopen

from procgen_bench.core.errors import InvalidOptionError, ProcgenBenchError
from procgen_bench.core.progress import Progress
from procgen_bench.core.task import Task
from procgen_bench.text.episode import TextEpisodes, call_in, text_form_of, told

Message = dict[str, str]
#: Seconds that a model has for an answer.
ANSWER_SECONDS = 120.0
#: Seconds before a request is made again, and once more: a server that limits its rate is asked again later.
_PAUSES = (1.0, 4.0)
#: Bytes of an answer that are read, and letters of an error that are repeated.
_MOST_BYTES, _REPEATED = 2**24, 200


class ModelError(ProcgenBenchError):
    """A model's server does not answer, or not by OpenAI's protocol."""


@dataclass(frozen=True)
class Answer:
    """A model's message.

    Attributes:
        text: The message; empty where there is none.
        input_tokens, output_tokens: What the server says that the request and the message took; 0 where it does not.
    """

    text: str
    input_tokens: int = 0
    output_tokens: int = 0


class ChatModel:
    """A model behind a server with OpenAI's protocol.

    Args:
        base_url: The server's address, as its clients take it: ``"http://127.0.0.1:8000/v1"``.
        model: The model's name there.
        key: What the server knows its user by; ``None``: nothing.
        seconds: How long an answer may take. A request that fails is made three times.

    Raises:
        InvalidOptionError: The address is none.
    """

    def __init__(self, base_url: str, model: str, key: str | None = None, seconds: float = ANSWER_SECONDS):
        if not is_address(base_url):
            raise InvalidOptionError(f"base_url is {base_url!r}, expected one like http://127.0.0.1:8000/v1")
        self._address, self._model, self._key = f"{base_url.rstrip('/')}/chat/completions", model, key
        self._seconds = seconds

    def __call__(self, messages: Sequence[Message]) -> Answer:
        """The message that the model answers a conversation with.

        Raises:
            ModelError: There is no answer.
        """
        content = json.dumps({"model": self._model, "messages": list(messages), "temperature": 0}).encode()
        headers = {"Content-Type": "application/json"} | ({"Authorization": f"Bearer {self._key}"} if self._key else {})
        reason = ""
        for pause in (0.0, *_PAUSES):
            time.sleep(pause)
            try:
                with urlopen(Request(self._address, content, headers), timeout=self._seconds) as response:
                    return _answer(json.loads(response.read(_MOST_BYTES)))
            except HTTPError as error:
                reason = f"HTTP {error.code}: {error.read(_MOST_BYTES).decode('utf-8', 'replace')[:_REPEATED]}"
                if error.code < 500 and error.code != 429:
                    break  # what is wrong with the request stays wrong
            except (URLError, HTTPException, OSError) as error:
                reason = f"{getattr(error, 'reason', None) or error or type(error).__name__}"[:_REPEATED]
            except (ValueError, LookupError, TypeError, AttributeError):
                reason = "its answer is no chat completion"
        raise ModelError(f"the model {self._model!r} at {self._address} does not answer: {reason.strip()}")


@dataclass(frozen=True)
class ChatEpisode:
    """An episode that a model played.

    Attributes:
        return_: Sum of its rewards.
        success: Whether the task was solved.
        length: Calls.
        errors: Those of them that could not be made, or changed nothing.
        input_tokens, output_tokens: What they took in all.
    """

    return_: float
    success: bool
    length: int
    errors: int
    input_tokens: int
    output_tokens: int


def is_address(text: str) -> bool:
    """Whether a text is the address of a server."""
    return text.startswith(("http://", "https://"))


def play_chats(
    model: ChatModel,
    environment_id: str,
    tasks: Sequence[Task | str],
    seeds: Sequence[int],
    at_once: int = 8,
    progress: str | None = None,
) -> list[ChatEpisode]:
    """A conversation for each task, several side by side; an answer of nothing is a call that cannot be made.

    Args:
        model: Who plays.
        environment_id: An environment with a text form.
        tasks, seeds: One of each for every episode.
        at_once: Conversations side by side.
        progress: Title of a progress bar; ``None`` for none.

    Raises:
        ModelError: The model does not answer; nothing is played any further then.
        InvalidOptionError: The environment has no text form.
    """
    free: queue.SimpleQueue[TextEpisodes] = queue.SimpleQueue()
    every = [TextEpisodes(environment_id) for _ in range(min(at_once, len(tasks)))]
    for one in every:
        free.put(one)
    rules = text_form_of(environment_id).rules()

    def played(task: Task | str, seed: int) -> ChatEpisode:
        episodes = free.get()
        try:
            return _play(model, rules, episodes, task, seed)
        finally:
            free.put(episodes)

    threads = ThreadPoolExecutor(max(len(every), 1))
    try:
        ended = threads.map(played, tasks, seeds)
        if progress is not None:
            ended = iter(Progress(ended, desc=progress, total=len(tasks), unit="episode", delay=2))
        return list(ended)
    finally:
        threads.shutdown(cancel_futures=True)
        for one in every:
            one.close()


def _play(model: ChatModel, rules: str, episodes: TextEpisodes, task: Task | str, seed: int) -> ChatEpisode:
    turn = episodes.reset(seed, task)
    messages = [
        {"role": "system", "content": rules},
        {"role": "user", "content": f"{turn.words.instruction}\n\n{turn.words.text}"},
    ]
    taken = given = 0
    while not turn.done:
        answer = model(messages)
        taken, given = taken + answer.input_tokens, given + answer.output_tokens
        turn = episodes.call(call_in(answer.text))
        messages += [{"role": "assistant", "content": answer.text}, {"role": "user", "content": told(turn.words)}]
    return ChatEpisode(episodes.total, episodes.success, episodes.num_calls, episodes.num_errors, taken, given)


def _answer(completion: Any) -> Answer:
    """The answer that a completion holds."""
    text, usage = completion["choices"][0]["message"].get("content"), completion.get("usage") or {}
    return Answer(text or "", int(usage.get("prompt_tokens") or 0), int(usage.get("completion_tokens") or 0))
