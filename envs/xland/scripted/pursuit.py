"""Pursuit: the literals of one option of a goal, as a player has them before it."""

from procgen_bench.envs.xland.scripted.actor import Actor
from procgen_bench.envs.xland.scripted.literals import Cast, Literal
from procgen_bench.envs.xland.simulation import XLandSimulation
from procgen_bench.tasks.xland.predicates.atom_table import HOLD, ME


class Pursuit:
    """One option and all that it takes to judge it.

    Attributes:
        literals: The option's.
        simulation, actor, cast: The player's.
        gadget: What it carries.
        contends: Whether the player keeps what it has from others, see :class:`Temper`.
    """

    def __init__(self, literals: list[Literal], simulation: XLandSimulation, actor: Actor, cast: Cast, contends: bool):
        self.literals, self.simulation, self.actor, self.cast = literals, simulation, actor, cast
        self.contends = contends
        self.gadget = int(simulation.task.world.player_gadgets[actor.senses.seat])

    def holds(self, one: Literal) -> bool:
        """Whether a literal does."""
        return bool(self.simulation.truths[0, one.judge, one.atom]) == one.wanted

    def pending(self) -> list[Literal]:
        """Literals that do not hold."""
        return [one for one in self.literals if not self.holds(one)]

    def to_hold(self) -> list[int]:
        """Objects that the option wants the player to hold."""
        wanted = [one for one in self.literals if one.relation == HOLD and one.first == ME and one.wanted]
        return [k for one in wanted for k in self.cast.bodies(one.second)]

    def may_hold(self, k: int) -> bool:
        """Whether the option lets the player hold an object."""
        for one in self.literals:
            if one.relation == HOLD and one.first == ME and not one.wanted and k in self.cast.bodies(one.second):
                return False
        return True
