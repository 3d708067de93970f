"""What tests of programs share: searches of a small library on the symbolic model, by a network that knows nothing."""

from dataclasses import replace

import numpy as np
import torch

from procgen_bench.baselines.papers.alphanpi_x.programs.call_rules import CallRules, call_rules
from procgen_bench.baselines.papers.alphanpi_x.programs.core_network import CoreNetwork
from procgen_bench.baselines.papers.alphanpi_x.programs.search import Search, Searched, SearchSettings
from procgen_bench.baselines.papers.alphanpi_x.programs.starts import DrawnStarts
from procgen_bench.baselines.papers.alphanpi_x.programs.symbolic_model import SymbolicModel
from procgen_bench.tasks.programs import paper_library

#: Two orange blocks: Move_All_To_Zone and Stack_All_To_Zone of one colour, and the three programs without arguments.
LIBRARY = paper_library(2)
SETTINGS = SearchSettings(simulations=60, sub_simulations=20, explores=False)
EPISODES = 4


def fresh_network() -> CoreNetwork:
    with torch.random.fork_rng():
        torch.manual_seed(0)
        return CoreNetwork(LIBRARY.num_blocks, len(LIBRARY))


def searched(rules: CallRules | None = None, seed: int = 0, rows: int = 64, **settings: object) -> list[Searched]:
    """Results of searches for every program, from the same starts for the same seed."""
    rules = rules or call_rules(LIBRARY)
    search = Search(rules, fresh_network(), SymbolicModel(LIBRARY), replace(SETTINGS, **settings), rows)
    programs = np.repeat(rules.composed, EPISODES)
    rng = np.random.default_rng(seed)
    return search.run(programs, DrawnStarts(LIBRARY).draw(rng, programs), rng)


def success(found: list[Searched]) -> float:
    return float(np.mean([one.succeeded for one in found]))
