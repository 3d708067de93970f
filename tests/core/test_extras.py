import importlib
import os
import subprocess
import sys

import gymnasium.error
import pytest

from procgen_bench.core.errors import MissingExtraError
from procgen_bench.core.extras import import_extra, naming_extra


def test_installed_module_is_returned():
    assert import_extra("json.decoder", "any") is sys.modules["json.decoder"]


@pytest.mark.parametrize("module", ["package_that_is_missing", "package_that_is_missing.part"])
def test_missing_package_is_answered_with_the_extra(module):
    with pytest.raises(MissingExtraError) as caught:
        import_extra(module, "mujoco")
    assert str(caught.value) == (
        "package_that_is_missing is not installed; install it with: pip install 'procgen-bench[mujoco]'"
    )
    assert isinstance(caught.value, gymnasium.error.DependencyNotInstalled)


def test_package_that_lacks_something_else_is_not_blamed(tmp_path, monkeypatch):
    (tmp_path / "half_installed.py").write_text("import package_that_is_missing\n")
    monkeypatch.syspath_prepend(tmp_path)
    with pytest.raises(ModuleNotFoundError, match="No module named 'package_that_is_missing'") as caught:
        import_extra("half_installed", "mujoco")
    assert not isinstance(caught.value, MissingExtraError)


def test_package_with_a_fault_of_its_own_shows_it(tmp_path, monkeypatch):
    (tmp_path / "broken_package.py").write_text("raise RuntimeError('broken inside')\n")
    monkeypatch.syspath_prepend(tmp_path)
    with pytest.raises(RuntimeError, match="broken inside"):
        import_extra("broken_package", "mujoco")


def test_our_own_module_is_answered_for_the_packages_of_its_extra(tmp_path, monkeypatch):
    (tmp_path / "our_module.py").write_text("import package_that_is_missing.part\n")
    monkeypatch.syspath_prepend(tmp_path)
    with pytest.raises(MissingExtraError, match="package_that_is_missing is not installed"):
        import_extra("our_module", "mujoco", ["package_that_is_missing"])
    with pytest.raises(ModuleNotFoundError, match="No module named 'package_that_is_missing'"):
        import_extra("our_module", "mujoco", ["another_package"])


def test_a_function_that_imports_when_it_runs_names_the_extra_then():
    @naming_extra("mujoco", ["package_that_is_missing"])
    def simulate(missing):
        importlib.import_module(missing)

    for _ in range(2):
        with pytest.raises(MissingExtraError, match=r"pip install 'procgen-bench\[mujoco\]'"):
            simulate("package_that_is_missing.part")
    with pytest.raises(ModuleNotFoundError, match="No module named 'another_package'"):
        simulate("another_package")


@pytest.mark.parametrize("environment_id", ["SparseAntMaze-v0", "FetchBlocks-v0", "XLand-v0"])
@pytest.mark.parametrize(("renderer", "remedy"), [("osmesa", "apt-get install libosmesa6"), ("mesa", "set it to egl")])
def test_a_renderer_without_its_library_is_one_clear_error(environment_id, renderer, remedy):
    """MuJoCo loads OSMesa's library with itself; PyOpenGL finds none here, as its search is replaced."""
    program = (
        "import ctypes.util, gymnasium, procgen_bench\n"
        "from procgen_bench.core.errors import NoRendererError\n"
        "ctypes.util.find_library = lambda name: None\n"
        f"try:\n    gymnasium.make({environment_id!r})\n"
        "except NoRendererError as error:\n    print(error)"
    )
    output = subprocess.run(
        [sys.executable, "-c", program],
        env=os.environ | {"MUJOCO_GL": renderer},
        capture_output=True,
        text=True,
        check=True,
    ).stdout
    assert f"with MUJOCO_GL={renderer}" in output and remedy in output and output.count("\n") == 1, output
