"""The fixed list of episodes that a benchmark demands of every run, and the seeds that a policy is bound to."""

from functools import cached_property

import gymnasium
import numpy as np

from procgen_bench.core.benchmark import Benchmark
from procgen_bench.core.errors import InvalidPolicyError
from procgen_bench.core.policy import OraclePolicy, Policy
from procgen_bench.core.seeding import seed_from_parts
from procgen_bench.core.task_suite import TaskSuite
from procgen_bench.leaderboards.errors import InvalidSubmissionError
from procgen_bench.leaderboards.submission.metadata import METADATA_FILE, Run
from procgen_bench.leaderboards.submission.traces import MORE_STEPS, TraceLimits

#: Steps of a submission that are replayed by default, in minutes. One whole run is accepted however long it is: of
#: XLand's largest suite it has 10,571,400.
_MAX_STEPS = 50_000_000
#: Most that the actions of a submission may take up in memory.
_MAX_ACTION_BYTES = 512 * 1024 * 1024
#: Steps that an episode counts as, however short it is: to make its world takes as long, and its first state as much.
_LEAST_EPISODE_STEPS = 50
#: For ``max_steps`` where all that can be recorded is accepted.
ANY_STEPS = 2**62

#: What a policy that is no oracle may ask of its environment: how it observes, not what it is given.
_POLICY_OPTIONS = ("mask", "observation")


def check_policy_options(policy: Policy) -> None:
    """Refuse a policy that asks its environment for what no learner is given.

    Raises:
        InvalidPolicyError: It asks for another option than how it observes, and is no oracle.
    """
    asked = sorted(set(policy.environment_options).difference(_POLICY_OPTIONS))
    if asked and not isinstance(policy, OraclePolicy):
        raise InvalidPolicyError(
            f"the policy asks for the environment's option {asked[0]!r}, expected only {', '.join(_POLICY_OPTIONS)}; "
            "what knows more than a learner is an OraclePolicy"
        )


class Protocol:
    """What every run of a benchmark plays: each task of the suite in turn, ``episodes_per_task`` times in a row.

    Attributes:
        benchmark: The benchmark.
    """

    def __init__(self, benchmark: Benchmark):
        self.benchmark = benchmark

    @cached_property
    def suite(self) -> TaskSuite:
        """The tasks that are scored."""
        return self.benchmark.task_suite()

    @cached_property
    def task_indices(self) -> np.ndarray:
        """int32 (episodes of a run,): which task of the suite each episode plays."""
        return np.repeat(np.arange(len(self.suite), dtype=np.int32), self.benchmark.episodes_per_task)

    @cached_property
    def action_space(self) -> gymnasium.Space:
        """The environment's action space."""
        with gymnasium.make(self.benchmark.environment_id) as env:
            space = env.action_space
        return space

    @property
    def action_form(self) -> tuple[tuple[int, ...], np.dtype]:
        """Shape and dtype of an action."""
        shape, dtype = self.action_space.shape, self.action_space.dtype
        assert shape is not None and dtype is not None  # every environment's actions are arrays or numbers
        return shape, dtype

    @property
    def max_episode_steps(self) -> int:
        """The environment's time limit."""
        return self.benchmark.max_episode_steps

    def trace_limits(self, num_runs: int, max_steps: int | None = None) -> TraceLimits:
        """What the traces of so many runs must keep to; ``max_steps`` replaces the usual limit of all their steps.

        Raises:
            InvalidSubmissionError: The runs have too many episodes for so few steps.
        """
        shape, dtype = self.action_form
        usual = min(
            max(_MAX_STEPS, len(self.task_indices) * self.max_episode_steps),
            _MAX_ACTION_BYTES // (dtype.itemsize * int(np.prod(shape))),
        )
        max_steps = usual if max_steps is None else max_steps
        max_runs = max(1, max_steps // (_LEAST_EPISODE_STEPS * len(self.task_indices)))
        if num_runs > max_runs:
            expected = f"at most {max_runs} of {len(self.task_indices)} episodes, {MORE_STEPS}"
            raise InvalidSubmissionError(METADATA_FILE, "number of runs", num_runs, expected)
        return TraceLimits(
            num_runs=num_runs,
            episodes_per_run=len(self.task_indices),
            max_episode_steps=self.max_episode_steps,
            max_steps=max_steps,
            action_dtype=dtype,
            action_shape=shape,
        )

    def seeds(self, run: Run) -> np.ndarray:
        """uint64 (episodes of a run,): the episodes' seeds, known only once the policy is fixed."""
        benchmark = self.benchmark
        bound_to = (benchmark.id, benchmark.version, run.policy_hash, run.training_seed)
        return np.array([seed_from_parts(*bound_to, k) for k in range(len(self.task_indices))], np.uint64)
