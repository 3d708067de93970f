import pytest

from procgen_bench.core.errors import MissingExtraError
from procgen_bench.core.registrations import ENVIRONMENT_IDS


def test_one_environment_is_compiled_and_kept(run):
    code, out, _ = run("compile", "BitGrid-v0")
    assert code == 0
    assert out.splitlines()[0].startswith("BitGrid-v0: ")
    assert out.splitlines()[-1].startswith("ready after ")
    assert run("compile", "BitGrid-v0")[1].splitlines()[0] == "BitGrid-v0: compiled before"


def test_everything_is_compiled_but_that_whose_packages_are_missing(run, monkeypatch):
    seen = []

    def train():
        raise MissingExtraError("torch", "baselines")

    def use(environment_id):
        seen.append(environment_id)
        if environment_id == "XLand-v0":
            raise MissingExtraError("mujoco", "mujoco")

    monkeypatch.setattr("procgen_bench.engine.first_use.use_once", use)
    monkeypatch.setattr("procgen_bench.baselines.first_use.train_once", train)
    code, out, _ = run("compile", "--workers", 1)
    assert code == 0
    longest = ["XLand-v0", "XLandSmall-v0"]
    assert seen == longest + [name for name in ENVIRONMENT_IDS if name not in longest]
    assert "XLand-v0: left out, mujoco is not installed; install it with: pip install 'procgen-bench[mujoco]'" in out
    assert "learners: left out, torch is not installed" in out


@pytest.mark.slow
def test_processes_compile_all_rooms_and_what_they_share_once(run, monkeypatch, tmp_path):
    monkeypatch.setenv("NUMBA_CACHE_DIR", str(tmp_path))
    code, out, _ = run("compile", "--workers", 2)
    assert code == 0
    lines = {line.partition(":")[0]: line for line in out.splitlines()}
    assert lines.keys() >= {*ENVIRONMENT_IDS, "learners"}
    assert " functions in " in lines["XLand-v0"]
    assert lines["XLandSmall-v0"] == "XLandSmall-v0: compiled before"
    again = run("compile", "--workers", 2)[1].splitlines()
    assert all(line.endswith(": compiled before") for line in again[:-1])


def test_an_unknown_environment_is_refused(run):
    code, _, err = run("compile", "XLand-v9")
    assert code == 2
    assert "XLand-v9" in err
