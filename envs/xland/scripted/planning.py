"""Planning: which option of a goal to pursue, and what to do next for it."""

import math

from procgen_bench.envs.xland.scripted import costs
from procgen_bench.envs.xland.scripted.actor import Actor
from procgen_bench.envs.xland.scripted.aims import Cast, Literal, joined, object_wishes
from procgen_bench.envs.xland.scripted.skills import AIM, BE, CARRY, LIFT, TAKE, Intent
from procgen_bench.envs.xland.scripted.steering import wrap
from procgen_bench.envs.xland.simulation import XLandSimulation
from procgen_bench.tasks.xland.entities import FREEZE, TAG
from procgen_bench.tasks.xland.predicates.atom_table import FIRST_FLOOR, HOLD, ME, ON, OPPONENT

#: Seconds by which another option must be cheaper to turn to it.
_MARGIN = 1.5
#: Steps after which an option has failed that has come no closer, and for which it is then left.
_PATIENCE, _SHUNNED = 150, 250
_SHUNNED_COST = 60.0
#: Seconds by which an option must have become cheaper to have come closer.
_PROGRESS = 0.7
#: An object that is faster than this (metres per second) rolls or slides.
_ROLLS = 0.1
#: Steps before somebody comes back in which it pays to aim at where that will be.
_SOON = 6
#: Angle (radians) within which another player has turned to one.
_TURNED_TO = 0.9


class Planner:
    """Plans for one goal.

    Attributes:
        options: The goal's options, as literals.
        option: The one that is pursued.
        attempt: How often it has failed to come closer: another way is tried then.
    """

    def __init__(self, options: list[list[Literal]], simulation: XLandSimulation, actor: Actor, cast: Cast):
        self.options, self.option, self.attempt = options, 0, 0
        self._simulation, self._actor, self._cast = simulation, actor, cast
        self._gadget = int(simulation.task.world.player_gadgets[actor.senses.seat])
        self._shunned: dict[int, int] = {}
        self._least, self._since, self._chosen = math.inf, 0, False
        self._before: list = actor.senses.places

    @property
    def literals(self) -> list[Literal]:
        """Those of the option that is pursued."""
        return self.options[self.option]

    def holds(self, one: Literal) -> bool:
        """Whether a literal does."""
        return bool(self._simulation.truths[0, one.judge, one.atom]) == one.wanted

    def pending(self) -> list[Literal]:
        """Literals of the option that do not hold."""
        return [one for one in self.literals if not self.holds(one)]

    def cost(self, option: int) -> float:
        """A guess at the seconds until an option holds."""
        senses, navigator, tags = self._actor.senses, self._actor.navigator, self._gadget == TAG
        missing = [one for one in self.options[option] if not self.holds(one)]
        cost = sum(costs.seconds(one, senses, navigator, self._cast, tags) for one in missing)
        return cost + (_SHUNNED_COST if self._shunned.get(option, -1) > senses.step else 0.0)

    def choose_option(self, restless: bool) -> None:
        """Take the cheapest option, or stay with that which is pursued as long as it comes closer."""
        step = self._actor.senses.step
        here = self.cost(self.option)
        if here < self._least - _PROGRESS or here == 0.0:
            self._least, self._since = here, step
        if not self._chosen or step - self._since > _PATIENCE:
            if self._chosen:
                self._shunned[self.option] = step + _SHUNNED
                self.attempt += 1
            self._take(min(range(len(self.options)), key=self.cost))
        elif restless and here > 0.0 and len(self.options) > 1:
            cheapest = min(range(len(self.options)), key=self.cost)
            if self.cost(cheapest) < here - _MARGIN:
                self._take(cheapest)

    def choose_intent(self, intent: Intent, placing: bool, eyes: dict[int, tuple]) -> Intent:
        """What to do next for the option.

        Args:
            intent: What is being done.
            placing: Whether it is to carry something, which is being put down.
            eyes: Of the other players, see :func:`~procgen_bench.envs.xland.scripted.aims.own_wishes`.
        """
        senses, pending = self._actor.senses, self.pending()
        if placing and pending and senses.held == intent.body and not intent.keep:
            return intent
        to_hold = self._to_hold()
        if pending:
            tagged = self._whom_to_tag(pending)
            if tagged is not None:
                return Intent(AIM, tagged)
        carried = self._what_to_carry(pending, intent, to_hold, eyes)
        rival = self._who_holds([carried.body] if carried is not None else [k for k in to_hold if pending])
        if rival is not None:
            return Intent(AIM, rival)
        if carried is not None:
            return carried
        for k in to_hold:
            if senses.held == k:
                if intent.kind in (TAKE, LIFT, CARRY) and intent.body == k and (intent.keep or not pending):
                    return intent
                return Intent(LIFT, k)
        if to_hold:
            present = [k for k in to_hold if senses.present[k]]
            if present:
                return Intent(TAKE, min(present, key=lambda k: costs.to(k, senses, self._actor.navigator)))
        if not pending and intent.kind in (CARRY, LIFT) and senses.held == intent.body and self.may_hold(intent.body):
            return intent._replace(keep=True)
        return Intent(BE)

    def _take(self, option: int) -> None:
        self.option, self._chosen = option, True
        self._least, self._since = self.cost(option), self._actor.senses.step

    def _to_hold(self) -> list[int]:
        """Objects that the option wants the player to hold."""
        wanted = [one for one in self.literals if one.relation == HOLD and one.first == ME and one.wanted]
        return [k for one in wanted for k in self._cast.bodies(one.second)]

    def may_hold(self, k: int) -> bool:
        """Whether the option lets the player hold an object."""
        for one in self.literals:
            if one.relation == HOLD and one.first == ME and not one.wanted and k in self._cast.bodies(one.second):
                return False
        return True

    def _whom_to_tag(self, pending: list[Literal]) -> int | None:
        """A body whose going would make a literal hold."""
        if self._gadget != TAG:
            return None
        senses = self._actor.senses
        for one in pending:
            if one.wanted:
                continue
            if OPPONENT in (one.first, one.second):
                others = self._cast.there(OPPONENT, senses)
                if one.relation == HOLD:
                    k = self._cast.bodies(one.second)
                    held = self._simulation.states.held[0]
                    others = [body for body in others if held[body - senses.num_objects, k].any()]
                elif one.relation == ON:
                    floor = one.second - FIRST_FLOOR
                    others = [body for body in others if self._simulation.states.contacts[0, body, floor]]
                if others:
                    return others[0]
            elif one.first < ME and not self._may_hold_any(one):
                return next(iter(self._cast.there(one.first, senses)), None)
        return None

    def _who_holds(self, objects: list[int]) -> int | None:
        """Another player whose going would free one of some objects."""
        if self._gadget != TAG or not objects:
            return None
        senses, held = self._actor.senses, self._simulation.states.held[0]
        holders = [body for body in senses.others if held[body - senses.num_objects, objects].any()]
        return holders[0] if holders else None

    def _may_hold_any(self, one: Literal) -> bool:
        return all(self.may_hold(k) for k in self._cast.bodies(one.first))

    def threat(self, intent: Intent) -> int | None:
        """What to use the gadget on meanwhile, before it breaks the goal or takes what is wanted: somebody in sight, or
        about to come back in sight, or an object that rolls."""
        senses = self._actor.senses
        if senses.cooldown > 2:
            return None
        if senses.held >= 0:
            return self._attacker() if self.pending() else None
        rests = intent.kind == BE and not self.pending()
        rivalry = any(not one.wanted and OPPONENT in (one.first, one.second) for one in self.literals)
        if self._gadget == TAG and (rivalry or intent.kind in (TAKE, CARRY, LIFT)):
            for body in self._expected_soon(math.inf if rests else _SOON):
                if self._actor.could_hit(body):
                    return body
        return self._what_rolls() if rests else None

    def _attacker(self) -> int | None:
        """A player that can tag this one, and turns to it: worth to let go of what is held, on the way."""
        if self._gadget != TAG:
            return None
        senses, simulation = self._actor.senses, self._simulation
        gadgets, yaws = simulation.task.world.player_gadgets, simulation.states.player_yaws[0]
        for body in self._cast.there(OPPONENT, senses):
            other = body - senses.num_objects
            x, y, _ = senses.places[body]
            off = wrap(math.atan2(senses.y - y, senses.x - x) - float(yaws[other]))
            if gadgets[other] == TAG and abs(off) < _TURNED_TO and self._actor.could_hit(body):
                return body
        return None

    def _expected_soon(self, steps: float) -> list[int]:
        """Other players that are there or come back within so many steps."""
        gone = self._simulation.effects.gone
        return [body for body in self._cast.bodies(OPPONENT) if gone[body] <= steps]

    def _what_rolls(self) -> int | None:
        """An object of the option in motion, on which the gadget works."""
        for one in self.literals:
            for entity in (one.first, one.second):
                if entity >= ME or one.relation == HOLD or one.first == ME:
                    continue
                for k in self._cast.there(entity, self._actor.senses):
                    if k == self._actor.senses.held or self._simulation.effects.frozen[k]:
                        continue
                    moves = abs(self._simulation.bodies.object_motions[k, :3]).max() > _ROLLS
                    if moves and (self._gadget == FREEZE or not one.wanted):
                        return k
        return None

    def _what_to_carry(
        self, pending: list[Literal], intent: Intent, to_hold: list[int], eyes: dict[int, tuple]
    ) -> Intent | None:
        """An object to be brought where literals hold, and that place: the one that is being carried, or the cheapest
        of those that are not to be held, or else of those that are."""
        senses, navigator = self._actor.senses, self._actor.navigator
        found: dict[int, tuple[float, int]] = {}
        for one in pending:
            for entity in self._subjects(one):
                for k in self._cast.there(entity, senses):
                    others = sum(other.involves(entity) for other in self.literals)
                    cost = costs.to(k, senses, navigator) + 3.0 * others + (1000.0 if k in to_hold else 0.0)
                    if self.attempt % 2 == 1:
                        cost -= 6.0 * others
                    if any(other.relation == ON and other.involves(entity) for other in pending):
                        cost -= 30.0
                    if intent.kind in (CARRY, LIFT) and intent.body == k:
                        cost -= 500.0
                    found[k] = min(found.get(k, (math.inf, entity)), (cost, entity))
        for k in sorted(found, key=lambda body: found[body]):
            entity = found[k][1]
            missing = sum(one.weight for one in pending if one.involves(entity))
            if k in to_hold and senses.held != k:
                return None  # it is taken first
            carried, unmet = self._carry(k, entity, pending, intent, k in to_hold, eyes)
            if unmet < missing:
                return carried
        return None

    def _subjects(self, one: Literal) -> list[int]:
        """Objects that can be moved to make a literal hold."""
        if one.relation == HOLD:
            return [one.second] if one.first == OPPONENT and not one.wanted else []
        if ME in (one.first, one.second):
            return []
        return [entity for entity in (one.first, one.second) if entity < ME]

    def _carry(
        self, k: int, entity: int, pending: list[Literal], intent: Intent, keep: bool, eyes: dict[int, tuple]
    ) -> tuple[Intent, float]:
        """How to bring an object where most literals hold, and the weight of those that will not."""
        senses, navigator = self._actor.senses, self._actor.navigator
        wishes = object_wishes(entity, k, self.literals, senses, self._cast, eyes)
        loyal_to = navigator.cell(intent.x, intent.y) if intent.kind == CARRY and intent.body == k else None
        row, column, _, unmet = navigator.place(
            joined(wishes), senses.radii[k], senses.halves[k], senses.rests[k], loyal_to
        )
        lifts = any(one.relation == ON and not one.wanted and one.first == entity for one in pending)
        if lifts and (row < 0 or unmet) and self.may_hold(k):
            return Intent(LIFT, k), 0.0
        if row < 0:
            return Intent(BE), math.inf
        x, y, floor = navigator.middle(row, column)
        return Intent(CARRY, k, x, y, floor + senses.rests[k], keep), unmet
