"""What tests of planners for the paper's four blocks share: untrained ones that call much, and what they are shown."""

from collections.abc import Iterator

import numpy as np
import torch

from procgen_bench.baselines.papers.alphanpi_x.programs.atomic_policies import AtomicPolicy, LearnedAtomicPolicy
from procgen_bench.baselines.papers.alphanpi_x.programs.call_rules import call_rules
from procgen_bench.baselines.papers.alphanpi_x.programs.core_network import CoreNetwork
from procgen_bench.baselines.papers.alphanpi_x.programs.planner_parts import PlannerParts
from procgen_bench.tasks.programs import PROGRAMS
from tests.tasks.programs.makers import random_states


def planner_parts(seed: int = 1, calls: str = "levels", liking: float = 3.0, atomic: AtomicPolicy | None = None):
    """A core network of random, decided choices, which depend on what it remembers, over the package's arm.

    Args:
        seed: Of its weights.
        calls: What a program may call.
        liking: How much more it likes to call programs that call others, and half as much to stop.
        atomic: Another arm.
    """
    with torch.random.fork_rng():
        torch.manual_seed(seed)
        network = CoreNetwork(PROGRAMS.num_blocks, len(PROGRAMS))
    rules = call_rules(PROGRAMS, calls)
    with torch.no_grad():
        network.policy[-1].weight.mul_(40)
        network.cell.weight_hh.mul_(10)
        network.policy[-1].bias += liking * torch.as_tensor((rules.levels > 0) + 0.5 * (rules.levels < 0)).float()
    return PlannerParts(rules, network, None, atomic or LearnedAtomicPolicy.shipped())


def shown(rows: int, rng: np.random.Generator) -> Iterator[tuple[dict[str, np.ndarray], np.ndarray]]:
    """Observations of rows that begin episodes now and then, and which of them do.

    At first every program is played, and those of the highest level in all further rows.
    """
    levels = np.array([program.level for program in PROGRAMS.values()])
    own = np.concatenate([np.arange(len(levels)), np.resize(np.flatnonzero(levels == 2), rows)])[:rows]
    for step in range(10**6):
        starts = (rng.random(rows) < 0.1) | (step == 0)
        if step % 2 == 0:
            states, goals = random_states(rng, rows), rng.normal(size=(rows, PROGRAMS.goal_size))
        if step > 0:
            own[starts] = [rng.choice(np.flatnonzero(levels == rng.integers(3))) for _ in range(starts.sum())]
        one_hot = np.eye(len(PROGRAMS), dtype=np.int8)[own]
        yield {"observation": states, "goal": goals, "program": one_hot}, starts
