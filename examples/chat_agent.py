"""Any chat model fills in web sites, in one file: ``python examples/chat_agent.py`` plays one with a rule in its place.

A model is a function of a conversation, ``[{"role": "user", "content": "..."}, ...]``, that returns its next message.
With the client of a chat service, say, that is ::

    def model(messages):
        return client.chat.completions.create(model="...", messages=messages).choices[0].message.content

    play(model, "test/login-4-0", backend="browser")

It is given the instruction, the calls, and after each one the page as its accessibility tree, with ids. Meanwhile other
sites can be played: :func:`play_all` fills in several at once, also in one Chromium.
"""

import re
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor

import gymnasium

import procgen_bench  # noqa: F401 - registers GMiniWoB-v0
from procgen_bench.text.episode import call_in, text_form_of

Message = dict[str, str]
Model = Callable[[list[Message]], str]

RULES = text_form_of("GMiniWoB-v0").rules()


def play(model: Model, task: str, backend: str = "dom") -> bool:
    """An episode of GMiniWoB-v0, printed as it goes; whether the site was submitted with every field right."""
    env = gymnasium.make("GMiniWoB-v0", observation="text", backend=backend)
    observation, info = env.reset(options={"task": task})
    messages = [said("system", RULES), said("user", f"{observation['instruction']}\n\n{page_of(observation)}")]
    rewards, ended = 0.0, False
    while not ended:
        messages.append(said("assistant", model(messages)))
        call = call_in(messages[-1]["content"])[: env.action_space.max_length]
        observation, reward, terminated, truncated, info = env.step(call)
        messages.append(said("user", page_of(observation)))
        rewards, ended = rewards + reward, terminated or truncated
        print(f"{reward:+.2f}  {call}  {observation['last_action_error']}".rstrip())
    env.close()
    print(f"{task}: success {info['is_success']}, return {rewards:.2f}")
    return info["is_success"]


def play_all(model: Model, tasks: Sequence[str], at_once: int = 8, backend: str = "dom") -> list[bool]:
    """An episode of each task, ``at_once`` side by side, each on a page of its own; whether each succeeded.

    ``model`` is called from several threads.
    """
    with ThreadPoolExecutor(at_once) as threads:
        return list(threads.map(lambda task: play(model, task, backend), tasks))


def said(role: str, content: str) -> Message:
    """A message of the conversation."""
    return {"role": role, "content": content}


def page_of(observation: dict[str, str]) -> str:
    """The page in words, after what was wrong with the last call, if anything was."""
    error = observation["last_action_error"]
    return (f"Your last call did nothing: {error}\n\n" if error else "") + observation["axtree"]


def rule_of_logins(messages: list[Message]) -> str:
    """What stands here for a model: each value goes to the line or box whose name ends as its key does."""
    instruction, _, page = messages[1]["content"].partition("\n\n")
    calls = []
    for key, value in re.findall(r'(\w+) "([^"]*)"', instruction):
        for bid, role, name in re.findall(r"\[(\d+)\] (textbox|checkbox) '([^']*)'", page):
            if name.replace(" ", "").lower().endswith(key) and value != "false":
                calls.append(f"fill('{bid}', {value!r})" if role == "textbox" else f"check('{bid}')")
    calls += [f"click('{bid}')" for bid in re.findall(r"\[(\d+)\] button 'Place Order'", page)]
    answered = sum(message["role"] == "assistant" for message in messages)
    return f"{len(calls) - answered} calls are left.\n```\n{calls[answered]}\n```"


if __name__ == "__main__":
    play(rule_of_logins, "test/login-4-0")
