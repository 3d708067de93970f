"""The Sawyer arm: its tool keeps to the path, and what comes of a push is what comes of it with the tool alone."""

import numpy as np
import pybullet
import pytest

from procgen_bench.envs.table_push.kinematics import place_tip
from procgen_bench.envs.table_push.paths import TIME_STEP, PushPath, push_path
from procgen_bench.envs.table_push.pushing import PushOutcome, push
from procgen_bench.envs.table_push.sawyer import REST, SawyerArm, base_place, chain, joint_path
from procgen_bench.envs.table_push.scene import Scene
from procgen_bench.envs.table_push.simulation import TablePushSimulation
from procgen_bench.envs.table_push.tool import plate_boxes
from procgen_bench.tasks.table_push import TablePushTask, TablePushTaskSpace
from tests.envs.table_push.tables import open_table

SPACE = TablePushTaskSpace()
EXTENT = np.array([0.9, 0.6])
Pair = tuple[TablePushTask, int, int]


class WatchedArm(SawyerArm):
    """Notes how far the tool is from its path after every step."""

    def __init__(self):
        self.misses = []

    def begin(self, path):
        self._path = path
        super().begin(path)

    def drive(self, step):
        if step > 1:
            place = self._link_state()[4]
            self.misses.append(np.linalg.norm(place - self._path.positions[step - 1]))
        super().drive(step)

    def _link_state(self):
        return pybullet.getLinkState(
            self._body, self._tool, computeForwardKinematics=True, physicsClientId=self._client
        )


def random_pairs(count: int, seed: int) -> list[Pair]:
    """Tasks of the whole space, each with a push of a can that is there."""
    rng, pairs = np.random.default_rng(seed), []
    while len(pairs) < count:
        task = SPACE.decode(SPACE.sample(rng))
        if task.present.any():
            pairs.append((task, int(rng.choice(np.flatnonzero(task.present))), int(rng.integers(4))))
    return pairs


def outcomes(scene: Scene, pairs: list[Pair]) -> list[PushOutcome]:
    return [push(scene, task, task.objects, can, direction) for task, can, direction in pairs]


def agreement(pairs: list[Pair]) -> tuple[float, float]:
    """Shares of pairs after which all cans are within 5 mm with either arm, and which end alike."""
    tool, sawyer = outcomes(Scene(), pairs), outcomes(Scene(SawyerArm()), pairs)
    near = [np.allclose(a.positions, b.positions, rtol=0, atol=0.005, equal_nan=True) for a, b in zip(tool, sawyer)]
    alike = [(a.fallen, a.collided) == (b.fallen, b.collided) for a, b in zip(tool, sawyer)]
    # Pairs of every kind, or the shares say nothing.
    assert {(one.fallen, one.collided) for one in tool} >= {(False, False), (True, False), (False, True)}
    return float(np.mean(near)), float(np.mean(alike))


def test_outcomes_agree_with_the_tool():
    near, alike = agreement(random_pairs(20, seed=0))
    assert near >= 0.95 and alike >= 0.95


@pytest.mark.slow
def test_outcomes_agree_with_the_tool_on_500_pairs(capsys):
    near, alike = agreement(random_pairs(500, seed=1))
    with capsys.disabled():
        print(f"\n500 pairs: objects within 5 mm in {near:.1%}, terminations agree in {alike:.1%}")
    assert near >= 0.98 and alike >= 0.98


class MisplacedArm(SawyerArm):
    """Its tool is 1 cm ahead of where it ought to be, and as much aside."""

    def begin(self, path):
        x, y = path.direction
        super().begin(PushPath(path.positions + 0.01 * np.array([x - y, y + x, 0.0]), path.direction, path.yaw))


def test_another_path_would_be_noticed():
    pairs = [(open_table((x, 0.3)), 0, direction) for x in (0.3, 0.5) for direction in range(4)]
    for one, other in zip(outcomes(Scene(MisplacedArm()), pairs), outcomes(Scene(), pairs)):
        assert not np.allclose(one.positions[0], other.positions[0], rtol=0, atol=0.005)


def test_the_tool_keeps_to_its_path_while_it_pushes():
    arm = WatchedArm()
    outcomes(Scene(arm), random_pairs(30, seed=2))
    assert len(arm.misses) > 1000
    assert max(arm.misses) < 0.001
    assert np.quantile(arm.misses, 0.99) < 1e-4


def test_the_arm_reaches_the_whole_table_without_leaps():
    rng, arm, base = np.random.default_rng(3), chain(), base_place(EXTENT)
    jacobian = np.empty((6, 7))
    for number in range(200):
        path = push_path(rng.uniform((0, 0), EXTENT), number % 4)
        joints = joint_path(path, base)
        assert abs(np.diff(joints, axis=0)).max() / TIME_STEP < 8.0  # Radians a second.
        for step in (0, len(joints) // 2, -1):
            x, y, z = place_tip(arm.offsets, arm.rotations, joints[step], jacobian)[0]
            assert np.allclose(base + np.array([-y, x, z]), path.positions[step], atol=1e-4)


def test_pushes_that_begin_out_of_reach_are_not_made():
    joints = joint_path(push_path(np.array([3.0, 3.0]), 0), base_place(EXTENT))
    assert (joints == REST).all()


def test_a_path_that_leaves_the_reach_stops_there():
    base = base_place(EXTENT)
    path = push_path(np.array([0.45, 0.80]), 2)
    joints = joint_path(path, base)
    assert not (joints[0] == REST).all() and (joints[-1] == joints[-2]).all()


def test_a_push_leaves_nothing_behind():
    pairs = random_pairs(12, seed=4)
    scene = Scene(SawyerArm())
    forwards, backwards = outcomes(scene, pairs), outcomes(scene, pairs[::-1])[::-1]
    alone = [push(Scene(SawyerArm()), task, task.objects, can, direction) for task, can, direction in pairs]
    for one, other, single in zip(forwards, backwards, alone):
        assert np.array_equal(one.positions, other.positions, equal_nan=True)
        assert np.array_equal(one.positions, single.positions, equal_nan=True)


def test_the_targets_plans_solve_them_with_the_arm():
    suite = SPACE.suite("targets")
    for name, plan in zip(suite.task_names, suite.records["plan"]):
        simulation = TablePushSimulation(SawyerArm())
        simulation.load(suite[name])
        earned = [simulation.push(int(action)) for action in plan[plan >= 0]]
        assert earned[-1].success, name
        simulation.close()


def test_the_hand_holds_the_tool():
    """The plates in the arm's description are those of the tool that is driven alone."""
    scene = Scene(SawyerArm())
    scene.build(open_table((0.45, 0.3)), np.array([(0.45, 0.3), (np.nan, np.nan), (np.nan, np.nan)]))
    arm = scene.arm
    found = pybullet.getCollisionShapeData(arm._body, arm._tool, physicsClientId=scene.client)
    inertial = pybullet.getDynamicsInfo(arm._body, arm._tool, physicsClientId=scene.client)[3]
    middles, turns, half_sides = plate_boxes()
    ours = sorted(
        (*np.round(middle, 4), *np.round(2 * np.array(sides), 4)) for middle, sides in zip(middles, half_sides)
    )
    theirs = sorted((*np.round(np.add(plate[5], inertial), 4), *np.round(plate[3], 4)) for plate in found)
    assert np.allclose(ours, theirs, atol=2e-4)
    assert len(found) == len(turns)
