"""For every method of the table the benchmark that takes least time."""

from procgen_bench.baselines.method_table import METHODS, Method
from procgen_bench.core.benchmarks import BENCHMARKS, get_benchmark

#: What the trainer trains. Algorithms of stable-baselines3 train themselves, keep no checkpoint and begin again;
#: alphanpi-x plays in imagination alone. What holds of these is tested beside their methods, in
#: tests/baselines/methods/test_stable_baselines3.py and test_alphanpi_x.py.
OTHERS = {"alphanpi-x", *(name for name in METHODS if name.startswith("sb3"))}
TRAINED = [name for name, method in METHODS.items() if method.trainable and name not in OTHERS]
#: Their steps are quick, and their episodes short.
QUICK = ("grid-world/graded", "point-maze/corridor-2", "bit-grid/test")


def benchmark_of(method: Method) -> str:
    """The id of the first benchmark whose environment the method plays; goal methods first play without pictures."""
    first = QUICK if "SparsePointMaze-v0" not in method.environments else QUICK[1:]
    candidates = [*first, *BENCHMARKS]
    return next(name for name in candidates if method.suits(get_benchmark(name).environment_id))
