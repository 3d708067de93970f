"""``report``: success, pass^k, tokens and price of an agent beside floors; and the tutorial, run as it stands."""

import json
import re
import subprocess
import sys
from pathlib import Path

import pytest

from procgen_bench.text import chat
from tests.architecture.checkout import CHECKOUT
from tests.docs.blocks import blocks_of
from tests.text.conftest import fill_in, model_server  # noqa: F401 - a fixture

PAGE = CHECKOUT / "docs" / "tutorials" / "model_report.md"


def by_rule(messages):
    """Fills in sites by a rule."""
    before = {message["content"] for message in messages if message["role"] == "assistant"}
    return fill_in(messages[1]["content"].partition("\n\n")[0], messages[-1]["content"], before)


def test_a_model_is_reported_beside_floors(run, tmp_path, model_server):  # noqa: F811
    _, address = model_server(by_rule)
    out = tmp_path / "report.json"
    words = ["GMiniWoB-v0", "--policy", address, "--model", "tiny", "--tasks", "test", "--most", 3, "--episodes", 3]
    code, said, error = run("report", *words, "--price", "2,10", "-o", out)
    assert code == 0, error
    heads = re.split(r"\s{2,}", said.splitlines()[0].strip())
    assert heads[:4] == ["agent", "success", "pass^2", "pass^3"] and "price" in heads
    assert "3 tasks of test, 3 episodes of each" in said
    report = json.loads(out.read_text())
    assert len(report["tasks"]) == 3 and report["tasks"][0] == "test/login-1-0" and report["episodes"] == 3
    model, *floors = report["agents"]
    assert model["agent"] == f"tiny at {address}" and model["successes"][0] == 3
    assert model["pass"]["1"] >= model["pass"]["2"] >= model["pass"]["3"] > 0
    # The server counts a token for each request, and one for each answer.
    assert model["input_tokens"] == model["output_tokens"] == pytest.approx(model["steps"])
    assert model["price"] == pytest.approx(model["steps"] * 12 / 1e6)
    assert {"random", "constant", "site-in-order"} <= {row["agent"] for row in floors}
    assert not any("price" in row or row["agent"] == "null" for row in floors)


def test_a_policy_on_a_file_of_tasks(run, tmp_path):
    (tmp_path / "mine.json").write_text(json.dumps(["targets/A", "targets/B"]))
    code, said, error = run(
        "report", "GridWorld-v0", "--policy", "solver", "--tasks", tmp_path / "mine.json", "--episodes", 2
    )
    assert code == 0, error
    rows = {line.split()[0]: line.split()[1:] for line in said.splitlines()[2:] if line.strip()}
    assert rows["solver"][:2] == ["1.000", "1.000"] and rows["constant"][:2] == ["0.000", "0.000"]
    assert "tokens" not in said and "2 tasks of" in said


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["--policy", "solver", "--tasks", "nowhere"], "unknown task 'nowhere'"),
        (["--policy", "solver", "--tasks", "none.json"], "none.json is no task file: No such file"),
        (["--policy", "http://127.0.0.1:9/v1", "--tasks", "test"], "--model names a model at an address"),
        (["--policy", "solver", "--tasks", "test", "--price", "1,2"], "--price is of a model's tokens"),
        (
            ["--policy", "http://127.0.0.1:9", "--model", "m", "--tasks", "test", "--price", "1"],
            "--price is '1', expected",
        ),
        (["--policy", "http://127.0.0.1:9", "--model", "m", "--tasks", "test", "--price", "1,-2"], "--price is '1,-2'"),
        (
            ["--policy", "http://127.0.0.1:9", "--model", "m", "--tasks", "test"],
            "the model 'm' at http://127.0.0.1:9/chat",
        ),
    ],
)
def test_bad_input_is_one_line(run, monkeypatch, words, message):
    monkeypatch.setattr(chat, "_PAUSES", ())
    code, _, error = run("report", "GMiniWoB-v0", *words)
    assert code == 2 and error.startswith(f"error: {message}") and error.count("\n") == 1


@pytest.mark.slow
def test_the_tutorial_goes_from_nothing_to_a_report(run, tmp_path, monkeypatch):
    """Its server is started, and its commands are run, at a port that is free."""
    monkeypatch.chdir(tmp_path)
    server, *commands = blocks_of(PAGE)
    Path("model_server.py").write_text(server.text.replace("8010", "0"))
    with subprocess.Popen([sys.executable, "model_server.py"], stdout=subprocess.PIPE, text=True) as process:
        try:
            port = re.search(r":(\d+)/v1", process.stdout.readline())[1]
            for command in [one for block in commands for one in block.commands]:
                words = command.replace("8010", port).split()[1:]
                code, _, error = run(*words)
                assert code == 0, error
        finally:
            process.terminate()
    report = json.loads(Path("report.json").read_text())
    assert report["agents"][0]["pass"]["1"] > 0 and report["agents"][0]["price"] > 0
    faults = json.loads(Path("faults/faults.json").read_text())
    assert faults and "What scripted at" in Path("faults/faults.html").read_text()
    assert json.loads(Path("on_faults.json").read_text())["agents"][0]["pass"]["1"] == 0
