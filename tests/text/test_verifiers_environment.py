"""verifiers' own evaluator with scripted models on loopback; ``make test-text`` runs it, in its own environment."""

import asyncio
import subprocess
import sys
import time

import gymnasium
import pytest

from procgen_bench.core.errors import InvalidOptionError, UnknownNameError
from procgen_bench.text import load_environment

vf = pytest.importorskip("verifiers.v1", reason="the extra verifiers is not installed")
pytestmark = [pytest.mark.slow, pytest.mark.filterwarnings("default")]


def evaluated(environment, address, folder, limit):
    """The traces of verifiers' evaluator, of the first tasks."""
    from verifiers.v1.cli.eval.runner import run_eval
    from verifiers.v1.configs.cli.eval import EvalConfig

    config = EvalConfig(
        env=environment.config,
        model="scripted",
        client=vf.EvalClientConfig(base_url=address),
        select={"limit": limit},
        push=False,
        rich=None,
        output_dir=folder,
    )
    episodes = asyncio.run(run_eval(config))
    return [trace for episode in sorted(episodes, key=lambda one: one.task.data.idx) for trace in episode.traces]


@pytest.fixture
def by_script(scripted_agent):
    """The scripted agent as a model of conversations."""

    def model(messages):
        before = {message["content"] for message in messages if message["role"] == "assistant"}
        instruction = messages[1]["content"].partition("\n\n")[0]
        return scripted_agent(instruction, messages[-1]["content"], before)

    return model


def test_its_tasks_are_the_suites_with_their_instructions():
    tasks = list(load_environment("GMiniWoB-v0", "test").taskset)
    env = gymnasium.make("GMiniWoB-v0", observation="text")
    seen, _ = env.reset(seed=0, options={"task": "test/login-1-0"})
    assert len(tasks) == 460 and len({task.key for task in tasks}) == 460
    assert tasks[0].data.prompt == f"{seen['instruction']}\n\n{seen['axtree']}"
    assert tasks[0].data.name == "test/login-1-0" and "fill(bid, value" in tasks[0].data.system_prompt


def test_drawn_tasks_are_those_of_the_seeds():
    tasks = list(load_environment("GridWorld-v0", num_tasks=3).taskset)
    assert [task.data.seed for task in tasks] == [0, 1, 2] and len({task.data.prompt for task in tasks}) == 3


@pytest.mark.parametrize(
    ("arguments", "error"),
    [
        (("BitGrid-v0",), InvalidOptionError),
        (("GMiniWoB-v0", "nothing"), UnknownNameError),
        (("GMiniWoB-v0", None, 0), InvalidOptionError),
    ],
)
def test_what_there_is_not_is_refused(arguments, error):
    with pytest.raises(error):
        load_environment(*arguments)


def test_a_scripted_model_solves_logins(model_server, by_script, tmp_path):
    server, address = model_server(by_script)
    traces = evaluated(load_environment("GMiniWoB-v0", "test"), address, tmp_path, 3)
    assert [trace.metrics for trace in traces] == [{"success": 1.0, "calls": 3.0, "call_errors": 0.0}] * 3
    assert [trace.reward for trace in traces] == pytest.approx([0.9] * 3)
    assert len(server.asked) == 9 and {path for path, _ in server.asked} == {"/v1/chat/completions"}
    assert [message["role"] for message in server.asked[-1][1]] == ["system", "user", *["assistant", "user"] * 2]


@pytest.mark.parametrize(("said", "requests"), [("", 25), ("I do not know.", 25)])
def test_a_model_that_says_nothing_of_use_fails_and_ends(said, requests, model_server, tmp_path):
    env = gymnasium.make("GMiniWoB-v0", observation="text")
    env.reset(seed=0, options={"task": "test/login-1-0"})
    expected = sum(env.step(said)[1] for _ in range(25))
    server, address = model_server(lambda messages: said)
    (trace,) = evaluated(load_environment("GMiniWoB-v0", "test"), address, tmp_path, 1)
    assert trace.metrics == {"success": 0.0, "calls": 25.0, "call_errors": 25.0}
    assert trace.reward == pytest.approx(expected) and len(server.asked) == requests
    assert "Your last call did nothing: the action is" in server.asked[-1][1][-1]["content"]


def test_a_conversation_that_ends_early_has_failed(model_server, by_script, tmp_path):
    """By a limit of turns, by a model that is too slow, and by one that breaks down: none of them hangs."""
    _, address = model_server(by_script)
    environment = load_environment("GMiniWoB-v0", "test")
    environment.config.player.max_turns = 2
    (trace,) = evaluated(environment, address, tmp_path / "turns", 1)
    assert trace.metrics["success"] == 0 and trace.reward < -10
    _, address = model_server(lambda messages: time.sleep(20) or "noop()")
    environment = load_environment("GMiniWoB-v0", "test")
    environment.config.player.timeout.rollout = 2
    (trace,) = evaluated(environment, address, tmp_path / "slow", 1)
    assert trace.metrics["success"] == 0 and trace.is_timeout
    _, address = model_server(lambda messages: 400)
    (trace,) = evaluated(load_environment("GMiniWoB-v0", "test"), address, tmp_path / "broken", 1)
    assert trace.metrics["success"] == 0 and trace.errors and not trace.ok


def test_the_command_finds_it_by_name(model_server, by_script, tmp_path):
    _, address = model_server(by_script)
    words = "procgen-bench-text --env.taskset.suite test --select.limit 1 --no-rich --no-push --model scripted"
    words += f" --client.base-url {address} --output-dir {tmp_path}"
    command = [sys.executable, "-c", "from verifiers.v1.cli.eval.main import main; main()", *words.split()]
    done = subprocess.run(command, capture_output=True, text=True, timeout=300)
    assert done.returncode == 0, done.stderr[-2000:]
    assert '"success": 1.0' in done.stdout
