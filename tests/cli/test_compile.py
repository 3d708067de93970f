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
    code, out, _ = run("compile")
    assert code == 0
    assert seen == list(ENVIRONMENT_IDS)
    assert "XLand-v0: left out, mujoco is not installed; install it with: pip install 'procgen-bench[mujoco]'" in out
    assert "learners: left out, torch is not installed" in out


def test_an_unknown_environment_is_refused(run):
    code, _, err = run("compile", "XLand-v9")
    assert code == 2
    assert "XLand-v9" in err
