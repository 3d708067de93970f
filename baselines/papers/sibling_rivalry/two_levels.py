"""Learners of goals over a low level that learns along, where a configuration asks for one."""

from procgen_bench.baselines.parts.hierarchy import LEARNED, policy_settings
from procgen_bench.baselines.training.learner import Learner, RolloutT
from procgen_bench.baselines.training.method import Rows
from procgen_bench.baselines.training.settings import GoalConfiguration
from procgen_bench.core.extras import import_extra


def with_low_level(
    learner: Learner[RolloutT], rows: Rows, configuration: GoalConfiguration, seed: int
) -> Learner[RolloutT]:
    """The learner, over a low level that learns with it where the configuration asks for one.

    Args:
        learner: Chooses the actions, or subgoals, of the rows.
        rows: Made with :func:`row_options`.
        configuration: The method's.
        seed: Of the run.
    """
    if policy_settings(rows.environment_id, configuration) != {"low_level": LEARNED}:
        return learner
    low_level = import_extra("procgen_bench.baselines.papers.sibling_rivalry.learned_low_level")
    return low_level.over_learning_walker(learner, rows, seed, configuration)
