"""Planning: which option of a goal to pursue, and what to do next for it."""

import math

from procgen_bench.envs.xland.scripted import costs
from procgen_bench.envs.xland.scripted.errands import what_to_carry
from procgen_bench.envs.xland.scripted.guarding import who_holds, whom_to_tag
from procgen_bench.envs.xland.scripted.pursuit import Pursuit
from procgen_bench.envs.xland.scripted.skills import AIM, BE, CARRY, CARRY_REACH, LIFT, TAKE, Intent
from procgen_bench.tasks.xland.entities import TAG
from procgen_bench.tasks.xland.predicates.atom_table import ME, ON

#: Seconds by which another option must be cheaper to turn to it.
_MARGIN = 1.5
#: Steps after which an option has failed that has come no closer, and for which it is then left.
_PATIENCE, _SHUNNED = 150, 250
_SHUNNED_COST = 60.0
#: Seconds by which an option must have become cheaper to have come closer.
_PROGRESS = 0.7


class Planner:
    """Plans for one player's goal.

    Attributes:
        options: The goal's options.
        pursuit: The one that is pursued.
        attempt: How often one has come no closer for long: each time something else is tried.

    Args:
        options: At least one.
        hurries: Whether what is taken to be carried on is taken from close by: it is lifted sooner.
    """

    def __init__(self, options: list[Pursuit], hurries: bool):
        self.options, self.pursuit = options, options[0]
        self._hurries = hurries
        self._actor = self.pursuit.actor
        self._chosen, self.attempt = False, 0
        self._shunned: dict[int, int] = {}
        self._least, self._since = math.inf, 0

    def choose_option(self, restless: bool) -> None:
        """Take the cheapest option, or stay with that which is pursued as long as it comes closer."""
        step = self._actor.senses.step
        here = self._cost(self.pursuit)
        if here < self._least - _PROGRESS or here == 0.0:
            self._least, self._since = here, step
        if not self._chosen:
            self._take(min(self.options, key=self._cost))
        elif step - self._since > _PATIENCE:
            self._shunned[self.options.index(self.pursuit)] = step + _SHUNNED
            self.attempt += 1
            self._take(min(self.options, key=self._cost))
        elif restless and here > 0.0 and len(self.options) > 1:
            cheapest = min(self.options, key=self._cost)
            if self._cost(cheapest) < here - _MARGIN:
                self._take(cheapest)

    def choose_intent(self, intent: Intent, placing: bool, eyes: dict[int, tuple]) -> Intent:
        """What to do next: first what takes the gadget, then what is to be carried, then what is to be held.

        Args:
            intent: What is being done.
            placing: Whether that is to carry something, which is being put down.
            eyes: Of the other players, see :func:`~procgen_bench.envs.xland.scripted.wishes.own_wishes`.
        """
        pursuit, senses = self.pursuit, self._actor.senses
        pending = pursuit.pending()
        if placing and pending and senses.held == intent.body and not intent.keep:
            return intent
        tagged = whom_to_tag(pursuit, pending)
        if tagged is not None:
            return Intent(AIM, tagged)
        to_hold = pursuit.to_hold()
        carried = what_to_carry(pursuit, intent, eyes, self.attempt % 2 == 1)
        wanted = [carried.body] if carried is not None else to_hold
        rival = who_holds(pursuit, wanted) if pending else None
        if rival is not None:
            return Intent(AIM, rival)
        return carried or self._hold(intent, to_hold, pending) or self._rest(intent, pending)

    def _hold(self, intent: Intent, to_hold: list[int], pending: list) -> Intent | None:
        """How to have in hand what is to be held."""
        senses = self._actor.senses
        if senses.held in to_hold:
            settled = intent.kind in (TAKE, LIFT, CARRY) and intent.body == senses.held
            return intent if settled and (intent.keep or not pending) else Intent(LIFT, senses.held)
        present = [k for k in to_hold if senses.present[k]]
        if not present:
            return None
        goes_on = self._hurries and any(one.relation == ON and one.first == ME for one in pending)
        closest = min(present, key=lambda k: costs.to(k, senses, self._actor.navigator))
        return Intent(TAKE, closest, reach=CARRY_REACH if goes_on and not senses.taken[closest] else 0.0)

    def _rest(self, intent: Intent, pending: list) -> Intent:
        """To hold on to what has been brought, or to be where one is wanted."""
        brought = intent.kind in (CARRY, LIFT) and self._actor.senses.held == intent.body
        if brought and not pending and self.pursuit.may_hold(intent.body):
            return intent._replace(keep=True)
        return Intent(BE)

    def _take(self, option: Pursuit) -> None:
        self.pursuit, self._chosen = option, True
        self._least, self._since = self._cost(option), self._actor.senses.step

    def _cost(self, option: Pursuit) -> float:
        """A guess at the seconds until an option holds."""
        senses, navigator = self._actor.senses, self._actor.navigator
        cost = sum(costs.seconds(one, senses, navigator, option.cast, option.gadget == TAG) for one in option.pending())
        shunned = self._shunned.get(self.options.index(option), -1) > senses.step
        return cost + (_SHUNNED_COST if shunned else 0.0)
