"""What a run of npi-goals loads where its options ask for it: the rivals' teacher, and what begins from a policy."""

import pkgutil
from typing import Any

from procgen_bench.baselines.training.contracts import Learner
from procgen_bench.baselines.training.curriculum_env import CurriculumVectorEnv
from procgen_bench.baselines.training.run_folder import RunFolder

_BEGIN = "procgen_bench.baselines.parts.beginning:begin"
_PROGRAM_GOALS = "procgen_bench.baselines.curricula.program_goals:ProgramGoalsTeacher"
#: Parts of the learner's state that a run may begin with: a policy's, and those that another run's checkpoint has, too.
_ACTORS, _CRITICS = ("networks.actor", "targets.actor"), ("networks.critic", "targets.critic")


def begin_with_actor(run: RunFolder, rows: CurriculumVectorEnv, learner: Learner[Any]) -> None:
    """Let a learner begin with the actor, and a run's critic, that ``begin_from`` names; see :func:`.begin`."""
    pkgutil.resolve_name(_BEGIN)(run, rows, learner, _ACTORS, _CRITICS)


def program_goals_teacher() -> Any:
    """The class :class:`.ProgramGoalsTeacher`."""
    return pkgutil.resolve_name(_PROGRAM_GOALS)
