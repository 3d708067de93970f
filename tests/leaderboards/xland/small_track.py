"""A small ``xland/hand-authored`` of many chunks; as a program, the command line that knows it in place of all."""

import dataclasses
import sys

from procgen_bench.cli import main
from procgen_bench.core.benchmarks import BENCHMARKS, get_benchmark
from procgen_bench.leaderboards.evaluation import playing
from procgen_bench.leaderboards.verification import replay

#: Tasks of one, two and three players; who does nothing earns all of the first.
TASKS = ("stay_where_you_spawn", "capture_the_cube", "choose_wisely_3p")
SMALL = dataclasses.replace(get_benchmark("xland/hand-authored"), task_names=TASKS, episodes_per_task=1)
#: Four episodes of two tasks.
OF_FOUR = dataclasses.replace(SMALL, task_names=TASKS[1:], episodes_per_task=2)

if __name__ == "__main__":
    BENCHMARKS[SMALL.id] = OF_FOUR
    playing.EPISODES_PER_CHUNK = replay.EPISODES_PER_BATCH = 1
    main(sys.argv[1:])
