"""Where a chain of revolute joints has its tip, and the joint positions that take the tip along a path."""

import math
import xml.etree.ElementTree as ElementTree
from pathlib import Path
from typing import NamedTuple

import numpy as np

from procgen_bench.core.compiled import njit

#: The search for joint positions ends when the tip is within this of its place (metres) and frame (radians), or after
#: so many steps; a place of a path takes two or three.
_TOLERANCE, _MAX_ITERATIONS = 1e-6, 200
#: A place that is missed by more than this is out of reach.
GREATEST_MISS = 1e-4
#: Damping of a step, for the square of the tip's distance, and at least: steps stay short where the chain is stretched.
_DAMPING, _LEAST_DAMPING = 0.1, 1e-10
#: Greatest turn of a joint in one step (radians): the linear model of the chain holds no further.
_GREATEST_TURN = 0.3
#: Share of the way to the posture of rest that a step goes, as far as the tip does not notice.
_REST_PULL = 0.1


class Chain(NamedTuple):
    """A chain of revolute joints, each turning about the z axis of its own frame.

    Attributes:
        names: Names of the K joints, from the base on.
        offsets: float64 (K + 1, 3), each joint's origin in the frame before it, then the tip's (metres).
        rotations: float64 (K + 1, 3, 3), each joint's frame, unturned, in the frame before it, then the tip's.
        limits: float64 (K, 2), least and greatest position (radians).
        efforts: float64 (K,), greatest torque (newton metres).
    """

    names: tuple[str, ...]
    offsets: np.ndarray
    rotations: np.ndarray
    limits: np.ndarray
    efforts: np.ndarray


def read_chain(path: Path, tip: str) -> Chain:
    """The chain from the root of a robot's description (URDF) to its link ``tip``.

    Raises:
        ValueError: A joint of the chain turns about another axis than z, or a fixed one comes before a revolute one.
    """
    by_child = {_part(joint, "child")["link"]: joint for joint in ElementTree.parse(path).getroot().iter("joint")}
    joints: list[ElementTree.Element] = []
    while tip in by_child:
        joints.insert(0, by_child[tip])
        tip = _part(by_child[tip], "parent")["link"]
    revolute = [joint for joint in joints if joint.get("type") == "revolute"]
    for joint in joints[: len(revolute)]:
        if joint.get("type") != "revolute" or _part(joint, "axis")["xyz"] != "0 0 1":
            raise ValueError(f"{path}: joint {joint.get('name')!r}: expected a revolute one about the axis '0 0 1'")
    frames = [_frame(joint) for joint in joints]
    offset, rotation = np.zeros(3), np.eye(3)
    for further, turn in frames[len(revolute) :]:
        offset, rotation = offset + rotation @ further, rotation @ turn
    frames = [*frames[: len(revolute)], (offset, rotation)]
    limits = [_part(joint, "limit") for joint in revolute]
    return Chain(
        names=tuple(joint.attrib["name"] for joint in revolute),
        offsets=np.array([offset for offset, _ in frames]),
        rotations=np.array([rotation for _, rotation in frames]),
        limits=np.array([[float(limit[side]) for side in ("lower", "upper")] for limit in limits]),
        efforts=np.array([float(limit["effort"]) for limit in limits]),
    )


def _part(joint: ElementTree.Element, name: str) -> dict[str, str]:
    """The attributes of an element inside a joint."""
    element = joint.find(name)
    assert element is not None  # the robot's description ships with PyBullet
    return element.attrib


def _frame(joint: ElementTree.Element) -> tuple[np.ndarray, np.ndarray]:
    """Offset (3,) and rotation (3, 3) of a joint's frame in its parent's: roll, pitch, yaw about fixed axes."""
    origin = _part(joint, "origin")
    roll, pitch, yaw = (float(number) for number in origin["rpy"].split())
    x = np.array([[1, 0, 0], [0, math.cos(roll), -math.sin(roll)], [0, math.sin(roll), math.cos(roll)]])
    y = np.array([[math.cos(pitch), 0, math.sin(pitch)], [0, 1, 0], [-math.sin(pitch), 0, math.cos(pitch)]])
    z = np.array([[math.cos(yaw), -math.sin(yaw), 0], [math.sin(yaw), math.cos(yaw), 0], [0, 0, 1]])
    return np.array([float(number) for number in origin["xyz"].split()]), z @ y @ x


@njit
def place_tip(offsets, rotations, joints, jacobian):
    """Place and frame of the tip, and how they change with the joints.

    Args:
        offsets, rotations: As of :class:`Chain`.
        joints: float64 (K,), positions (radians).
        jacobian: float64 (6, K), filled: velocities of the tip (rows 0 to 2) and its rates of turning (3 to 5), for
            each joint's.

    Returns:
        ``place, frame``: float64 (3,) the tip's origin, (3, 3) the directions of its axes in columns, as the base sees
        them.
    """
    num_joints = len(joints)
    place, frame, turned = np.zeros(3), np.eye(3), np.empty((3, 3))
    origins = np.empty((num_joints, 3))
    for k in range(num_joints + 1):
        for i in range(3):
            place[i] += frame[i, 0] * offsets[k, 0] + frame[i, 1] * offsets[k, 1] + frame[i, 2] * offsets[k, 2]
        for i in range(3):
            for j in range(3):
                turned[i, j] = (
                    frame[i, 0] * rotations[k, 0, j]
                    + frame[i, 1] * rotations[k, 1, j]
                    + frame[i, 2] * rotations[k, 2, j]
                )
        if k < num_joints:
            cosine, sine = math.cos(joints[k]), math.sin(joints[k])
            for i in range(3):
                origins[k, i] = place[i]
                jacobian[3 + i, k] = turned[i, 2]
                frame[i, 0] = cosine * turned[i, 0] + sine * turned[i, 1]
                frame[i, 1] = cosine * turned[i, 1] - sine * turned[i, 0]
                frame[i, 2] = turned[i, 2]
    for k in range(num_joints):
        jacobian[:3, k] = _cross(jacobian[3:, k], place - origins[k])
    return place, turned


@njit
def follow(offsets, rotations, limits, rest, start, places, frame, path):
    """Joint positions that take the tip along a path without turning it, each found from the one before.

    Damped least squares; what the tip does not notice goes towards the posture of rest. It depends on its arguments
    alone.

    Args:
        offsets, rotations, limits: As of :class:`Chain`.
        rest: float64 (K,), posture that the chain keeps near where it has the choice.
        start: float64 (K,), joint positions near the first place.
        places: float64 (N, 3), where the tip is to be, as the base sees it (metres).
        frame: float64 (3, 3), the directions of its axes in columns, as the base sees them.
        path: float64 (N, K), filled: joint positions, as far as the chain reaches.

    Returns:
        ``reached``: how many places it reaches before the first one that it does not.
    """
    num_joints = len(start)
    joints, jacobian, error, step = start.copy(), np.empty((6, num_joints)), np.empty(6), np.empty(num_joints)
    for n in range(len(places)):
        miss = math.inf
        for _ in range(_MAX_ITERATIONS):
            place, turned = place_tip(offsets, rotations, joints, jacobian)
            error[:3] = places[n] - place
            error[3:] = 0.0
            for j in range(3):
                error[3:] += 0.5 * _cross(turned[:, j], frame[:, j])
            miss = math.sqrt(max(np.sum(error[:3] ** 2), np.sum(error[3:] ** 2)))
            if miss < _TOLERANCE:
                break
            squares = _damped_squares(jacobian, miss)
            for k in range(num_joints):
                step[k] = _REST_PULL * (rest[k] - joints[k])
                for i in range(6):
                    error[i] -= jacobian[i, k] * step[k]
            weights = np.linalg.solve(squares, error)
            for k in range(num_joints):
                for i in range(6):
                    step[k] += jacobian[i, k] * weights[i]
                turn = min(max(step[k], -_GREATEST_TURN), _GREATEST_TURN)
                joints[k] = min(max(joints[k] + turn, limits[k, 0]), limits[k, 1])
        if miss > GREATEST_MISS:
            return n
        path[n] = joints
    return len(places)


@njit
def _damped_squares(jacobian, miss):
    """The least squares' matrix (6, 6), damped the more the further off the tip is."""
    squares = np.empty((6, 6))
    for i in range(6):
        for j in range(6):
            squares[i, j] = np.sum(jacobian[i] * jacobian[j])
        squares[i, i] += _DAMPING * miss * miss + _LEAST_DAMPING
    return squares


@njit
def _cross(a, b):
    return np.array([a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]])
