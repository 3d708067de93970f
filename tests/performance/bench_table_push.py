"""TablePush's pushes with both arms and what they spend, beside a push by PyBullet's own Kuka: ``make bench``.

No time is asserted. A round plays the recorded plans of all targets, but for the shares, which are of pushes there.
"""

import dataclasses
import itertools

import numpy as np
import pybullet_data
import pytest

import procgen_bench.envs.table_push.pushing as pushing
from procgen_bench.envs.table_push import TablePushEnv, TablePushVectorEnv
from procgen_bench.envs.table_push.engine import pybullet
from procgen_bench.envs.table_push.observations import observe
from procgen_bench.envs.table_push.paths import push_path
from procgen_bench.envs.table_push.remembered import RememberedPushes
from procgen_bench.envs.table_push.scene import Scene
from procgen_bench.tasks.table_push import TablePushTask, TablePushTaskSpace
from procgen_bench.tasks.table_push.task import on_grid
from tests.performance.stepping import (
    in_processor_seconds,
    in_wall_seconds,
    start_up_programs,
    time_start_up,
    time_steps,
)

SUITE = TablePushTaskSpace().suite("targets")
#: The targets that both arms reach over all of the table.
NAMES = ("A", "B", "C")
PLANS = {name: plan[plan >= 0].tolist() for name, plan in zip(SUITE.task_names, SUITE.records["plan"])}
PUSHES = sum(len(PLANS[name]) for name in NAMES)
ROWS = 8


def plan_player(arm: str, remembers: bool):
    env = TablePushEnv(arm=arm)

    def play() -> None:
        if not remembers:
            env.simulation.pushed = RememberedPushes(env.simulation.scene)
        for name in NAMES:
            env.reset(options={"task": SUITE[name]})
            for action in PLANS[name]:
                *_, info = env.step(action)
            assert info["success"]

    return play


def pushes_of_the_plans() -> list[tuple]:
    """(task, positions, can, direction) of every push of the plans."""
    scene, pushes = Scene(), []
    for name in NAMES:
        positions = SUITE[name].objects
        for action in PLANS[name]:
            pushes.append((SUITE[name], positions, *divmod(action, 4)))
            positions = pushing.push(scene, *pushes[-1]).positions
    return pushes


@in_processor_seconds
@pytest.mark.parametrize("arm", ["tool", "sawyer"])
def test_pushes(benchmark, arm):
    time_steps(benchmark, f"TablePush, pushes of the {arm}", "ours", PUSHES, plan_player(arm, remembers=False))


@in_processor_seconds
def test_remembered_pushes(benchmark):
    """As in a student's later episodes on one target."""
    time_steps(benchmark, "TablePush, pushes that are remembered", "ours", PUSHES, plan_player("tool", remembers=True))


@in_processor_seconds
def test_putting_up_the_world(benchmark):
    """Its share of a push."""
    scene, pushes = Scene(), pushes_of_the_plans()

    def build() -> None:
        for task, positions, *_ in pushes:
            scene.build(task, positions)

    time_steps(benchmark, "of the tool's, putting up the world", "ours", PUSHES, build)


@in_processor_seconds
def test_paths(benchmark):
    pushes = pushes_of_the_plans()

    def lay() -> None:
        for _, positions, can, direction in pushes:
            push_path(positions[can], direction)

    time_steps(benchmark, "of the tool's, the path", "ours", PUSHES, lay)


@in_processor_seconds
def test_physics_of_the_tools_pushes(benchmark):
    """The steps of the physics alone, with the tool driven along the path."""
    scene, pushes = Scene(), pushes_of_the_plans()

    def follow() -> None:
        for task, positions, can, direction in pushes:
            path = push_path(positions[can], direction)
            scene.build(task, positions)
            scene.arm.begin(path)
            for step in range(1, len(path.positions)):
                scene.arm.drive(step)
                scene.step()

    time_steps(benchmark, "of the tool's, the world and its physics", "ours", PUSHES, follow)


@in_processor_seconds
def test_observations(benchmark):
    pushes = pushes_of_the_plans()

    def look() -> None:
        for task, positions, *_ in pushes:
            observe(task, positions)

    time_steps(benchmark, "of the tool's, the observation", "ours", PUSHES, look)


def _moved(task: TablePushTask, rng: np.random.Generator) -> TablePushTask:
    """With its cans a little elsewhere."""
    return dataclasses.replace(task, objects=on_grid(task.objects + rng.uniform(-0.01, 0.01, task.objects.shape)))


@in_wall_seconds
@pytest.mark.parametrize("num_workers", [1, 2])
def test_vector(benchmark, num_workers):
    env = TablePushVectorEnv(num_envs=ROWS, num_workers=num_workers, tasks="targets/B")
    # From ever other places: no push is one that is remembered.
    tasks = [[_moved(SUITE["B"], rng) for _ in range(ROWS)] for rng in map(np.random.default_rng, range(40))]
    rounds = itertools.cycle(tasks)
    there_and_back = [np.full(ROWS, action) for action in (2, 3)] * 5

    def play() -> None:
        env.reset(options={"task": next(rounds)})
        for actions in there_and_back:
            env.step(actions)

    label = f"TablePush, {ROWS} rows in {num_workers} worker{'s' if num_workers > 1 else ''}, wall seconds"
    time_steps(benchmark, label, "ours", 10 * ROWS, play)
    env.close()


@in_processor_seconds
def test_kuka(benchmark):
    """What PyBullet brings: a Kuka's push in 240 steps, inverse kinematics every ten, over 24 blocks and three cans."""
    client = pybullet.connect(pybullet.DIRECT)
    options = {"physicsClientId": client}
    pybullet.setAdditionalSearchPath(pybullet_data.getDataPath(), **options)
    pybullet.setGravity(0, 0, -9.81, **options)
    kuka = pybullet.loadURDF("kuka_iiwa/model.urdf", useFixedBase=True, **options)
    block = pybullet.createCollisionShape(pybullet.GEOM_BOX, halfExtents=[0.05, 0.05, 0.1], **options)
    for number in range(24):
        place = [0.4 + 0.1 * (number % 4), -0.25 + 0.1 * (number // 4), 0.1]
        pybullet.createMultiBody(0, block, basePosition=place, **options)
    can = pybullet.createCollisionShape(pybullet.GEOM_CYLINDER, radius=0.03, height=0.1, **options)
    for number in range(3):
        pybullet.createMultiBody(0.3, can, basePosition=[0.45 + 0.1 * number, -0.1 + 0.1 * number, 0.255], **options)
    start = pybullet.saveState(**options)
    down = pybullet.getQuaternionFromEuler([0, -np.pi, 0])

    def push() -> None:
        pybullet.restoreState(start, **options)
        for step in range(240):
            if step % 10 == 0:
                place = [0.4 + 0.35 * step / 240, 0.0, 0.3]
                angles = pybullet.calculateInverseKinematics(kuka, 6, place, down, maxNumIterations=20, **options)
                pybullet.setJointMotorControlArray(
                    kuka, range(7), pybullet.POSITION_CONTROL, targetPositions=angles[:7], forces=[200] * 7, **options
                )
            pybullet.stepSimulation(**options)

    time_steps(benchmark, "PyBullet's Kuka, 24 blocks", "peer", 1, push)
    pybullet.disconnect(client)


@pytest.mark.parametrize(("label", "program"), start_up_programs("TablePush-v0"))
def test_start_up(benchmark, label, program):
    time_start_up(benchmark, label, program)
