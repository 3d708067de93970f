"""``procgen-bench doctor``: one line for each thing, with the way to get what is missing."""

import importlib.metadata
import sys
import types


def findings(out: str) -> dict[str, str]:
    """What is reported -> what is found."""
    return {line[:20].strip(): line[21:] for line in out.splitlines()}


def test_another_pygame_is_named_where_windows_are_opened(run, monkeypatch):
    """pygame's own package, installed after pygame-ce, replaces it."""
    other = types.ModuleType("pygame")
    other.version = types.SimpleNamespace(ver="2.6.1")
    monkeypatch.setitem(sys.modules, "pygame", other)
    told = "pygame 2.6.1 lies over pygame-ce, whose windows and pictures are needed: pip uninstall"
    assert findings(run("doctor")[1])["windows"].startswith(told)
    code, _, err = run("play", "GridWorld-v0")
    assert (code, err.count("\n")) == (2, 1) and err.startswith(f"error: {told}")


def test_what_is_there_is_shown_and_what_is_missing_with_its_remedy(run, tmp_path, monkeypatch):
    monkeypatch.setattr(importlib.metadata, "requires", lambda _: ['no-such-package>=1; extra == "web"'])
    monkeypatch.setenv("PROCGEN_BENCH_CHROMIUM", str(tmp_path / "nothing"))
    monkeypatch.setenv("MUJOCO_GL", "crayons")
    code, out, _ = run("doctor")
    found = findings(out)
    assert code == 0 and f"numba {importlib.metadata.version('numba')}" in found["versions"]
    assert found["free disk here"].endswith(" GB") and found["machine"] and found["compiled functions"]
    assert found["extra web"] == "missing: no-such-package; pip install 'procgen-bench[web]'"
    assert "expected the path of an executable file" in found["Chromium"]
    assert found["windows"] == f"pygame-ce {importlib.metadata.version('pygame-ce')}"
    assert found["MuJoCo's pictures"].startswith("cannot be drawn: ") and "crayons" in found["MuJoCo's pictures"]


def test_a_version_that_was_not_tested_is_named_with_its_remedy(run, monkeypatch):
    monkeypatch.setattr(importlib.metadata, "requires", lambda _: ['numpy>=99,<100; extra == "mujoco"'])
    found = findings(run("doctor")[1])["extra mujoco"]
    here = importlib.metadata.version("numpy")
    assert found.startswith(f"numpy {here} is installed, but the extra mujoco was tested with numpy>=99,<100; ")
    assert found.endswith("pip install 'numpy>=99,<100'")
