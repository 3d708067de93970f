"""ScriptedParticipant: a player that sees everything, plans on the topology graph, and acts by the same six numbers."""

import math

import numpy as np

from procgen_bench.envs.xland.actions import ACTION_CHOICES, GADGET, NOOP
from procgen_bench.envs.xland.beam import EYE_ABOVE_CENTRE
from procgen_bench.envs.xland.participants import Participant
from procgen_bench.envs.xland.scripted import skills
from procgen_bench.envs.xland.scripted.actor import Actor
from procgen_bench.envs.xland.scripted.building import Builder
from procgen_bench.envs.xland.scripted.guarding import threat
from procgen_bench.envs.xland.scripted.literals import Cast, Literal, options_of, undone
from procgen_bench.envs.xland.scripted.luring import TURNING, Bait, find_bait
from procgen_bench.envs.xland.scripted.places import SPOT, wish
from procgen_bench.envs.xland.scripted.planning import Planner
from procgen_bench.envs.xland.scripted.pursuit import Pursuit
from procgen_bench.envs.xland.scripted.skills import AIM, BE, CARRY, LIFT, PURSUE_BODY, TAKE, Intent
from procgen_bench.envs.xland.scripted.tempers import FOLLOW, HUNT, OPPOSE, STRONGEST, Temper
from procgen_bench.envs.xland.scripted.watching import watch
from procgen_bench.envs.xland.scripted.wishes import joined, own_wishes, unseen
from procgen_bench.envs.xland.simulation import XLandSimulation
from procgen_bench.tasks.xland.entities import TAG
from procgen_bench.tasks.xland.predicates.atom_table import ME, SEE

#: Steps of getting out of a corner.
_DODGE_STEPS = 4
#: Steps for which a player opposes another once it has begun to.
_OPPOSITION = 40
#: Steps for which a player aims at a threat while it has other things to do, and for which it then does those.
_VIGILANCE, _NEGLIGENCE = 20, 30
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
        self._next_thought, self._dodging = 0, 0
        self._dodge = NOOP
        self._opposing = 0
        self._threat: int | None = None
        self._bait: Bait | None = None
        self._vigilant_until = _VIGILANCE
        gadgets = simulation.task.world.player_gadgets.tolist()
        others = self._actor.senses.others if self.temper.foresight else []
        self._foes = [body for body in others if gadgets[body - self._actor.senses.num_objects] == TAG]
        self._hurries = self.temper.contends and bool(self._foes)
        self._options = [options_of(goal, number) for number, goal in enumerate(simulation.task.game.goals)]
        self._own = self._planner = self._plan(self._options[seat])

    def _plan(self, options: list[list[Literal]]) -> Planner:
        return Planner(
            [Pursuit(literals, self.simulation, self._actor, self._cast, self.temper.contends) for literals in options],
            self._hurries,
        )

    def act(self) -> np.ndarray:
        """What it does in the simulation's next step: int64 (6,)."""
        actor, temper = self._actor, self.temper
        actor.begin_step()
        senses = actor.senses
        blunder = None
        if temper.blunders and self.rng.random() < temper.blunders:
            blunder = self.rng.integers(0, ACTION_CHOICES)
        if not senses.present[senses.body]:
            self._next_thought, self._vigilant_until = senses.step + 1, senses.step + _VIGILANCE
            return actor.deed
        took = self._hurries and self._intent.kind == TAKE and senses.held == self._intent.body
        if took or senses.step >= self._next_thought:
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
            if self._hurries and actor.deed[GADGET] and self._planner.pursuit.to_hold():
                self._next_thought = senses.step + 1  # what it has let go of for that is taken again at once
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
        self._threat = self._face_threat(intent) if self.temper.foresight else None
        actor.hastes = self._hurries and senses.held in self._planner.pursuit.to_hold()
        wishes = skills.where_to(intent, actor, self._closer)
        if self._bait is not None:
            x, y = self._bait.stand
            self._go(wish(SPOT, 10.0, x=x, y=y, radius=0.1))
            return
        if self._minds_goal():
            pursuit = self._planner.pursuit
            wishes += own_wishes(pursuit.literals, pursuit.pending(), senses, self._cast, self._eyes())
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

    def _face_threat(self, intent: Intent) -> int | None:
        """What to aim at besides the intent; for a while only, as something may stand between that ground does not."""
        senses, step = self._actor.senses, self._actor.senses.step
        body = threat(self._planner.pursuit, intent)
        if body is None or senses.cooldown or not senses.present[body]:
            self._vigilant_until = step + _VIGILANCE
        elif intent.kind != BE and step > self._vigilant_until:
            if step > self._vigilant_until + _NEGLIGENCE:
                self._vigilant_until = step + _VIGILANCE
            return None
        return body

    def _minds_goal(self) -> bool:
        """Whether it is after a goal, rather than after the other players."""
        return self.temper.purpose not in (HUNT, FOLLOW) or not self._actor.senses.others

    def _choose(self) -> Intent:
        senses, purpose = self._actor.senses, self.temper.purpose
        if not self._minds_goal():
            here = (senses.x, senses.y, senses.z)
            body = min(senses.others, key=lambda other: math.dist(senses.places[other], here))
            return Intent(AIM if purpose == HUNT else PURSUE_BODY, body)
        if purpose == OPPOSE:
            self._choose_whom_to_oppose()
        attempt = self._planner.attempt
        self._planner.choose_option(self.temper.restless)
        if self._planner.attempt > attempt:
            self._get_out()
            self._closer = 1.0
        placing = self._intent.kind == CARRY and self._placing > 0
        if self.temper.contends:
            pursuit, others = self._planner.pursuit, [one for one in range(senses.num_players) if one != self.seat]
            self._bait = find_bait(pursuit, pursuit.pending(), [self._options[other] for other in others])
            if self._bait is not None:
                return Intent(BE)
        return self._planner.choose_intent(self._intent, placing, self._eyes())

    def _choose_whom_to_oppose(self) -> None:
        """Undo an option that rewards another player; without one, mind the own goal."""
        senses = self._actor.senses
        if self._opposing > senses.step:
            return
        self._planner = self._own
        for seat in range(senses.num_players):
            if seat == self.seat or not self.simulation.rewards[seat]:
                continue
            for option in self._options[seat]:
                if all(self._own.pursuit.holds(one) for one in option):
                    self._planner = self._plan([[undone(one)] for one in option])
                    self._opposing = senses.step + _OPPOSITION
                    return

    def _hides(self) -> bool:
        """Whether it is to stay out of another player's sight, which has to be thought of in every step."""
        return any(
            one.relation == SEE and one.second == ME and not one.wanted for one in self._planner.pursuit.literals
        )

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
        elif intent.keep and actor.senses.held == intent.body and not self._planner.pursuit.pending():
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
        if not self._planner.pursuit.pending() and self._planner.pursuit.may_hold(self._intent.body):
            self._intent = self._intent._replace(keep=True)
        else:
            self._actor.let_go()
            self._intent, self._next_thought = Intent(BE), self._actor.senses.step + 2

    def _be(self) -> None:
        """Be where one is wanted, and look where that matters."""
        actor, senses = self._actor, self._actor.senses
        walks = actor.walk()
        if self._bait is not None and senses.away(*self._bait.stand) < TURNING:
            actor.look(math.atan2(senses.y - self._bait.y, senses.x - self._bait.x), 0.0)
            return
        if not watch(self._planner.pursuit) and walks:
            actor.look_ahead(skills.CARRY_PITCH if senses.held >= 0 else 0.0)

    def _get_out(self) -> None:
        """Walk some steps in a random direction, and then think again."""
        self._dodge = (*self.rng.integers(0, ACTION_CHOICES[:2]).tolist(), *NOOP[2:])
        self._dodging, self._next_thought = _DODGE_STEPS, self._actor.senses.step + _DODGE_STEPS
        self._closer = max(0.5, self._closer * 0.8)
        self._placing = 0
