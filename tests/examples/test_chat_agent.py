"""The example's loop: a rule in a model's place solves logins, and a model is sent its errors."""

import threading
from pathlib import Path

import pytest

EXAMPLES = Path(__file__).parents[2] / "examples"


@pytest.fixture(scope="module")
def example():
    with pytest.MonkeyPatch.context() as patched:
        patched.syspath_prepend(EXAMPLES)
        import chat_agent

        yield chat_agent


def test_a_rule_solves_logins(example, capsys):
    assert all(example.play(example.rule_of_logins, f"test/login-{n % 4 + 1}-{n}") for n in range(8))
    capsys.readouterr()
    example.play(example.rule_of_logins, "test/login-4-0")
    output = capsys.readouterr().out.split("\n")
    assert output[2] == "-0.05  check('31')"
    assert output[4:] == ["+1.00  click('41')", "test/login-4-0: success True, return 0.80", ""]


def test_a_model_is_sent_what_was_wrong(example, capsys):
    heard = []

    def model(messages):
        heard.append([message["content"] for message in messages])
        return ["I do not know.", "", "x" * 10_000][len(heard) % 3]

    assert not example.play(model, "test/login-1-0")
    assert len(heard) == 25 and all("fill(bid, value" in said[0] for said in heard)
    assert heard[1][3].startswith("Your last call did nothing: the action is '', expected one call with literals")
    assert all("[4] form" in page for page in heard[-1][1::2])


@pytest.mark.parametrize(
    ("answer", "call"),
    [
        ("click('3')", "click('3')"),
        ("So I go on.\n```python\nclick('3')\n```\n", "click('3')"),
        ("`click('3')`  \n\n", "click('3')"),
        ("", ""),
    ],
)
def test_the_last_line_is_the_call(example, answer, call):
    assert example.call_in(answer) == call


def side_by_side(example, count, backend):
    """A model that answers when so many sites ask it at once, and fails if they never do."""
    meeting = threading.Barrier(count)
    met = threading.local()

    def model(messages):
        if len(messages) == 2 and not getattr(met, "once", False):
            met.once = True
            meeting.wait(timeout=60)
        return example.rule_of_logins(messages)

    return example.play_all(model, [f"test/login-{n % 4 + 1}-{n}" for n in range(2 * count)], count, backend)


def test_sites_are_filled_in_side_by_side(example):
    assert side_by_side(example, 4, "dom") == [True] * 8


def test_results_are_in_the_order_of_the_tasks(example):
    def model(messages):
        return example.rule_of_logins(messages) if "Remember" in messages[1]["content"] else "hover('1')"

    assert example.play_all(model, ["test/login-2-0", "test/login-1-0", "test/login-3-1"], 3) == [True, False, True]


@pytest.mark.slow
def test_pages_of_one_browser_are_filled_in_side_by_side(example):
    assert side_by_side(example, 4, "browser") == [True] * 8


@pytest.mark.slow
def test_in_a_browser_the_rule_does_the_same(example, capsys):
    assert example.play(example.rule_of_logins, "test/login-4-0", backend="browser")
