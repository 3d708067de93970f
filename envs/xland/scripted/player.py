"""ScriptedParticipant: a player that sees everything, plans on the topology graph, and acts by the same six numbers."""

import math

import numpy as np

from procgen_bench.envs.xland.actions import ACTION_CHOICES, NOOP
from procgen_bench.envs.xland.beam import EYE_ABOVE_CENTRE
from procgen_bench.envs.xland.participants import Participant
from procgen_bench.envs.xland.scripted import skills
from procgen_bench.envs.xland.scripted.actor import Actor
from procgen_bench.envs.xland.scripted.aims import Cast, joined, options_of, own_wishes, undone, unseen
from procgen_bench.envs.xland.scripted.bridging import Builder
from procgen_bench.envs.xland.scripted.gaze import best_gaze
from procgen_bench.envs.xland.scripted.planning import Planner
from procgen_bench.envs.xland.scripted.skills import AIM, BE, CARRY, LIFT, PURSUE_BODY, TAKE, Intent
from procgen_bench.envs.xland.scripted.tempers import FOLLOW, HUNT, OPPOSE, STRONGEST, Temper
from procgen_bench.envs.xland.simulation import XLandSimulation
from procgen_bench.errors import InvalidOptionError
from procgen_bench.tasks.xland.entities import TAG
from procgen_bench.tasks.xland.games.atoms import ATOMS
from procgen_bench.tasks.xland.games.goal import Goal
from procgen_bench.tasks.xland.predicates.atom_table import ME, SEE

#: Steps of getting out of a corner.
_DODGE_STEPS = 4
#: Steps for which a player opposes another once it has begun to.
_OPPOSITION = 40
#: Metres of way that it is worth to be where nobody who tags can aim at one.
_UNSEEN = 6.0


class ScriptedParticipant(Participant):
    """Plays a seat by rules: a frozen part of the evaluation.

    It picks the cheapest option of its goal, keeps of it what holds, works at what does not, and tries another way or
    option when nothing comes of it.

    Args:
        temper: How well it plays, and what it is after.
    """

    def __init__(self, temper: Temper = STRONGEST):
        self.temper = temper

    def begin(self, simulation: XLandSimulation, seat: int, rng: np.random.Generator) -> None:
        """Take a seat; the topology of its world is worked out here."""
        super().begin(simulation, seat, rng)
        self._actor = Actor(simulation, seat, self.temper)
        self._cast = Cast(simulation, self._actor.senses)
        self._builder = Builder(simulation, self._actor)
        self._intent, self._placing, self._closer = Intent(BE), 0, 1.0
        self._next_thought, self._dodging, self._gaze = 0, 0, None
        self._dodge = NOOP
        self._opposing = 0
        self._threat: int | None = None
        gadgets = simulation.task.world.player_gadgets.tolist()
        others = self._actor.senses.others if self.temper.foresight else []
        self._foes = [body for body in others if gadgets[body - self._actor.senses.num_objects] == TAG]
        self.for_goal(simulation.task.game.goals[seat])

    def for_goal(self, goal: Goal) -> None:
        """Pursue a goal from now on: that of the seat, which :meth:`begin` takes up, or a part of it.

        Raises:
            InvalidOptionError: It names an atom that the seat's goal does not: the simulation does not evaluate it.
        """
        for atom in sorted(set(goal.atoms.tolist()) - set(self.simulation.task.game.goals[self.seat].atoms.tolist())):
            raise InvalidOptionError(f"the goal names {ATOMS[atom]}, expected atoms of the seat's goal")
        options = options_of(goal, self.seat)
        self._own = self._planner = Planner(options, self.simulation, self._actor, self._cast)

    def act(self) -> np.ndarray:
        """What it does in the simulation's next step."""
        actor, temper = self._actor, self.temper
        actor.begin_step()
        senses = actor.senses
        blunder = None
        if temper.blunders and self.rng.random() < temper.blunders:
            blunder = self.rng.integers(0, ACTION_CHOICES)
        if not senses.present[senses.body]:
            self._next_thought = senses.step + 1
            return actor.deed
        if senses.step >= self._next_thought:
            self._think()
            self._next_thought = senses.step + (1 if temper.foresight and self._hides() else temper.reaction)
        if self._builder.bridge is not None:
            self._builder.perform()
        elif self._dodging:
            self._dodging -= 1
            actor.deed[:4] = self._dodge[:4]
            if senses.held >= 0:
                actor.grab()
        else:
            self._perform()
            if actor.navigator.notice(senses, actor.walks):
                self._get_out()
        return actor.deed if blunder is None else blunder

    # -- deciding -------------------------------------------------------------------------------------------------

    def _think(self) -> None:
        """Survey the ways, choose what to do, and where to stand for it."""
        actor, senses = self._actor, self._actor.senses
        actor.navigator.survey(senses, self.simulation.effects.frozen.tolist())
        if self._builder.bridge is not None:
            self._builder.think()
            return
        intent = self._choose()
        if intent[:2] != self._intent[:2]:
            self._placing, self._closer = 0, 1.0
        self._intent = intent
        self._threat = self._planner.threat(intent) if self.temper.foresight else None
        wishes = skills.where_to(intent, actor, self._closer)
        if intent.kind != PURSUE_BODY:
            wishes += own_wishes(self._planner.literals, self._planner.pending(), senses, self._cast, self._eyes())
        if wishes and self._foes:
            eyes = self._eyes()
            wishes += unseen({foe: eyes[foe] for foe in self._foes}, _UNSEEN)
        if intent.kind == BE and not wishes:
            actor.navigator.set_goal(None)
            return
        self._go(joined(wishes))

    def _go(self, wishes: np.ndarray) -> None:
        """Walk to where wishes are met; where no way leads there, bridge what is between."""
        navigator = self._actor.navigator
        row, column, _, unmet = navigator.stand(wishes)
        navigator.set_goal((row, column) if row >= 0 else None)
        if unmet and self._builder.slabs:
            self._builder.look_for_bridge(wishes, unmet)

    def _choose(self) -> Intent:
        senses, purpose = self._actor.senses, self.temper.purpose
        if purpose in (HUNT, FOLLOW) and senses.others:
            here = (senses.x, senses.y, senses.z)
            body = min(senses.others, key=lambda other: math.dist(senses.places[other], here))
            return Intent(AIM if purpose == HUNT else PURSUE_BODY, body)
        if purpose == OPPOSE:
            self._choose_whom_to_oppose()
        self._planner.choose_option(self.temper.restless)
        placing = self._intent.kind == CARRY and self._placing > 0
        return self._planner.choose_intent(self._intent, placing, self._eyes())

    def _choose_whom_to_oppose(self) -> None:
        """Undo an option that rewards another player; without one, mind the own goal."""
        senses = self._actor.senses
        if self._opposing > senses.step:
            return
        self._planner = self._own
        for seat, goal in enumerate(self.simulation.task.game.goals):
            if seat == self.seat or not self.simulation.rewards[seat]:
                continue
            for option in options_of(goal, seat):
                if all(self._own.holds(one) for one in option):
                    options = [[undone(one)] for one in option]
                    self._planner = Planner(options, self.simulation, self._actor, self._cast)
                    self._opposing = senses.step + _OPPOSITION
                    return

    def _hides(self) -> bool:
        """Whether it is to stay out of another player's sight, which has to be thought of in every step."""
        return any(one.relation == SEE and one.second == ME and not one.wanted for one in self._planner.literals)

    def _eyes(self) -> dict[int, tuple]:
        """Where the eyes of the other players are, and where they look, by body."""
        senses, players = self._actor.senses, self.simulation.players
        found = {}
        for body in senses.others:
            x, y, z = senses.places[body]
            player = players[body - senses.num_objects]
            found[body] = x, y, z + EYE_ABOVE_CENTRE, float(player["yaw"]), float(player["pitch"])
        return found

    # -- doing ----------------------------------------------------------------------------------------------------

    def _perform(self) -> None:
        actor, intent = self._actor, self._intent
        if self._threat is not None:
            skills.perform_aim(Intent(AIM, self._threat), actor)
        elif intent.kind == TAKE:
            self._hold(intent)
        elif intent.kind == LIFT:
            skills.perform_lift(intent, actor)
        elif intent.keep and actor.senses.held == intent.body and not self._planner.pending():
            actor.grab()  # it is where it is to be
        elif intent.kind == CARRY:
            self._placing, there = skills.perform_carry(intent, actor, self._placing)
            if there and not intent.keep:
                self._put_down()
        elif intent.kind == AIM:
            skills.perform_aim(intent, actor)
        elif intent.kind == PURSUE_BODY:
            skills.perform_pursuit(intent, actor)
        else:
            self._be()

    def _hold(self, intent: Intent) -> None:
        if self._actor.senses.held == intent.body:
            self._actor.grab()
            self._be()
        else:
            skills.perform_take(intent, self._actor)

    def _put_down(self) -> None:
        """Let go of what has been brought; where the goal holds, it is kept from others."""
        if not self._planner.pending() and self._planner.may_hold(self._intent.body):
            self._intent = self._intent._replace(keep=True)
        else:
            self._actor.let_go()
            self._intent, self._next_thought = Intent(BE), self._actor.senses.step + 2

    def _be(self) -> None:
        """Be where one is wanted, and look where that matters."""
        actor, senses = self._actor, self._actor.senses
        walks = actor.walk()
        things = self._to_see()
        if things:
            yaw, pitch = self._best_gaze(things)
            actor.look(yaw, pitch)
        elif walks:
            actor.look_ahead(skills.CARRY_PITCH if senses.held >= 0 else 0.0)

    def _to_see(self) -> list[tuple]:
        """What is to be in the picture and what is not: centre, radius, and 1 or -1."""
        senses, found = self._actor.senses, []
        for one in self._planner.literals:
            if one.relation != SEE or one.first != ME:
                continue
            bodies = self._cast.there(one.second, senses)
            for body in bodies[:1] if one.wanted else bodies:
                found.append((*senses.places[body], senses.radii[body] + 0.3, 1.0 if one.wanted else -1.0))
        return found

    def _best_gaze(self, things: list[tuple]) -> tuple[float, float]:
        senses = self._actor.senses
        if len(things) == 1 and things[0][-1] > 0 and senses.held < 0:
            x, y, z = things[0][:3]
            return math.atan2(y - senses.y, x - senses.x), math.atan2(z - senses.eye, senses.away(x, y))
        held_angle = 0.0
        if senses.held >= 0:
            held_angle = math.atan2(senses.radii[senses.held] * 1.6, max(senses.distance, 0.5))
        centre = np.array([senses.x, senses.y, senses.z])
        return best_gaze(centre, senses.yaw, senses.pitch, np.array(things), held_angle)

    def _get_out(self) -> None:
        """Walk some steps in a direction drawn by chance, and then think again."""
        self._dodge = (*self.rng.integers(0, ACTION_CHOICES[:2]).tolist(), *NOOP[2:])
        self._dodging, self._next_thought = _DODGE_STEPS, self._actor.senses.step + _DODGE_STEPS
        self._closer = max(0.5, self._closer * 0.8)
        self._placing = 0
