"""Registers GMiniWoB's sites with BrowserGym (extra ``browsergym``), as ``import browsergym.miniwob`` does its own.

::

    import procgen_bench.envs.web.browsergym

    env = gymnasium.make("browsergym/procgen_bench.login-4")
    observation, info = env.reset(seed=0)  # task test/login-4-0; BrowserGym's actions, observations and loop

- ``browsergym/procgen_bench.SITE-LEVEL``, and ``enter-password`` etc. of MiniWoB: the suite ``test``;
- ``browsergym/procgen_bench.SUITE`` and ``browsergym/procgen_bench.SUITE.SITE-LEVEL``: the other suites;
- ``browsergym/procgen_bench.site``: any, ``gymnasium.make(..., task_kwargs={"tasks": "flight/4"})``.

The seed of a reset is the number of the task among those of that name. See
:class:`~procgen_bench.envs.web.browsergym_task.BrowserGymTask`.
"""

from procgen_bench.core.extras import naming_extra
from procgen_bench.envs.web.browsergym_task import BrowserGymTask
from procgen_bench.tasks.sites import SiteTaskSpace

with naming_extra():
    from browsergym.core.registration import register_task
    from browsergym.core.task import AbstractBrowserTask

AbstractBrowserTask.register(BrowserGymTask)
_PACKAGE = __name__.partition(".")[0]


def _names() -> dict[str, list[str]]:
    """By name in BrowserGym, the tasks that it stands for: those of a suite whose names differ in the last number."""
    named: dict[str, list[str]] = {}
    space = SiteTaskSpace()
    for suite in space.suite_names:
        for task in space.suite(suite).task_names:
            parts = (_PACKAGE, "" if suite == "test" else suite, task.rpartition("-")[0])
            named.setdefault(".".join(filter(None, parts)), []).append(f"{suite}/{task}")
    return named


NAMES = _names()
for name, tasks in NAMES.items():
    register_task(name, BrowserGymTask, task_kwargs={"tasks": tasks}, nondeterministic=False)
register_task(f"{_PACKAGE}.site", BrowserGymTask, default_task_kwargs={"tasks": "test"}, nondeterministic=False)
