"""What is tested where a package has no build for the Python at hand, or none without CUDA: all but what needs it."""

import importlib.util

from procgen_bench import ENVIRONMENT_IDS

#: Package -> the tests that need it (patterns of paths below this folder).
TESTS = {
    "torch": (
        "baselines/curricula/*",
        "baselines/fast/*",
        "baselines/methods/*",
        "baselines/papers/*",
        "baselines/parts/*",
        "baselines/policies/onnx/test_export.py",
        "baselines/policies/test_*.py",
        "baselines/training/*",
        "baselines/test_*.py",
        "cli/test_play_in_real_time.py",
        "cli/test_sweep.py",
        "envs/*/test_her.py",
        "envs/conformance/test_stable_baselines3.py",
        "leaderboards/sweeps/test_figure_*.py",
        "leaderboards/sweeps/test_generations.py",
        "leaderboards/sweeps/test_on_ray.py",
        "leaderboards/sweeps/test_training.py",
        "leaderboards/evaluation/test_training_record.py",
        "testing/*",
        "examples/test_own_method.py",
        "examples/test_trained_agent.py",
        "docs/*",
    ),
    "sphinx": ("docs/test_site.py",),
    # A board's site has no pages of benchmarks whose environment cannot be made, and those tests count pages; the
    # documentation has one of every environment.
    "pybullet": (
        "docs/test_site.py",
        "envs/table_push/*",
        "leaderboards/site/test_page.py",
        "leaderboards/site/test_site_folder.py",
    ),
}
#: Package -> the modules whose import needs it (names that begin so), where tests import every one.
MODULES = {
    "torch": ("procgen_bench.baselines.papers.sibling_rivalry.ant_controller", "procgen_bench.testing"),
    "pybullet": ("procgen_bench.envs.table_push.",),
}
#: Package -> the environments that need it.
ENVIRONMENTS = {"pybullet": ("TablePush-v0",)}

MISSING = tuple(package for package in TESTS if importlib.util.find_spec(package) is None)
LEFT_OUT = tuple(pattern for package in MISSING for pattern in TESTS[package])
INSTALLED_IDS = tuple(
    name for name in ENVIRONMENT_IDS if not any(name in ENVIRONMENTS.get(package, ()) for package in MISSING)
)


def can_be_imported(module: str) -> bool:
    """Whether a module of ours needs none of the missing packages."""
    return not any(module.startswith(MODULES[package]) for package in MISSING)
