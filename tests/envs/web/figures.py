"""The figures of docs/web_sites.md: ``python -m tests.envs.web.figures success POLICY...``, or ``sizes``."""

import sys

import gymnasium
import numpy as np

from procgen_bench.baselines.policies.loading import load_policy
from procgen_bench.envs.web.browser_pages import BrowserPage
from procgen_bench.envs.web.page import site_document
from procgen_bench.tasks.sites import SiteTaskSpace
from procgen_bench.tasks.sites.elements import Behaviour
from procgen_bench.tasks.sites.pages import placed_elements
from procgen_bench.tasks.sites.published_sites import GRADED_SITES, LEVELS

ID, SPACE = "GMiniWoB-v0", SiteTaskSpace()
#: What draws its actions plays every task so often.
EPISODES = {"random": 5, "site-random": 5}
#: Elements as MiniWoB's getDOMInfo counts: from body down, without what is not displayed and what is empty.
COUNT = """number => {
  const mains = [...document.querySelectorAll("main")];
  mains.forEach((main, place) => main.hidden = place !== number);
  const counted = element => {
    if (["SCRIPT", "STYLE"].includes(element.tagName) || getComputedStyle(element).display === "none") return 0;
    const box = element.getBoundingClientRect();
    return Number(box.width * box.height > 0) + [...element.children].map(counted).reduce((sum, one) => sum + one, 0);
  };
  return counted(document.body);
}"""


def successes(policy_name: str, suite_name: str, every: int = 1) -> np.ndarray:
    """bool (episodes, tasks), whether each task of a suite, or one in so many, is solved.

    A policy's name and ``+rewards``: the policy hears what it has earned.
    """
    tasks = list(SPACE.suite(suite_name))[::every] * EPISODES.get(policy_name, 1)
    env = gymnasium.make_vec(ID, num_envs=len(tasks), vectorization_mode="vector_entry_point", copy=False)
    observations, _ = env.reset(seed=0, options={"task": tasks})
    policy_name, _, hears = policy_name.partition("+")
    if policy_name == "solver":
        plans = [SPACE.solve(task) for task in tasks]
    else:
        policy = load_policy(policy_name, ID)
        policy.seed(0)
    solved, over = np.zeros((2, len(tasks)), np.bool_)
    starts, ended = ~solved, over.copy()
    for step in range(25):
        if policy_name == "solver":
            actions = np.array([plan[min(step, len(plan) - 1)] for plan in plans])
        else:
            actions = policy.act(observations, starts)
        observations, rewards, terminated, truncated, info = env.step(actions)
        if hears:
            policy.hear(rewards)
        solved |= ~over & info["success"]
        starts, ended = ended, terminated | truncated
        over |= ended
    env.close()
    return solved.reshape(EPISODES.get(policy_name, 1), -1)


def print_success(policy_name: str) -> None:
    """Success on every suite, and by site and level where it has such."""
    for suite_name in SPACE.suite_names:
        solved, suite = successes(policy_name, suite_name).mean(axis=0), SPACE.suite(suite_name)
        groups: dict[str, list[float]] = {}
        for name, one in zip(suite.task_names, solved):
            groups.setdefault(name.rpartition("-")[0], []).append(one)
        lines = [f"{group} {np.mean(ones):.3f}" for group, ones in groups.items() if group]
        print(f"{policy_name} {suite_name}: {solved.mean():.3f}", *lines, sep="\n    ", flush=True)


def print_sizes() -> None:
    """Of the five sites at level 4 the sizes of pages, and how many usable elements end the episode."""
    page = BrowserPage(deadline=60)
    for site in GRADED_SITES:
        task = SPACE.resolve(f"{site}/{LEVELS[-1]}")
        page.load(site_document(task, guarded=False))
        sizes = [page.evaluate(COUNT, number) for number in range(len(task.pages))]
        behaviours = [placed.element.behaviour for shown in task.pages for placed in placed_elements(shown)]
        usable = [behaviour for behaviour in behaviours if behaviour != Behaviour.NONE]
        print(f"{site}: {sum(sizes)} elements {sizes}; {usable.count(Behaviour.END)} of {len(usable)} end the episode")
    page.close()


if __name__ == "__main__":
    what, *names = sys.argv[1:]
    for name in names:
        print_success(name)
    if what == "sizes":
        print_sizes()
