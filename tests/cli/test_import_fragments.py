"""Pieces of HTML become primitives: a folder of good and bad ones."""

import gymnasium
import numpy as np
import pytest

from procgen_bench.tasks.sites.elements import Behaviour
from procgen_bench.tasks.sites.library import read_library
from tests.envs.web.test_lockstep import expert_policy, play_in_lockstep, random_policy
from tests.tasks.sites.own import drawn_task

GOOD = {
    "phone": '<div><label for="t">Phone number:</label><input id="t" type="tel" placeholder="+1" onfocus="go()"></div>',
    "news": '<div class="form-check"><label><input type="checkbox"> Send me news</label></div>',
    "post": '<fieldset><legend>Shipping</legend><label><input type="radio" name="s" value="1"> Standard</label>'
    '<input type="radio" name="s" value="2" id="x"><label for="x">Express</label></fieldset>',
    "land": '<label>Country</label><select><option value="de">Germany<option>France<option selected>Italy</select>',
    "bar": '<nav><a href="https://example.org/">Brand</a><ul><li><a href="/a">Features</a>'
    '<li><a href="/p">Prices</a></ul></nav>',
    "hero": "<h1>Welcome back</h1><p>" + "long " * 30 + '</p><script src="//a.b/x.js"></script><script>x()</script>',
    "card": '<div class="media"><img src="https://a.b/c.png" alt="A lamp"><p>Warm <b>now</b> cheaper</p>'
    '<a href="javascript:go()">Buy</a><iframe src="https://a.b"></iframe><style>p { color: red }</style></div>',
    "entry": '<form><label>User <input></label><label>Pass <input type="password"></label><button>Enter</button>'
    "</form>",
    "go_on": '<input type="submit" value="Go on">',
    "city": "<h2>City</h2>",
    "other": '<label>Cabin</label><input type="text">',
    "state": "<label>State <select><option>Texas<option>Ohio</select></label>",
    "state_too": "<label>State <select><option>Bern<option>Jura</select></label>",
}
BAD = {
    "login": ('<input name="u" placeholder="User"><input type="password">', "nothing says what the line asks for"),
    "file": ('<label>File <input type="file"></label>', "an input of type 'file', expected text, number"),
    "only_script": ("<script>alert(1)</script>", "nothing to be seen"),
    "thousands": ("<p>x</p>" * 3000, "3,000 elements, expected at most 245"),
    "long": ("x" * 200_001, "200,001 letters, expected at most 200,000"),
    "deep": ("<div>" * 100 + "x", "elements inside more than 32 others"),
    "nameless": ('<input type="text">', "nothing says what the line asks for"),
    "groups": ("<label>Pet<select><optgroup label=Fur><option>Cat</select></label>", "options stand in groups"),
    "fold": ("<details><summary>How long?</summary>Long</details>", "'How long?' expanded=False would be nothing"),
    "high": ("<p>x</p>" * 40, "expected one from 0 down, at most 480 pixels high"),
}


@pytest.fixture(scope="module")
def imported(tmp_path_factory):
    """Where a folder of all of them was imported to."""
    folder = tmp_path_factory.mktemp("fragments")
    for name, text in {**GOOD, **{name: text for name, (text, _) in BAD.items()}}.items():
        (folder / f"{name}.html").write_text(text)
    (folder / "notes.txt").write_text("no fragment")
    return folder


@pytest.fixture(scope="module")
def library(imported):
    """What it gives."""
    from typer.testing import CliRunner

    from procgen_bench.cli import app

    out = imported / "mine.json"
    result = CliRunner().invoke(app, ["import-fragments", str(imported), "--out", str(out), "--no-published"])
    assert result.exit_code == 0, result.output
    return read_library(out), result.output.splitlines()


def test_each_is_taken_or_refused_and_said(library):
    said = dict(line.split(": ", 1) for line in library[1][:-1])
    assert set(said) == {f"{name}.html" for name in (*GOOD, *BAD)}
    for name, (_, reason) in BAD.items():
        assert said[f"{name}.html"].startswith("refused, ") and reason in said[f"{name}.html"], name
    assert [said[f"{name}.html"] for name in GOOD] == [
        "input, asks for 'phone_number'; left out: 1 handler",
        "selection, asks for 'send_me_news'",
        "multi-selection, asks for 'shipping'",
        "multi-selection, asks for 'country'",
        "navigation bar; left out: 1 remote address",
        "label; left out: 2 scripts",
        "media; left out: 1 remote address, 1 script, 1 frame, 1 style",
        "3 primitives: input, asks for 'user'; input, asks for 'pass'; button",
        "button",
        "label",
        "input, asks for 'cabin_2'",
        "multi-selection, asks for 'state_2'",
        "multi-selection, asks for 'state_3'",
    ]
    assert library[1][-1].startswith("13 of 23 taken, written to ")


def test_what_is_said_and_can_be_done_stays(library):
    known = library[0].known
    assert known["post"].options == ("Standard", "Express") and known["land"].options == ("Germany", "France", "Italy")
    assert known["land"].initial == "Italy"
    assert [e.text for e in known["bar"].root if e.behaviour == Behaviour.END] == ["Brand", "Features", "Prices"]
    assert [e.text for e in known["card"].root if e.text] == ["Warm now cheaper", "Buy"]
    assert known["phone"].label == "Phone number" and known["go_on"].leaves
    assert not any(value for one in library[0].own for e in one.root for _, value in e.attributes if "//" in value)


def test_backends_show_them_alike(library):
    rng = np.random.default_rng(0)
    tasks = [drawn_task(library[0], 1, 6, rng) for _ in range(4)]
    assert play_in_lockstep(tasks, expert_policy) == len(tasks)


@pytest.mark.slow
@pytest.mark.parametrize("events", ["script", "input"])
def test_backends_show_many_sites_of_them_alike(library, events):
    rng = np.random.default_rng(1)
    tasks = [drawn_task(library[0], 1 + k % 4, 8, rng) for k in range(32)]
    assert play_in_lockstep(tasks, expert_policy, events, deadline=60) == len(tasks)
    play_in_lockstep(tasks, random_policy(1), events, deadline=60)


def test_environments_draw_sites_of_them(library, imported):
    env = gymnasium.make("GMiniWoB-v0", library=str(imported / "mine.json"))
    env.reset(seed=0)
    assert env.unwrapped.task.design.own
    env.close()


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["{0}/nowhere", "--out", "a.json"], "does not exist"),
        (["{0}", "--out", "a.txt"], "is no NAME.json"),
        (["{0}", "--out", "a.json"], "fragments taken is '0 of 0', expected at least one, and nothing was written"),
    ],
)
def test_bad_arguments_are_named(run, tmp_path, words, message):
    code, _, error = run("import-fragments", *(word.format(tmp_path) for word in words))
    assert code != 0 and message in " ".join(error.replace("│", " ").split())
