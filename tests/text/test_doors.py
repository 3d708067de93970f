"""One task through all doors earns the same: Gymnasium, OpenEnv's client, verifiers' evaluator."""

import gymnasium
import pytest

pytest.importorskip("openenv.core", reason="the extra serve is not installed")
pytest.importorskip("verifiers.v1", reason="the extra verifiers is not installed")
pytestmark = [pytest.mark.slow, pytest.mark.filterwarnings("default")]

TASK = "test/login-1-0"


def by_gymnasium(calls):
    env = gymnasium.make("GMiniWoB-v0", observation="text")
    seen, _ = env.reset(seed=0, options={"task": TASK})
    pages, rewards = [seen["axtree"]], []
    for call in calls:
        seen, reward, terminated, truncated, info = env.step(call)
        pages.append(seen["axtree"])
        rewards.append(reward)
    assert terminated and not truncated
    return pages, rewards, info["success"]


def by_openenv(address, calls):
    from openenv.core import GenericEnvClient

    with GenericEnvClient(address, message_timeout_s=60).sync() as client:
        results = [client.reset(seed=0, task=TASK), *(client.step({"call": call}) for call in calls)]
    assert [result.done for result in results] == [False] * len(calls) + [True]
    pages = [result.observation["text"] for result in results]
    return pages, [result.reward for result in results[1:]], results[-1].observation["success"]


def test_one_task_is_the_same_through_all_doors(serve, model_server, tmp_path, scripted_agent):
    from procgen_bench.text import load_environment
    from tests.text.test_verifiers_environment import evaluated

    env = gymnasium.make("GMiniWoB-v0", observation="text")
    seen, _ = env.reset(options={"task": TASK})
    calls = ["nonsense", "hover('6')"]
    for _ in range(3):
        calls.append(scripted_agent(seen["instruction"], seen["axtree"], set(calls)))
    pages, rewards, success = by_gymnasium(calls)
    assert success and len(set(rewards)) > 2
    with serve("GMiniWoB-v0", "--tasks", "test", "--sessions", "1") as (_, _, address):
        assert by_openenv(address, calls) == (pages, rewards, True)
    left = iter(calls)
    server, address = model_server(lambda messages: next(left))
    (trace,) = evaluated(load_environment("GMiniWoB-v0", "test"), address, tmp_path, 1)
    assert (trace.reward, trace.metrics["success"]) == (sum(rewards), 1.0)
    told = [messages[-1]["content"] for _, messages in server.asked]
    assert all(text.endswith(page) for text, page in zip(told, pages, strict=False)) and len(told) == len(calls)
