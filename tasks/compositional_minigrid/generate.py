"""Regenerate CompositionalMiniGrid's data files and print their checksums.

``python -m procgen_bench.tasks.compositional_minigrid.generate [FOLDER]``; without a folder, into the package's own.
"""

from procgen_bench.core.suite_generation import run_family_generator
from procgen_bench.tasks.compositional_minigrid.space import CompositionalMiniGridTaskSpace

if __name__ == "__main__":
    run_family_generator(CompositionalMiniGridTaskSpace())
