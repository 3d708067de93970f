"""``probe``: a suite's file that other commands take, and a page with pictures."""

import json
import re

import gymnasium
import pytest

from procgen_bench.baselines.papers.code.probe import Probe
from procgen_bench.envs.web.environment import GMiniWoBEnv
from procgen_bench.text import chat

AGENT = "tests.baselines.papers.code.holed_agents:NoCaptcha"


@pytest.fixture
def drawn(monkeypatch):
    """Pictures are drawn, and not Chromium's."""
    monkeypatch.setattr(GMiniWoBEnv, "film_options", classmethod(lambda cls: {}))


def test_the_faults_of_an_agent_are_written(run, tmp_path, drawn):
    out = tmp_path / "new" / "faults"
    code, said, error = run("probe", "gminiwob", "--policy", AGENT, "--steps", 1500, "--values", 8, "-o", out)
    assert code == 0, error
    lines = said.splitlines()
    assert lines[0] == "found: captcha: whatever the value" and lines[1] == f"wrote {out / 'faults.json'}: 1 sites"
    assert re.match(
        r"1 faults in [\d,]+ steps, [\d,]+ episodes and \d+ seconds; of the generator's \d+ sites", lines[3]
    )
    assert len(json.loads((out / "faults.json").read_text())) == 1
    with gymnasium.make("GMiniWoB-v0", tasks=str(out / "faults.json")) as env:
        env.reset(seed=0)
        assert env.unwrapped.task.design.pages == (("captcha", "submit"),)
    page = (out / "faults.html").read_text()
    assert "<h2><span>1</span>captcha</h2>" in page and 'content="light dark"' in page
    assert page.count('<img src="data:image/png;base64,') == 1 and "Page 1: captcha, submit" in page
    assert not re.search(r'(src|href)="(?!data:)', page) and "http" not in page.replace("http-equiv", "")


def test_no_fault_leaves_a_page_alone(run, tmp_path):
    (tmp_path / "faults.json").write_text("of an earlier search")
    code, said, _ = run("probe", "gminiwob/test", "--policy", "solver", "--steps", 300, "-o", tmp_path)
    assert code == 0 and said.splitlines()[1].startswith("0 faults in ")
    assert [path.name for path in tmp_path.iterdir()] == ["faults.html"]
    assert "No fault was found." in (tmp_path / "faults.html").read_text()


def test_what_was_found_until_an_interruption_is_kept(run, tmp_path, drawn, monkeypatch):
    def interrupted(self):
        raise KeyboardInterrupt

    monkeypatch.setattr(Probe, "_try_designs", interrupted)
    code, said, _ = run("probe", "gminiwob", "--policy", AGENT, "--steps", 1500, "--values", 8, "-o", tmp_path)
    assert code == 130 and "found: captcha" in said
    assert len(json.loads((tmp_path / "faults.json").read_text())) == 1 and (tmp_path / "faults.html").exists()


def test_a_place_that_cannot_be_written_is_refused_before_the_search(run, tmp_path):
    (tmp_path / "faults.json").mkdir()
    code, said, error = run("probe", "gminiwob", "--policy", AGENT, "-o", tmp_path)
    assert code == 2 and not said and f"{tmp_path / 'faults.json'} is a folder" in error


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (
            ["gminiwob", "--policy", "http://127.0.0.1:9/v1"],
            "--model names a model at an address: give both, or neither",
        ),
        (["gminiwob", "--policy", "solver", "--model", "m"], "--model names a model at an address: give both, or"),
        (
            ["gminiwob", "--policy", "http://127.0.0.1:9/v1", "--model", "m"],
            "the model 'm' at http://127.0.0.1:9/v1/chat",
        ),
        (["grid-world", "--policy", "solver"], "probe does not support GridWorld-v0; supported: GMiniWoB-v0, "),
        (["nowhere", "--policy", "solver"], "unknown benchmark 'nowhere'"),
        (["gminiwob", "--policy", "nobody"], "unknown policy 'nobody'"),
    ],
)
def test_bad_input_is_one_line(run, tmp_path, monkeypatch, words, message):
    monkeypatch.setattr(chat, "_PAUSES", ())
    code, _, error = run("probe", *words, "-o", tmp_path)
    assert code == 2 and error.startswith(f"error: {message}") and error.count("\n") == 1
    assert not [*tmp_path.iterdir()]
