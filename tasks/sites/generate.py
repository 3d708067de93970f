"""Generate gMiniWoB's data files again and print their checksums.

``python -m procgen_bench.tasks.sites.generate [FOLDER]``; without a folder, into the package's own.
"""

from procgen_bench.core.suite_generation import run_family_generator
from procgen_bench.tasks.sites.space import SiteTaskSpace

if __name__ == "__main__":
    run_family_generator(SiteTaskSpace())
