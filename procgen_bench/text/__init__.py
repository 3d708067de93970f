"""Environments for language models, over their own libraries' doors: each an extra that nothing else imports.

- ``procgen-bench serve``: OpenEnv's protocol (:mod:`.openenv_server`, extra ``serve``);
- :func:`load_environment`: an environment of verifiers (:mod:`.verifiers_environment`, extra ``verifiers``).
"""

from typing import TYPE_CHECKING

from procgen_bench.core.extras import naming_extra

if TYPE_CHECKING:
    from procgen_bench.text.verifiers_environment import TextEnvironment


def load_environment(environment_id: str, suite: str | None = None, num_tasks: int = 100) -> "TextEnvironment":
    """An environment of verifiers (extra ``verifiers``), for its evaluator and trainers.

    Its tasks have the instructions as prompts. A rollout is an episode: the model's messages are calls, and the user's
    are what is seen then. The reward is the sum of the environment's; its metrics are ``success`` (0 or 1), ``calls``
    and ``call_errors``. An answer of nothing is a call that cannot be made, and so is every one that is left out where
    a conversation ends before its episode: that fails.

    Args:
        environment_id: An environment with a text form: ``"GMiniWoB-v0"``, ``"GridWorld-v0"``.
        suite: The suite whose tasks are played, each once; ``None``: tasks drawn by the environment, of the seeds 0,
            1, 2 and so on.
        num_tasks: How many, without a suite.

    Raises:
        MissingExtraError: verifiers is not installed.
        InvalidOptionError: The environment has no text form, or there would be no tasks.
        UnknownNameError: There is no such environment or suite.
    """
    with naming_extra("verifiers"):
        from procgen_bench.text.verifiers_environment import make_environment
    return make_environment(environment_id, suite, num_tasks)
