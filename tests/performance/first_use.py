"""What the first use of an environment costs: each id in a fresh process with an empty cache of compiled kernels.

    python tests/performance/first_use.py [ID ...] [--functions]

A process makes the single environment and the vector environment, resets and steps both, and tells the wall and the
processor time in seconds, and how many kernels were compiled. Then a second process does the same with the cache that
the first one left. ``--functions`` also prints what the single functions took, callees left out, slowest first.
"""

import argparse
import json
import os
import subprocess
import sys
import tempfile
import time
from collections import Counter


def use(environment_id: str) -> dict:
    """Use an environment of this process for the first time, and measure it."""
    began = time.perf_counter(), time.process_time()
    from numba.core import event

    import procgen_bench  # noqa: F401 - registers the ids
    from procgen_bench.engine.first_use import use_once

    functions: Counter = Counter()
    kernels = []
    open_since: list[tuple[float, float]] = []  # compilations under way: when each began, what nested ones took

    class Stopwatch(event.Listener):
        def on_start(self, event: event.Event) -> None:
            open_since.append((time.process_time(), 0.0))

        def on_end(self, event: event.Event) -> None:
            start, nested = open_since.pop()
            seconds = time.process_time() - start
            name = event.data["dispatcher"].py_func
            functions[f"{name.__module__.removeprefix('procgen_bench.')}.{name.__qualname__}"] += seconds - nested
            kernels.append(name)
            if open_since:
                open_since[-1] = open_since[-1][0], open_since[-1][1] + seconds

    with event.install_listener("numba:compile", Stopwatch()):
        use_once(environment_id)
    wall, processor = time.perf_counter() - began[0], time.process_time() - began[1]
    return {"wall": wall, "processor": processor, "kernels": len(kernels), "functions": functions.most_common()}


def measure(environment_id: str, cache: str) -> dict:
    """Use an environment in a fresh process whose compiled kernels are kept in the folder ``cache``."""
    command = [sys.executable, __file__, "--here", environment_id]
    environment = os.environ | {"NUMBA_CACHE_DIR": cache}
    done = subprocess.run(command, env=environment, check=True, capture_output=True, text=True)
    return json.loads(done.stdout.splitlines()[-1])


def main() -> None:
    """Print a table: environments down, the cold and the warm use across."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("ids", nargs="*")
    parser.add_argument("--functions", action="store_true")
    parser.add_argument("--here", action="store_true", help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    if arguments.here:
        print(json.dumps(use(arguments.ids[0])))
        return
    from procgen_bench import ENVIRONMENT_IDS

    print(f"{'environment':24} {'cold: wall':>10} {'processor':>10} {'kernels':>8} {'warm: wall':>10}")
    for environment_id in arguments.ids or ENVIRONMENT_IDS:
        with tempfile.TemporaryDirectory() as cache:
            cold, warm = measure(environment_id, cache), measure(environment_id, cache)
        columns = f"{cold['wall']:10.1f} {cold['processor']:10.1f} {cold['kernels']:8} {warm['wall']:10.2f}"
        print(f"{environment_id:24} {columns}", flush=True)
        if arguments.functions:
            for name, seconds in cold["functions"]:
                print(f"    {seconds:6.2f} {name}")


if __name__ == "__main__":
    main()
