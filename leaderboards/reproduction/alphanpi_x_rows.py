"""How many calls in a row an arm carries out: chains of random calls, as CALVIN (Mees et al., 2022) counts them."""

import numpy as np

from procgen_bench.baselines.papers.alphanpi_x.programs.atomic_policies import AtomicPolicy
from procgen_bench.baselines.papers.alphanpi_x.programs.random_chains import ChainSettings, record_chains
from procgen_bench.leaderboards.reproduction.tables import write_numbers
from procgen_bench.leaderboards.sweeps.figure_file import Asked, Made

#: Standard deviations to either side that hold 95 % of a normal distribution.
_DEVIATIONS = 1.96


def reproduce_rows(arm: AtomicPolicy, asked: Asked, calls: int) -> Made:
    """Let an arm carry out random calls in a row; writes ``calls-in-a-row.md`` and ``.json``, and the calls."""
    settings = ChainSettings(asked.samples or ChainSettings.chains, calls, asked.seed or 0)
    recorded = record_chains(arm, settings)
    lengths = recorded.lengths
    mean, half = float(np.mean(lengths)), _DEVIATIONS * float(np.std(lengths)) / np.sqrt(len(lengths))
    shares = [float(np.mean(lengths >= length)) for length in range(1, calls + 1)]
    rows = [[str(length), f"{share:.2f}"] for length, share in enumerate(shares, 1)]
    rows.append(["mean", f"{mean:.2f} ({max(mean - half, 0):.2f}-{min(mean + half, calls):.2f})"])
    lines = ["# Random calls in a row", "", f"Arm: {recorded.about['atomic']['kind']}; {settings.chains} chains.", ""]
    numbers = recorded.about | {"lengths": lengths.tolist(), "mean": mean, "shares": shares}
    made = write_numbers(asked.folder / "calls-in-a-row.md", lines, ("calls in a row", "chains"), rows, numbers)
    return made._replace(files={**made.files, "data set": recorded.write(asked.folder)})
