"""The quadruped ("ant") and its world as a MuJoCo model."""

from functools import cache
from string import Template

import mujoco

from procgen_bench.tasks.ant_maze.maze import HIGH, LOW, WALL_X, WALL_Y

NUM_JOINTS = 8
#: Greatest torque at a joint, newton metres: the paper's actions.
MAX_TORQUE = 30.0
#: Seconds of one step of the physics, and how many of them one action lasts: 0.1 s.
#: MuJoCo resolves contacts over a time of 0.02 s, of which two steps are the most that it takes faithfully.
TIMESTEP, FRAME_SKIP = 0.01, 10
STEP_SECONDS = TIMESTEP * FRAME_SKIP
#: Height of the torso's centre, and the angles of hips and ankles (radians), when an episode begins.
START_HEIGHT, START_HIP, START_ANKLE = 0.55, 0.0, 1.0

#: Height of the wall inside, several times what an ant that rears can reach; those around it have no end.
WALL_HEIGHT = 16.0
#: How high walls are drawn (low enough to show what they enclose), and how thick the outer ones.
SEEN_HEIGHT, SEEN_THICKNESS = 4.0, 8.0

#: Pixels of the sides of the picture that MuJoCo keeps room for.
FRAME_SIDE = 480

# One leg for each diagonal, at quarter turns: a positive hip angle turns it to its left, a positive ankle angle bends
# the foot down. Euler integration is implicit in the joints' damping, the only stiff part of this machine besides its
# contacts; a higher order buys nothing where feet strike the ground, at four times the cost.
_WORLD = Template("""
<mujoco model="ant maze">
  <compiler angle="degree" autolimits="true" inertiafromgeom="true"/>
  <option timestep="$timestep" integrator="Euler"><flag autoreset="disable"/></option>
  <visual>
    <global offwidth="$frame_side" offheight="$frame_side"/>
    <headlight ambient="0.5 0.5 0.5" diffuse="0.35 0.35 0.35" specular="0 0 0"/>
    <quality offsamples="2"/>
  </visual>
  <default>
    <joint armature="1" damping="1"/>
    <geom contype="1" conaffinity="0" condim="3" density="5" friction="1 0.5 0.5" margin="0.01"/>
    <default class="world"><geom contype="0" conaffinity="1"/></default>
    <default class="felt"><geom contype="0" conaffinity="1" group="3"/></default>
    <default class="seen"><geom contype="0" conaffinity="0"/></default>
  </default>
  <asset>
    <texture name="squares" type="2d" builtin="checker" rgb1="0.93 0.92 0.89" rgb2="0.87 0.86 0.83"
             width="128" height="128"/>
    <material name="floor" texture="squares" texrepeat="0.25 0.25" texuniform="true"/>
    <material name="wall" rgba="0.36 0.40 0.47 1"/>
    <material name="ant" rgba="0.82 0.25 0.20 1"/>
    <material name="foot" rgba="0.62 0.16 0.13 1"/>
  </asset>
  <worldbody>
    <light directional="true" castshadow="false" pos="8 8 40" dir="0.4 0.5 -1" diffuse="0.6 0.6 0.6"/>
    <geom name="floor" class="world" type="plane" size="60 60 1" material="floor"/>
$walls
    <body name="torso" pos="0 0 $start_height">
      <freejoint name="root"/>
      <geom name="torso" type="sphere" size="0.25" material="ant"/>
$legs
    </body>
  </worldbody>
  <actuator>
$motors
  </actuator>
</mujoco>
""")

_LEG = Template("""
      <body name="leg_$number" pos="0 0 0">
        <geom type="capsule" fromto="0 0 0 $near 0" size="0.08" material="ant"/>
        <body name="thigh_$number" pos="$near 0">
          <joint name="hip_$number" type="hinge" axis="0 0 1" range="-30 30"/>
          <geom type="capsule" fromto="0 0 0 $near 0" size="0.08" material="ant"/>
          <body name="shin_$number" pos="$near 0">
            <joint name="ankle_$number" type="hinge" axis="$left 0" range="30 70"/>
            <geom type="capsule" fromto="0 0 0 $far 0" size="0.08" material="foot"/>
          </body>
        </body>
      </body>
""")

#: Directions of the legs, each a quarter turn to the left of the one before.
LEG_DIRECTIONS = ((1, 1), (-1, 1), (-1, -1), (1, -1))


@cache
def maze_model() -> mujoco.MjModel:
    """The ant in the U-maze; one model for every simulation of a process, never changed."""
    return mujoco.MjModel.from_xml_string(_world(_maze_walls()))


@cache
def plain_model() -> mujoco.MjModel:
    """The ant on an endless plain, where its controller learns."""
    return mujoco.MjModel.from_xml_string(_world(""))


def _world(walls: str) -> str:
    names = [f"{joint}_{leg}" for leg in range(1, len(LEG_DIRECTIONS) + 1) for joint in ("hip", "ankle")]
    motor = '    <motor name="{0}" joint="{0}" ctrlrange="-{1} {1}" gear="1"/>'
    return _WORLD.substitute(
        timestep=TIMESTEP,
        frame_side=FRAME_SIDE,
        start_height=START_HEIGHT,
        walls=walls,
        legs="".join(_leg(number, x, y) for number, (x, y) in enumerate(LEG_DIRECTIONS, start=1)),
        motors="\n".join(motor.format(name, MAX_TORQUE) for name in names),
    )


def _leg(number: int, x: int, y: int) -> str:
    return _LEG.substitute(number=number, near=f"{0.2 * x} {0.2 * y}", far=f"{0.4 * x} {0.4 * y}", left=f"{-y} {x}")


def _maze_walls() -> str:
    """The wall inside as a box, and around the maze half spaces, which nothing can cross, with boxes to look at."""
    beyond_low, beyond_high = LOW - SEEN_THICKNESS, HIGH + SEEN_THICKNESS
    middle = (LOW + HIGH) / 2
    return "\n".join(
        [
            _box("inner", "felt", WALL_X, WALL_Y, WALL_HEIGHT),
            _box("inner_seen", "seen", WALL_X, WALL_Y),
            _half_space("left", f"{LOW} {middle} 0", "1 0 0"),
            _half_space("right", f"{HIGH} {middle} 0", "-1 0 0"),
            _half_space("lower", f"{middle} {LOW} 0", "0 1 0"),
            _half_space("upper", f"{middle} {HIGH} 0", "0 -1 0"),
            _box("left_seen", "seen", (beyond_low, LOW), (beyond_low, beyond_high)),
            _box("right_seen", "seen", (HIGH, beyond_high), (beyond_low, beyond_high)),
            _box("lower_seen", "seen", (LOW, HIGH), (beyond_low, LOW)),
            _box("upper_seen", "seen", (LOW, HIGH), (HIGH, beyond_high)),
        ]
    )


def _box(name: str, kind: str, x: tuple[float, float], y: tuple[float, float], height: float = SEEN_HEIGHT) -> str:
    middle = f"{sum(x) / 2} {sum(y) / 2} {height / 2}"
    half = f"{(x[1] - x[0]) / 2} {(y[1] - y[0]) / 2} {height / 2}"
    return f'    <geom name="{name}" class="{kind}" type="box" pos="{middle}" size="{half}" material="wall"/>'


def _half_space(name: str, position: str, inward: str) -> str:
    return f'    <geom name="{name}" class="felt" type="plane" pos="{position}" zaxis="{inward}" size="20 20 1"/>'
