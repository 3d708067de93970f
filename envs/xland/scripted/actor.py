"""Actor: a scripted player's legs, eyes, hand and gadget, in one step of six numbers."""

import math

import numpy as np

from procgen_bench.envs.xland.actions import GADGET, GRAB, LOOK, MOVE, NOOP, STRAFE, TURN
from procgen_bench.envs.xland.scripted.navigation import Navigator
from procgen_bench.envs.xland.scripted.senses import Senses
from procgen_bench.envs.xland.scripted.steering import bearing, look_choice, pace_choice, turn_choice, wrap
from procgen_bench.envs.xland.scripted.tempers import Temper
from procgen_bench.envs.xland.simulation import XLandSimulation

_NOOP = np.array(NOOP)
#: Metres from the end of a way at which it has been walked.
_ARRIVED = 0.2
#: An object follows its beam at up to 4 m/s. From this mass on (kg), from this distance on (metres), and from this
#: circle on about the player (metres) it is swung slowly; and the player stands still for a swing as wide as this
#: (metres).
_HEAVY, _LONG, _NARROW_SWING, _WIDE_SWING = 40.0, 2.4, 1.1, 1.5
#: The same (metres) for a player in haste, which takes again what it loses.
_WIDEST_SWING = 6.0
#: Height of a player's head above its centre (metres), as it is aimed at.
_HEAD = 0.5


class Actor:
    """Carries out what a player decides.

    Attributes:
        senses, navigator: The player's.
        deed: int64 (6,), the action of this step.
        walks: Whether it wants to walk in this step.
        hastes: Whether it walks on while it swings what it holds.
        contends: Its temper's.
    """

    def __init__(self, simulation: XLandSimulation, seat: int, temper: Temper):
        self.senses, self.navigator = Senses(simulation, seat), Navigator(simulation.task.world)
        self._simulation, self._temper, self.contends = simulation, temper, temper.contends
        self._masses = simulation.bodies.objects["mass"].tolist()
        self._greatest_turn = temper.greatest_turn
        self._gait, self._swings, self.hastes = 0.0, False, False
        self._before = self.senses.places
        self.begin_step()

    def begin_step(self) -> None:
        """Look at the simulation, and intend to do nothing."""
        self._before = self.senses.places
        self.senses.refresh(self._simulation)
        self.deed = _NOOP.copy()
        self.walks = False

    # -- legs -----------------------------------------------------------------------------------------------------

    def walk(self) -> bool:
        """Go on to the navigator's goal, and whether it still walks."""
        heading = self.navigator.heading(self.senses)
        if heading is None:
            return False
        x, y, last = heading
        if last and self.senses.away(x, y) < _ARRIVED:
            return False
        self.step_towards(x, y, last)
        return True

    def step_towards(self, x: float, y: float, stops: bool) -> None:
        """Walk straight towards a point (metres), to ``stop`` there or to walk on."""
        senses = self.senses
        if self._swings and senses.held >= 0:
            return
        move, strafe = pace_choice(senses.yaw, x - senses.x, y - senses.y, senses.velocity, stops)
        self.walks = (move, strafe) != NOOP[:2]
        self._gait += self._temper.pace
        if self._gait >= 1.0:
            self._gait -= 1.0
            self.deed[MOVE], self.deed[STRAFE] = move, strafe

    def step_aside(self, body: int, target: int) -> None:
        """Walk a step sideways, so that a body does not stand between one's eye and a target for long."""
        senses = self.senses
        (x, y, _), (other_x, other_y, _) = senses.places[target], senses.places[body]
        ahead, aside = x - senses.x, y - senses.y
        side = -1.0 if ahead * (other_y - senses.y) > aside * (other_x - senses.x) else 1.0  # -1: to the right
        self.step_towards(senses.x - side * aside, senses.y + side * ahead, False)

    def nudge(self, ahead: float) -> None:
        """Walk one step forwards, or backwards where ``ahead`` is below 0."""
        self.deed[MOVE] = 2 if ahead > 0 else 0

    # -- eyes -----------------------------------------------------------------------------------------------------

    def look(self, yaw: float, pitch: float) -> float:
        """Turn towards a direction (radians), and by how much it is off."""
        off_yaw, off_pitch = wrap(yaw - self.senses.yaw), pitch - self.senses.pitch
        turn, look = self._nimbleness()
        self.deed[TURN], self.deed[LOOK] = turn_choice(off_yaw, turn), look_choice(off_pitch, look)
        swing = abs(off_pitch) + abs(off_yaw) * math.cos(self.senses.pitch)
        limit = _WIDEST_SWING if self.hastes else _WIDE_SWING
        self._swings = self.senses.held >= 0 and swing * self.senses.distance > limit
        return math.hypot(off_yaw, off_pitch)

    def _nimbleness(self) -> tuple[int, int]:
        """How fast it turns and looks: what it holds must not be swung faster than it can follow."""
        senses = self.senses
        if senses.held < 0:
            return self._greatest_turn, 2
        heavy = self._masses[senses.held] > _HEAVY
        far_out = senses.distance * math.cos(senses.pitch) > _NARROW_SWING
        return min(self._greatest_turn, 2 if heavy or far_out else 3), 1 if heavy or senses.distance > _LONG else 2

    def look_at(self, x: float, y: float, z: float) -> float:
        """Turn towards a point (metres), and by how many radians it is off."""
        senses = self.senses
        return self.look(*bearing(x - senses.x, y - senses.y, z - senses.eye))

    def look_ahead(self, pitch: float) -> None:
        """Look where the way leads, and up by ``pitch`` (radians)."""
        heading = self.navigator.heading(self.senses)
        if heading is None or self.senses.away(heading[0], heading[1]) < _ARRIVED:
            self.look(self.senses.yaw, pitch)
        else:
            self.look(math.atan2(heading[1] - self.senses.y, heading[0] - self.senses.x), pitch)

    def expected(self, body: int) -> tuple[float, float, float]:
        """Where a body will be in the next step, as it moves now (metres)."""
        (x, y, z), (old_x, old_y, old_z) = self.senses.places[body], self._before[body]
        east, north, up = x - old_x, y - old_y, z - old_z
        if abs(east) + abs(north) + abs(up) > 1.5:  # it has come back elsewhere
            return x, y, z
        return x + east, y + north, z + up

    def aiming_point(self, body: int) -> tuple[float, float, float]:
        """What of a body to aim at: where its centre will be, or a player's head where that alone can be seen."""
        senses = self.senses
        x, y, z = self.expected(body) if senses.present[body] else senses.places[body]
        if body >= senses.num_objects and not self.navigator.sees((senses.x, senses.y, senses.eye), (x, y, z)):
            z += _HEAD
        return x, y, z

    def sees(self, body: int) -> bool:
        """Whether no ground stands between its eye and a body's centre."""
        senses = self.senses
        return self.navigator.sees((senses.x, senses.y, senses.eye), senses.places[body])

    def could_hit(self, body: int) -> bool:
        """Whether no ground stands between its eye and what of a body it would aim at."""
        senses = self.senses
        return self.navigator.sees((senses.x, senses.y, senses.eye), self.aiming_point(body))

    def aimed_at(self) -> tuple[int, float]:
        """The body on its view axis (-1: none), and how far away its surface is (metres)."""
        senses = self.senses
        cos = math.cos(senses.pitch)
        axis = np.array([cos * math.cos(senses.yaw), cos * math.sin(senses.yaw), math.sin(senses.pitch)])
        eye = np.array([senses.x, senses.y, senses.eye])
        distance, body, _ = self._simulation.bodies.ray(eye, axis, senses.seat)
        return body, distance

    # -- hand and gadget --------------------------------------------------------------------------------------------

    def grab(self) -> None:
        """Hold on to what is held, or take what is on the view axis."""
        self.deed[GRAB] = 1

    def let_go(self) -> None:
        """Hold on to nothing."""
        self.deed[GRAB] = 0

    def use_gadget(self) -> None:
        """Use the gadget on what is on the view axis."""
        self.deed[GADGET] = 1
