"""``procgen-bench doctor``: one line for each thing, with the way to get what is missing."""

import importlib.metadata
import sys

from procgen_bench.cli.doctor import extras
from tests.architecture.checkout import SETUP, lines


def findings(out: str) -> dict[str, str]:
    """What is reported -> what is found."""
    return {line[:20].strip(): line[21:] for line in out.splitlines()}


def test_extras_are_those_of_the_package():
    found = extras()
    assert found["mujoco"] == ["mujoco"] and found["rerun"] == ["onnx", "onnxruntime"]
    for name, packages in found.items():
        declared = [line.split(";")[0] for line in lines("options.extras_require", name)]
        assert all(any(one.startswith(package) for one in declared) for package in packages)
    assert set(found) < set(SETUP["options.extras_require"])


def test_a_requirement_for_older_pythons_is_left_out(monkeypatch):
    now = sys.version_info[1]
    requirements = [
        f'{name}; python_version < "3.{below}" and extra == "a"' for name, below in (("x", now), ("y", now + 1))
    ]
    monkeypatch.setattr(importlib.metadata, "requires", lambda _: requirements)
    assert extras() == {"a": ["y"]}


def test_what_is_there_is_shown_and_what_is_missing_with_its_remedy(run, tmp_path, monkeypatch):
    monkeypatch.setattr(importlib.metadata, "requires", lambda _: ['no-such-package>=1; extra == "web"'])
    monkeypatch.setenv("PROCGEN_BENCH_CHROMIUM", str(tmp_path / "nothing"))
    monkeypatch.setenv("MUJOCO_GL", "crayons")
    monkeypatch.setenv("PROCGEN_BENCH_VERIFIER", str(tmp_path / "verifier"))
    code, out, _ = run("doctor")
    found = findings(out)
    assert code == 0 and f"numba {importlib.metadata.version('numba')}" in found["versions"]
    assert found["free disk here"].endswith(" GB") and found["machine"] and found["compiled functions"]
    assert found["extra web"] == "missing: no-such-package; pip install 'procgen-bench[web]'"
    assert "expected the path of an executable file" in found["Chromium"]
    assert found["MuJoCo's pictures"].startswith("cannot be drawn: ") and "crayons" in found["MuJoCo's pictures"]
    assert (
        found["verifier's key"] == f"will be made in {tmp_path / 'verifier'}" and not (tmp_path / "verifier").exists()
    )
