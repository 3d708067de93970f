"""Probe: the sites and values that a finished agent fails, found by a generator of designs that learns against it.

Ours. The agent does not learn. CoDE's generator (:mod:`.code`) is paid for regret, the return of the scripted solver
less that of the agent; a site that is failed for a known fault pays nothing, so that the generator goes on to others. A
failed site is made smaller while the agent still fails it, and its fields' values are tried.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Protocol

import numpy as np

from procgen_bench.baselines.papers.code.code import CoDETeacher
from procgen_bench.baselines.papers.code.design_settings import CoDEConfiguration
from procgen_bench.baselines.papers.code.site_faults import (
    SiteFault,
    matters_which_field,
    size_of,
    smallest_failing,
    try_values,
    with_value,
)
from procgen_bench.baselines.policies.scripted.policies import SolverPolicy
from procgen_bench.baselines.training.contracts import FinishedEpisodes, Proposal
from procgen_bench.baselines.training.evaluation import play_episodes
from procgen_bench.baselines.training.level_source import LevelSource
from procgen_bench.baselines.training.player_names import STUDENT
from procgen_bench.core.errors import UnsupportedEnvironmentError
from procgen_bench.core.registrations import family_id
from procgen_bench.core.seeding import seed_from_parts
from procgen_bench.tasks.sites.design import HORIZON, SiteDesign
from procgen_bench.tasks.sites.space import SiteTaskSpace
from procgen_bench.tasks.sites.task import SiteTask

#: Share of the steps that values of fields by themselves may take, before the generator designs anything.
_VALUES_SHARE = 0.25
#: Sites that are played together where their number is not known beforehand.
_AT_ONCE = 128
#: Least steps for making sites smaller, besides those for designing them, of which there are as many.
_LEAST_REDUCING = 2_000
#: Further episodes of a fault's site, of which the failed ones are counted.
_CONFIRMED_BY = 5
#: Proposals of a round: designs, times episodes, times the two players.
_BATCH, _EPISODES = 16, 2
#: Choices of a primitive, or of none, in a design.
_SLOTS = 25


class Ended(Protocol):
    """An episode that an agent played."""

    @property
    def return_(self) -> float:
        """Sum of its rewards."""

    @property
    def success(self) -> bool:
        """Whether the site was submitted with every field right."""

    @property
    def length(self) -> int:
        """Steps."""


#: Plays an episode of each task, by its seed.
Play = Callable[[Sequence[SiteTask], Sequence[int]], Sequence[Ended]]


@dataclass(frozen=True)
class ProbeSettings:
    """How long an agent is probed, and how far.

    Attributes:
        steps: Steps of the agent after which no further site is designed.
        most_faults: Faults after which none is looked for any more.
        tries: Episodes of a site, most of which are failed where it counts as failed.
        values: Values of a field that are tried at most.
    """

    steps: int = 20_000
    most_faults: int = 20
    tries: int = 1
    values: int = 64


@dataclass(frozen=True)
class ProbeReport:
    """What was found.

    Attributes:
        faults: The smallest sites first.
        num_steps, num_episodes: What the agent played in all.
        num_designed: Sites of the generator that it played, of which ...
        num_failed: ... it failed so many.
        shares: float64 (rounds,): of the generator's sites, round by round, how many were failed.
    """

    faults: tuple[SiteFault, ...]
    num_steps: int
    num_episodes: int
    num_designed: int
    num_failed: int
    shares: np.ndarray


class Probe:
    """One search for faults.

    Args:
        play: Plays the agent.
        levels: Whose sites.
        settings: How long, and how far.
        seed: Decides all that is drawn.
        tell: Called with each fault as it is found.

    Raises:
        UnsupportedEnvironmentError: The levels are no sites.
    """

    def __init__(
        self,
        play: Play,
        levels: LevelSource,
        settings: ProbeSettings,
        seed: int,
        tell: Callable[[SiteFault], None] = lambda fault: None,
    ):
        environment_id = levels.benchmark.environment_id
        if not isinstance(levels.task_space, SiteTaskSpace):
            raise UnsupportedEnvironmentError("probe", environment_id, ["GMiniWoB-v0", "GMiniWoBLiteral-v0"])
        self._play, self._settings, self._seed, self._tell = play, settings, seed, tell
        self._environment_id, self._library = family_id(environment_id), levels.task_space.library
        self._rng = np.random.default_rng(seed_from_parts("probe", seed))
        configuration = CoDEConfiguration(
            objective="paired",
            batch=_BATCH,
            episodes=_EPISODES,
            slots=_SLOTS,
            learning_rate=3e-3,
        )
        self._generator = CoDETeacher(levels, self._rng, configuration)
        self._solver = SolverPolicy(self._environment_id)
        self._faults: list[SiteFault] = []
        self._num_steps = self._num_episodes = self._num_designed = self._num_failed = 0
        self._shares: list[float] = []

    @property
    def num_steps(self) -> int:
        """Steps of the agent so far."""
        return self._num_steps

    def run(self) -> ProbeReport:
        """Search until the steps are used up, or there are faults enough."""
        self._try_alone()
        while self._num_steps < self._settings.steps and len(self._faults) < self._settings.most_faults:
            self._try_designs()
        return self.report()

    def report(self) -> ProbeReport:
        """What was found so far."""
        faults = tuple(sorted(self._faults, key=lambda fault: fault.size))
        shares = np.array(self._shares, float)
        return ProbeReport(faults, self._num_steps, self._num_episodes, self._num_designed, self._num_failed, shares)

    def _try_alone(self) -> None:
        """Values of each field on a site that asks for nothing else."""
        active = [one for one in self._library.catalogue.values() if one.active]
        sites = []
        for primitive in active:
            design = SiteDesign.of_pairs([(primitive.name, 0)], 1, self._library)
            values = self._library.value_lists[primitive.field][: self._settings.values]
            first = SiteTask(design, ((primitive.field, values[0]),))
            sites += [with_value(first, primitive.field, value) for value in values]
        sites = [sites[place] for place in self._rng.permutation(len(sites))]
        most_steps = _VALUES_SHARE * self._settings.steps
        while sites and self._num_steps < most_steps:
            count = min(max(int(most_steps - self._num_steps) // HORIZON, 1), _AT_ONCE)
            some, sites = sites[:count], sites[count:]
            ended = self._played(some)
            self._find([task for task, one in zip(some, ended, strict=True) if not one.success])

    def _try_designs(self) -> None:
        """Sites of the generator, which learns from them."""
        proposals = self._generator.propose(np.arange(2 * _BATCH * _EPISODES), self._num_steps)
        tasks: dict[int, SiteTask] = {}
        for proposal in proposals:
            assert isinstance(proposal.task, SiteTask)  # as those of its space are
            tasks[proposal.level] = proposal.task
        ended = dict(zip(tasks, self._played(list(tasks.values())), strict=True))
        failed = {level: task for level, task in tasks.items() if not ended[level].success}
        known = {level for level, task in tasks.items() if self._is_explained(task)}
        unknown = [task for level, task in failed.items() if level not in known]
        self._num_designed, self._num_failed = self._num_designed + len(tasks), self._num_failed + len(failed)
        self._shares.append(len(failed) / len(tasks))
        seeds = [seed_from_parts("probe solver", self._seed, level) for level in tasks]
        solved = play_episodes(self._solver, self._environment_id, list(tasks.values()), seeds)
        best = {level: one.return_ for level, one in zip(tasks, solved, strict=True)}
        earned = [
            ended[one.level].return_ if one.player == STUDENT and one.level not in known else best[one.level]
            for one in proposals
        ]
        self._generator.observe(_finished(proposals, earned, self._generator.players))
        self._generator.learn_from_finished()
        self._find(unknown)

    def _find(self, failed: list[SiteTask]) -> None:
        """The faults for which sites are failed, the smallest site first, until all are explained.

        What is then failed in less than half of further episodes was failed by chance, and is none.
        """
        left, settings = sorted(failed, key=size_of), self._settings
        while left and len(self._faults) < settings.most_faults and not self._is_spent:
            task, *left = left
            if self._is_explained(task) or not self._fails([task])[0]:
                continue
            task = smallest_failing(task, self._fails, self._library)
            most = 1 if self._is_spent else settings.values
            values = try_values(task, self._fails, self._library, most)
            needs_field = matters_which_field(task, self._fails, self._library)
            again = self._played([task] * _CONFIRMED_BY)
            num_failed = sum(not one.success for one in again)
            if 2 * num_failed >= len(again):
                fault = SiteFault(task, values, needs_field, num_failed, len(again))
                self._faults.append(fault)
                self._tell(fault)

    @property
    def _is_spent(self) -> bool:
        """Whether no steps are left for making sites smaller."""
        steps = self._settings.steps
        return self._num_steps >= steps + max(steps, _LEAST_REDUCING)

    def _is_explained(self, task: SiteTask) -> bool:
        return any(fault.explains(task) for fault in self._faults)

    def _fails(self, tasks: Sequence[SiteTask]) -> list[bool]:
        """Whether the agent fails most tries of each site; none where no steps are left to tell."""
        if self._is_spent:
            return [False] * len(tasks)
        tries = self._settings.tries
        ended = self._played([task for task in tasks for _ in range(tries)])
        failed = np.array([not one.success for one in ended], np.bool_).reshape(len(tasks), tries)
        return (2 * failed.sum(axis=1) > tries).tolist()

    def _played(self, tasks: Sequence[SiteTask]) -> Sequence[Ended]:
        if not tasks:
            return ()
        seeds = [seed_from_parts("probe", self._seed, self._num_episodes + k) for k in range(len(tasks))]
        ended = self._play(tasks, seeds)
        self._num_episodes += len(ended)
        self._num_steps += sum(one.length for one in ended)
        return ended


def _finished(proposals: Sequence[Proposal], earned: Sequence[float], players: tuple[str, ...]) -> FinishedEpisodes:
    """Episodes of proposals, as teachers observe them."""
    count = len(proposals)
    unknown = np.full(count, np.nan, np.float32)
    return FinishedEpisodes(
        level=np.array([one.level for one in proposals], np.int64),
        player=np.array([players.index(one.player) for one in proposals], np.int16),
        train=np.zeros(count, np.bool_),
        return_=np.array(earned, np.float64),
        success=np.zeros(count, np.bool_),
        length=np.zeros(count, np.int64),
        start_value=unknown,
        mean_value=unknown,
        value_loss=unknown,
        players=players,
    )
