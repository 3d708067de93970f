"""Which Chromium is started, and what is said where there is none."""

import os

import pytest

from procgen_bench.core.errors import BrowserStartError, MissingChromiumError
from procgen_bench.envs.web.browser_pages import BrowserPage
from procgen_bench.envs.web.chromium import find_chromium, start_command
from tests.envs.web.processes import descendants, wait_until


@pytest.fixture
def executable(tmp_path):
    """executable(folder) -> an executable named chromium in it."""

    def made(folder: str) -> str:
        path = tmp_path / folder / "chromium"
        path.parent.mkdir()
        path.write_text("#!/bin/sh\necho no browser here >&2\nexit 1\n")
        path.chmod(0o755)
        return str(path)

    return made


def test_the_variable_comes_before_the_path_and_the_path_before_playwrights_own(executable, monkeypatch):
    named, on_path, own = executable("named"), executable("path"), executable("own")
    monkeypatch.setenv("PATH", os.path.dirname(on_path))
    monkeypatch.setenv("PROCGEN_BENCH_CHROMIUM", named)
    assert find_chromium(own) == named
    monkeypatch.setenv("PROCGEN_BENCH_CHROMIUM", "")
    assert find_chromium(own) == on_path
    monkeypatch.delenv("PROCGEN_BENCH_CHROMIUM")
    assert find_chromium(own) == on_path
    monkeypatch.setenv("PATH", "")
    assert find_chromium(own) == own


def test_a_missing_chromium_is_told_with_its_remedies(monkeypatch):
    monkeypatch.setenv("PATH", "")
    monkeypatch.delenv("PROCGEN_BENCH_CHROMIUM", raising=False)
    with pytest.raises(MissingChromiumError, match=r"apt install chromium.* PROCGEN_BENCH_CHROMIUM"):
        find_chromium("/nowhere/chrome")


@pytest.mark.parametrize("kind", ["absent", "folder", "no program"])
def test_a_variable_that_names_no_executable_file_is_refused(kind, tmp_path, monkeypatch):
    path = tmp_path / "chromium"
    if kind == "folder":
        path.mkdir()
    elif kind == "no program":
        path.write_text("text")
    monkeypatch.setenv("PROCGEN_BENCH_CHROMIUM", str(path))
    others = descendants()
    with pytest.raises(MissingChromiumError, match=r"PROCGEN_BENCH_CHROMIUM is '.*chromium', expected.*apt install"):
        BrowserPage()
    assert not descendants() - others


def test_a_chromium_that_does_not_start_is_told_in_its_words(executable, monkeypatch):
    monkeypatch.setenv("PROCGEN_BENCH_CHROMIUM", executable("broken"))
    others = descendants()
    with pytest.raises(BrowserStartError, match=r"(?s)the browser did not start: .*no browser here"):
        BrowserPage()
    assert wait_until(lambda: not descendants() - others)


def test_only_root_goes_without_the_sandbox(monkeypatch):
    for user, sandbox in ((0, False), (1000, True)):
        monkeypatch.setattr(os, "geteuid", lambda user=user: user)
        assert ("--no-sandbox" not in start_command("chromium", "folder")) is sandbox


def test_a_shell_comes_before_the_whole_browser(executable, monkeypatch):
    monkeypatch.delenv("PROCGEN_BENCH_CHROMIUM", raising=False)
    whole = executable("path")
    monkeypatch.setenv("PATH", os.path.dirname(whole))
    assert find_chromium() == whole
    shell = os.path.join(os.path.dirname(whole), "chromium-headless-shell")
    os.symlink(whole, shell)
    assert find_chromium() == shell
