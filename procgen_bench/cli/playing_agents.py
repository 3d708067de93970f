"""Whoever plays: policies, code of a person's own, and chat models behind a server."""

import os
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing, contextmanager, nullcontext
from typing import Annotated, Any

import typer

#: The variable that holds what a model's server knows its user by.
KEY = "OPENAI_API_KEY"
#: Episodes that a policy plays side by side.
_ROWS = 128

#: Plays an episode of each task, by its seed; the episodes have ``return_``, ``success`` and ``length``.
Play = Callable[[Sequence[Any], Sequence[int]], Sequence[Any]]
AgentOption = Annotated[
    str,
    typer.Option(
        "--policy",
        metavar="AGENT",
        help="Who plays: a policy's folder or ONNX file, a scripted policy by name, MODULE:CLASS of your own, "
        "or the address of a chat model's server, as `http://127.0.0.1:8000/v1`.",
    ),
]
ModelOption = Annotated[str | None, typer.Option(help=f"The model's name at that address; its key is read from {KEY}.")]
AtOnceOption = Annotated[int, typer.Option(min=1, help="Conversations with a model side by side.")]


def check_agent(policy: str, model: str | None) -> None:
    """Raise :class:`typer.BadParameter` unless a model is named where there is an address, and nowhere else."""
    from procgen_bench.text.chat import is_address

    if is_address(policy) != (model is not None):
        raise typer.BadParameter("--model names a model at an address: give both, or neither")


@contextmanager
def playing(
    policy: str, model: str | None, environment_id: str, at_once: int, progress: str | None = None
) -> Iterator[Play]:
    """How an agent plays; it is closed afterwards.

    Args:
        policy, model, at_once: The command's options.
        environment_id: What it plays.
        progress: Title of a progress bar of each call; ``None`` for none.
    """
    if model is not None:
        from procgen_bench.text.chat import ChatModel, play_chats

        chat = ChatModel(policy, model, os.environ.get(KEY))
        yield lambda tasks, seeds: play_chats(chat, environment_id, tasks, seeds, at_once, progress)
        return
    from procgen_bench.baselines.policies.loading import is_own, load_policy, naming_own_code
    from procgen_bench.baselines.training.evaluation import play_episodes

    player = load_policy(policy, environment_id)
    with closing(player), naming_own_code(player) if is_own(policy) else nullcontext():
        player.seed(0)
        yield lambda tasks, seeds: play_episodes(player, environment_id, tasks, seeds, _ROWS, progress)


def agent_name(policy: str, model: str | None) -> str:
    """What reports call an agent."""
    return policy if model is None else f"{model} at {policy}"
