import ast
import importlib
import importlib.metadata
import os
import re
import subprocess
import sys

import gymnasium.error
import pytest

import procgen_bench  # noqa: F401 - registers the environments
from procgen_bench.core.errors import MissingExtraError, UntestedVersionError
from procgen_bench.core.extras import check_modules, check_versions, extra_of, extras, import_extra, naming_extra
from procgen_bench.core.registrations import find_registration
from tests.architecture.checkout import SETUP, lines, modules

DECLARED = [
    'other-name[full]>=1,<2; extra == "small"',
    'procgen-bench[small]; extra == "family"',
    'simulator; extra == "family"',
    'other_name>=1; extra == "everything"',
    'procgen-bench[family]; python_version < "3.99" and extra == "everything"',
    'more; extra == "everything"',
    'only-old; python_version < "3.2" and extra == "everything"',
]


@pytest.fixture
def declared(monkeypatch):
    """The metadata of a package with three extras."""
    monkeypatch.setattr(importlib.metadata, "requires", lambda _: DECLARED)


@pytest.mark.parametrize("extra", ["small", "family"])
@pytest.mark.parametrize("version", ["0.9", "2", "2.0.1", "10.0"])
def test_a_version_that_was_not_tested_is_refused_with_what_mends_it(declared, monkeypatch, extra, version):
    monkeypatch.setattr(importlib.metadata, "version", lambda name: version)
    check_versions.cache_clear()
    with pytest.raises(UntestedVersionError) as caught:
        import_extra("json", extra)
    assert str(caught.value) == (
        f"other-name {version} is installed, but the extra {extra} was tested with other-name>=1,<2; "
        "install it with: pip install 'other-name>=1,<2'"
    )
    assert isinstance(caught.value, MissingExtraError)


@pytest.mark.parametrize("version", ["1", "1.0", "1.9.9", "1.10rc1"])
def test_a_version_within_the_range_is_taken(declared, monkeypatch, version):
    monkeypatch.setattr(importlib.metadata, "version", lambda name: version)
    check_versions.cache_clear()
    assert import_extra("json", "family") is sys.modules["json"]


#: Environment -> a package that it is made with, and the extra.
GUARDED = {
    "SparseAntMaze-v0": ("mujoco", "mujoco"),
    "XLand-v0": ("mujoco", "mujoco"),
    "FetchBlocks-v0": ("mujoco", "fetch"),
    "FetchProgram-v0": ("gymnasium-robotics", "fetch"),
}


@pytest.mark.parametrize("environment_id", GUARDED)
def test_make_names_the_version_that_was_not_tested_in_one_line(environment_id, monkeypatch):
    package, extra = GUARDED[environment_id]
    versions = importlib.metadata.version
    monkeypatch.setattr(importlib.metadata, "version", lambda name: "99.1" if name == package else versions(name))
    check_versions.cache_clear()
    family = ".".join(find_registration(environment_id).entry_point.split(".")[:3]).partition(":")[0]
    for name in [name for name in sys.modules if f"{name}.".startswith(f"{family}.")]:
        monkeypatch.delitem(sys.modules, name)  # versions are checked when a family is first imported
    with pytest.raises(UntestedVersionError) as caught:
        gymnasium.make(environment_id)
    check_versions.cache_clear()
    found = str(caught.value)
    assert found.startswith(f"{package} 99.1 is installed, but the extra {extra} was tested with {package}>=")
    assert f"pip install '{package}>=" in found and "\n" not in found


def test_installed_module_is_returned():
    assert import_extra("json.decoder") is sys.modules["json.decoder"]


def test_the_extra_that_brings_least_is_named_or_the_asked_one_if_it_brings_it(declared):
    assert extra_of("other_name") == "small"
    assert extra_of("other_name", "family") == "family", "a family brings what the extra that it is made of brings"
    assert extra_of("simulator", "small") == "family", "an extra that does not bring it is never advised"
    assert extra_of("only_old") is None and extra_of("something_else") is None
    assert extras() == {
        "small": {"other-name": ">=1,<2"},
        "family": {"simulator": ""},
        "everything": {"other-name": ">=1", "more": ""},
    }


@pytest.mark.parametrize("module", ["other_name", "other_name.part"])
def test_missing_package_is_answered_with_the_extra(declared, module):
    with pytest.raises(MissingExtraError) as caught:
        import_extra(module)
    assert str(caught.value) == "other_name is not installed; install it with: pip install 'procgen-bench[small]'"
    assert isinstance(caught.value, gymnasium.error.DependencyNotInstalled)


def test_what_will_be_missing_is_refused_before_it_is_imported(declared, tmp_path, monkeypatch):
    (tmp_path / "is_there.py").write_text("raise AssertionError('imported')\n")
    monkeypatch.syspath_prepend(tmp_path)
    check_modules("is_there")
    with pytest.raises(MissingExtraError, match=r"^simulator is not installed; .*procgen-bench\[family\]'$"):
        check_modules("is_there", "simulator")


def test_some_extra_brings_whatever_a_module_imports_that_the_core_does_not():
    """So that there is advice for everything; by setup.cfg, since the metadata is that of the last installation."""
    core = {name_of(line) for line in lines("options", "install_requires")}
    brought = {name_of(line) for extra in SETUP["options.extras_require"] for line in extra_lines(extra)}
    ours = {"procgen_bench", "examples"}
    found = set()
    for path in modules().values():
        for node in ast.walk(ast.parse(path.read_text("utf-8"))):
            names = [one.name for one in node.names] if isinstance(node, ast.Import) else []
            names += [node.module] if isinstance(node, ast.ImportFrom) and node.level == 0 and node.module else []
            found |= {name.partition(".")[0] for name in names} - ours - sys.stdlib_module_names
    others = {"PIL": "pillow", "yaml": "pyyaml", "pygame": "pygame-ce"}
    others |= {"browsergym": "browsergym-core", "openenv": "openenv-core"}
    others |= {"sklearn": "scikit-learn", "google": "protobuf"}
    unknown = {name for name in found if name_of(others.get(name, name)) not in core | brought}
    assert unknown <= {"_typeshed", "google", "onnx_ir", "OpenGL", "llvmlite"}, "these come with what is brought"


def test_baselines_bring_what_trained_policies_are_scored_and_drawn_with():
    assert {"onnx", "onnxruntime", "onnxscript", "matplotlib"} <= {name_of(line) for line in extra_lines("baselines")}


def extra_lines(extra: str) -> list[str]:
    return [line for line in lines("options.extras_require", extra) if line and not line.startswith("procgen-bench")]


def name_of(requirement: str) -> str:
    return re.split(r"[\[<>=;~! ]", requirement)[0].replace("_", "-").lower()


def test_package_that_lacks_something_else_is_not_blamed(tmp_path, monkeypatch):
    (tmp_path / "half_installed.py").write_text("import package_that_is_missing\n")
    monkeypatch.syspath_prepend(tmp_path)
    with pytest.raises(ModuleNotFoundError, match="No module named 'package_that_is_missing'") as caught:
        import_extra("half_installed")
    assert not isinstance(caught.value, MissingExtraError)


def test_package_with_a_fault_of_its_own_shows_it(tmp_path, monkeypatch):
    (tmp_path / "broken_package.py").write_text("raise RuntimeError('broken inside')\n")
    monkeypatch.syspath_prepend(tmp_path)
    with pytest.raises(RuntimeError, match="broken inside"):
        import_extra("broken_package")


def test_another_package_s_fault_is_not_the_renderer_s(tmp_path, monkeypatch):
    (tmp_path / "broken_package.py").write_text("raise RuntimeError('broken inside')\n")
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.setenv("MUJOCO_GL", "egl")
    monkeypatch.delitem(sys.modules, "mujoco", raising=False)
    with pytest.raises(RuntimeError, match="broken inside"):
        import_extra("broken_package")


def test_our_own_module_is_answered_for_what_it_imports(declared, tmp_path, monkeypatch):
    (tmp_path / "our_module.py").write_text("import simulator.part\n")
    monkeypatch.syspath_prepend(tmp_path)
    with pytest.raises(MissingExtraError, match="simulator is not installed"):
        import_extra("our_module")


def test_a_function_that_imports_when_it_runs_names_the_extra_then(declared):
    @naming_extra()
    def simulate(missing):
        importlib.import_module(missing)

    for _ in range(2):
        with pytest.raises(MissingExtraError, match=r"pip install 'procgen-bench\[family\]'"):
            simulate("simulator.part")
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
