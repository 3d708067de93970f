"""Text environments as environments of verifiers (extra ``verifiers``): tasks, rollouts, rewards, and a chat loop.

verifiers finds them by the name of the module ``procgen_bench_text``, which it imports: ``vf-eval procgen-bench-text``.
"""

from collections.abc import Iterator
from typing import Any

import httpx
import openai
import verifiers.v1 as vf
from verifiers.v1.dialects.chat import message_to_wire

from procgen_bench.core.checks import check_count
from procgen_bench.core.registrations import make_task_space
from procgen_bench.text.episode import TextEpisodes, call_in, text_form_of, told

#: What verifiers finds us by.
PLUGIN = "procgen-bench-text"
#: Seconds that a model has for an episode, unless its seat says otherwise.
_EPISODE_SECONDS = 600.0


class TextTasksetConfig(vf.TasksetConfig):
    """Which tasks there are (``--env.taskset.*``)."""

    environment: str = "GMiniWoB-v0"
    """An environment with a text form."""
    suite: str | None = None
    """The suite whose tasks are played; unset: the environment draws tasks, of the seeds from 0 on."""
    num_tasks: int = 100
    """How many it draws."""


class TextData(vf.TaskData):
    """One episode to play.

    Attributes:
        environment: The environment.
        seed: The seed of its reset.
        task: The task's name; ``None``: the seed draws it.
    """

    environment: str
    seed: int
    task: str | None


class TextTask(vf.Task[TextData]):
    """An instruction with what is seen at first; the environment rewards what is done."""


class TextTaskset(vf.Taskset[TextTask, TextTasksetConfig]):
    """The episodes of a suite, or of the seeds from 0 on."""

    def load(self) -> Iterator[TextTask]:
        """Reset the environment to each task, and tell what is seen."""
        config = self.config
        names: list[str | None] = [None] * config.num_tasks
        if config.suite is not None:
            suite = make_task_space(config.environment).suite(config.suite)
            names = [f"{config.suite}/{name}" for name in suite.task_names]
        rules, episodes = text_form_of(config.environment).rules(), TextEpisodes(config.environment)
        for seed, task in enumerate(names):
            words = episodes.reset(seed, task).words
            name = task or f"{config.environment}, seed {seed}"
            place = {"environment": config.environment, "seed": seed, "task": task}
            prompt = f"{words.instruction}\n\n{words.text}"
            yield TextTask(TextData(name=name, prompt=prompt, system_prompt=rules, **place), config.task)
        episodes.close()


class ChatLoop(vf.Harness[vf.HarnessConfig]):
    """One request of a chat model for each of its turns, in this process: it runs no program, and gives no tools."""

    APPENDS_SYSTEM_PROMPT = True
    SUPPORTS_RESUME = True
    EXECUTES_CODE = False
    NEEDS_CONTAINER = False

    async def launch(
        self,
        ctx: vf.ModelContext,
        trace: vf.Trace,
        runtime: vf.Runtime,
        endpoint: str,
        secret: str,
        mcp_urls: dict[str, str],
        data: vf.TaskData,
    ) -> vf.ProgramResult:
        """Have the model answer the conversation, through verifiers' endpoint, which records it."""
        system, prompt = self.resolve_prompt(data)
        opening = [vf.UserMessage(content=prompt)] if isinstance(prompt, str) else prompt or []
        messages: list[Any] = [message_to_wire(message) for message in opening]
        if system is not None:
            messages.insert(0, {"role": "system", "content": system})
        # How long a model may take is the seat's to say, not the client's.
        http = httpx.AsyncClient(timeout=None, verify=endpoint.startswith("https://"))
        async with openai.AsyncOpenAI(base_url=endpoint, api_key=secret, http_client=http) as client:
            try:
                await client.chat.completions.create(model=ctx.model, messages=messages)
            except openai.OpenAIError as error:
                return vf.ProgramResult(exit_code=1, stdout="", stderr=f"{type(error).__name__}: {error}")
        return vf.ProgramResult(exit_code=0, stdout="", stderr="")


class TextEnvironmentConfig(vf.EnvConfig):
    """Who plays (``--env.player.*``)."""

    player: vf.AgentConfig = vf.AgentConfig(
        runtime=vf.SubprocessConfig(),  # nothing is run in it
        timeout={"rollout": _EPISODE_SECONDS},
    )
    """The model."""


class TextEnvironment(vf.Env[TextEnvironmentConfig]):
    """Episodes as conversations: the model's messages are calls, the user's are what is seen then.

    The reward ``episode`` is the sum of the environment's rewards. Metrics: ``success`` (0 or 1), ``calls``, and
    ``call_errors``, those that could not be made or changed nothing. An answer of nothing is such a call, and so is
    every one that a conversation leaves out which ends before the episode does: by a failure, a limit of turns or of
    time.
    """

    def __init__(self, config: TextEnvironmentConfig):
        super().__init__(config)
        self._free: list[TextEpisodes] = []

    async def run(self, task: TextTask, agents: vf.Agents) -> None:
        """Play an episode."""
        episodes = self._free.pop() if self._free else TextEpisodes(task.data.environment)
        try:
            turn = episodes.reset(task.data.seed, task.data.task)
            async with agents.player.interaction(task) as interaction:
                segment = await interaction.turn()
                while not segment.terminated:
                    turn = episodes.call(call_in(segment.last_reply))
                    if turn.done:
                        break
                    segment = await interaction.turn(told(turn.words))
            while not turn.done:  # what a model earns that says nothing more, so that to end early is no way out
                turn = episodes.call("")
            trace = interaction.trace
            trace.record_reward("episode", episodes.total)
            trace.record_metrics(
                {"success": episodes.success, "calls": episodes.num_calls, "call_errors": episodes.num_errors}
            )
        finally:
            self._free.append(episodes)

    async def stop(self) -> None:
        """Close what was played in."""
        for episodes in self._free:
            episodes.close()
        self._free.clear()


def make_environment(environment_id: str, suite: str | None, num_tasks: int) -> TextEnvironment:
    """See :func:`procgen_bench.text.load_environment`."""
    check_count("num_tasks", num_tasks)
    text_form_of(environment_id)
    if suite is not None:
        make_task_space(environment_id).suite(suite)
    taskset = TextTasksetConfig(id=PLUGIN, environment=environment_id, suite=suite, num_tasks=num_tasks)
    return TextEnvironment(TextEnvironmentConfig(taskset=taskset))
