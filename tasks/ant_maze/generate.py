"""Regenerate SparseAntMaze's data files and print their checksums.

``python -m procgen_bench.tasks.ant_maze.generate [FOLDER]``; without a folder, into the package's own.
"""

from procgen_bench.core.suite_generation import run_family_generator
from procgen_bench.tasks.ant_maze.space import AntMazeTaskSpace

if __name__ == "__main__":
    run_family_generator(AntMazeTaskSpace())
