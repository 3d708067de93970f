"""procgen_bench: Gymnasium environments whose tasks are generated, reference methods, and replayed leaderboards.

``import procgen_bench`` registers every environment with Gymnasium and imports none of them.
"""

from procgen_bench.registration import ENVIRONMENT_IDS, register_all
from procgen_bench.version import __version__

register_all()

__all__ = ["ENVIRONMENT_IDS", "__version__"]
