"""``python -m procgen_bench.cli`` is ``procgen-bench``."""

from procgen_bench.cli import main

main()
