import functools
import shutil
import signal
import subprocess
import sys
import sysconfig

import pytest
import typer
from typer.testing import CliRunner

from procgen_bench import __version__
from procgen_bench.cli import app, main

COMMANDS = (
    *(
        "list",
        "describe",
        "compile",
        "play",
        "edit",
        "train",
        "sweep",
        "generations",
        "runs",
        "plot",
        "export",
        "evaluate",
    ),
    *("score", "submit", "leaderboard", "board", "probe", "report", "render", "reproduce", "import-fragments"),
    *("serve", "doctor"),
)


def start(*words: str, **options) -> subprocess.CompletedProcess:
    return subprocess.run(
        [sys.executable, "-m", "procgen_bench.cli", *words], capture_output=True, text=True, timeout=120, **options
    )


def test_version_by_module_and_by_console_script():
    assert start("--version").stdout == f"procgen-bench {__version__}\n"
    script = shutil.which("procgen-bench", path=sysconfig.get_path("scripts"))
    shown = subprocess.run([script, "--version"], capture_output=True, text=True, timeout=120)
    assert (shown.returncode, shown.stdout, shown.stderr) == (0, f"procgen-bench {__version__}\n", "")


@pytest.mark.parametrize("words", [["--help"], ["-h"], []])
def test_the_overview_lists_every_command(words):
    shown = CliRunner().invoke(app, words)
    assert shown.exit_code == 0
    listed = [line.split()[1] for line in shown.output.splitlines() if line.startswith("│ ") and line[2] != " "]
    assert [word for word in listed if not word.startswith("-")] == [*sorted(COMMANDS, key=listed.index)]


@pytest.mark.parametrize("command", [command for command in COMMANDS if command not in ("train", "board")])
def test_every_command_has_a_description_and_examples(command):
    shown = CliRunner().invoke(app, [command, "--help"])
    assert shown.exit_code == 0
    description = shown.output.split("Usage:")[1].splitlines()[2]
    assert len(description.split()) >= 4
    examples = shown.output.partition("Examples")[2]
    assert f"procgen-bench {command}" in examples


def test_help_loads_nothing_that_a_command_may_need():
    heavy = (
        "numba",
        "torch",
        "pygame",
        "stable_baselines3",
        "scipy",
        "PIL",
        "procgen_bench.envs",
        "procgen_bench.tasks",
    )
    script = (
        "import sys\n"
        "from procgen_bench.cli import main\n"
        "try:\n    main(['--help'])\n"
        f"finally:\n    print('loaded', [name for name in {heavy} if name in sys.modules])"
    )
    shown = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, timeout=120, check=True)
    assert shown.stdout.endswith("loaded []\n")


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["lits"], "No such command 'lits'. Did you mean 'list'? (see procgen-bench --help)"),
        (["describe"], "Missing argument 'ENVIRONMENT_ID'. (see procgen-bench describe --help)"),
        (["describe", "GridWorld-v9"], "unknown environment 'GridWorld-v9'; did you mean 'GridWorld-v0'"),
        (["list", "--colour"], "No such option: --colour"),
        (
            ["play", "GridWorld-v0", "--seed", "-1"],
            "Invalid value for '--seed': Input should be greater than or equal to 0, not '-1' (see",
        ),
        (["play", "GridWorld-v0", "--seed", "one"], "Invalid value for '--seed': Input should be a valid integer, una"),
        pytest.param(
            ["play", "GridWorld-v0", "--text", "--task", "targets/D"],
            "unknown task in suite 'targets' 'D'; known: A, B, C",
            marks=pytest.mark.slow,
        ),
        pytest.param(
            ["play", "GridWorld-v0", "--text", "--task", "nowhere"],
            "unknown task 'nowhere'; known: targets/A|B|C",
            marks=pytest.mark.slow,
        ),
    ],
)
def test_bad_input_is_one_line_on_stderr_and_exit_code_2(run, words, message):
    code, out, err = run(*words)
    assert (code, out, err.count("\n")) == (2, "", 1)
    assert err.startswith("error: " + message)


def test_bad_input_ends_a_process_with_exit_code_2():
    answered = start("describe", "GridWorld-v9", stdin=subprocess.DEVNULL)
    assert (answered.returncode, answered.stdout, answered.stderr.count("\n")) == (2, "", 1)
    assert answered.stderr.startswith("error: unknown environment 'GridWorld-v9'")


def test_an_unreadable_file_is_one_line_too(run, tmp_path):
    code, _, err = run("submit", tmp_path / "no-such-folder", "--board", tmp_path / "board")
    assert code == 2
    assert err.startswith("error: ")
    assert err.count("\n") == 1


def test_an_error_of_ours_is_not_hidden(monkeypatch):
    def broken(environment_id):
        raise RuntimeError("a defect")

    monkeypatch.setattr("procgen_bench.cli.catalogue.environment_type", broken)
    with pytest.raises(RuntimeError, match="a defect"):
        main(["describe", "GridWorld-v0"])


def test_ctrl_c_exits_quietly_with_130():
    command = [sys.executable, "-u", "-m", "procgen_bench.cli", "play", "GridWorld-v0", "--text"]
    pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "stderr": subprocess.PIPE}
    # Who runs the tests in the background may ignore the signal, and a child inherits that.
    heed = functools.partial(signal.signal, signal.SIGINT, signal.default_int_handler)
    with subprocess.Popen(command, text=True, preexec_fn=heed, **pipes) as player:
        while "q: quit" not in player.stdout.readline():  # it now waits for a key
            pass
        player.send_signal(signal.SIGINT)
        assert player.wait(timeout=60) == 130
        assert player.stderr.read() == ""


def test_an_aborted_prompt_exits_as_ctrl_c_does(monkeypatch):
    def abort(environment_id):
        raise typer.Abort

    monkeypatch.setattr("procgen_bench.cli.catalogue.environment_type", abort)
    with pytest.raises(SystemExit) as stop:
        main(["describe", "GridWorld-v0"])
    assert stop.value.code == 130


def test_a_reader_that_leaves_early_is_no_error():
    describe = f"{sys.executable} -m procgen_bench.cli describe GridWorld-v0 | head -1"
    shown = subprocess.run(describe, shell=True, capture_output=True, text=True, timeout=120, check=True)
    assert shown.stdout.strip() == "GridWorld-v0"
    assert shown.stderr == ""
