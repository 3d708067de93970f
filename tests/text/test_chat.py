"""A chat model behind a server plays episodes; what answers nothing fails, and what is no server is one error."""

import time

import pytest

from procgen_bench.core.errors import InvalidOptionError
from procgen_bench.text import chat
from procgen_bench.text.chat import ChatModel, ModelError, play_chats


@pytest.fixture(autouse=True)
def at_once(monkeypatch):
    """Servers are asked again without a pause."""
    monkeypatch.setattr(chat, "_PAUSES", (0.0, 0.0))


TASKS = [f"test/login-1-{number}" for number in range(4)]


def by_rule(fill_in):
    """The scripted agent as a function of a conversation."""

    def model(messages):
        before = {message["content"] for message in messages if message["role"] == "assistant"}
        return fill_in(messages[1]["content"].partition("\n\n")[0], messages[-1]["content"], before)

    return model


def test_a_model_plays_several_episodes_side_by_side(model_server, scripted_agent):
    server, address = model_server(by_rule(scripted_agent))
    episodes = play_chats(ChatModel(address, "scripted"), "GMiniWoB-v0", TASKS, range(4), at_once=3)
    assert [(one.success, one.length, one.errors) for one in episodes] == [(True, 3, 0)] * 4
    assert [(one.input_tokens, one.output_tokens) for one in episodes] == [(3, 3)] * 4
    assert all(0 < one.return_ <= 1 for one in episodes) and len(server.asked) == 12
    assert {path for path, _ in server.asked} == {"/v1/chat/completions"}
    assert server.asked[0][1][0]["role"] == "system"


def test_answers_of_nothing_fail_and_end(model_server):
    _, address = model_server(lambda messages: "")
    (episode,) = play_chats(ChatModel(address, "silent"), "GMiniWoB-v0", TASKS[:1], [0])
    assert (episode.success, episode.length, episode.errors) == (False, 25, 25)


@pytest.mark.parametrize(
    ("model", "requests", "reason"),
    [
        (lambda messages: 500, 3, "HTTP 500: {}"),
        (lambda messages: 404, 1, "HTTP 404: {}"),
        (lambda messages: 200, 3, "its answer is no chat completion"),
    ],
)
def test_a_server_that_fails_is_one_error(model_server, model, requests, reason):
    server, address = model_server(model)
    with pytest.raises(ModelError) as error:
        play_chats(ChatModel(address, "lost"), "GMiniWoB-v0", TASKS[:1], [0])
    assert str(error.value) == f"the model 'lost' at {address}/chat/completions does not answer: {reason}"
    assert len(server.asked) == requests


def test_a_model_that_takes_too_long_is_given_up(model_server):
    _, address = model_server(lambda messages: time.sleep(1.0) or "noop()")
    begun = time.monotonic()
    with pytest.raises(ModelError, match="does not answer: timed out"):
        play_chats(ChatModel(address, "slow", seconds=0.2), "GMiniWoB-v0", TASKS[:1], [0])
    assert time.monotonic() - begun < 30


def test_what_is_no_server_is_an_error():
    with pytest.raises(ModelError, match=r"'none' at http://127.0.0.1:9/v1/chat/completions does not answer: "):
        ChatModel("http://127.0.0.1:9/v1", "none")([])
    with pytest.raises(InvalidOptionError, match="base_url is 'file:///etc/passwd', expected one like http://"):
        ChatModel("file:///etc/passwd", "none")
