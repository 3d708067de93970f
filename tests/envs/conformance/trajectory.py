"""Trajectories: played, compared exactly, and hashed; as a program, hashed in a process of their own.

The program (``python -m tests.envs.conformance.trajectory``) reads what :func:`digests_here_and_there` sends it, a
pickled (:func:`digests`, player, factory, seeds, steps) in a line each, and answers each by a line with one digest per
seed.
"""

import atexit
import base64
import copy
import functools
import hashlib
import json
import os
import pickle
import subprocess
import sys
from collections.abc import Callable, Iterator
from itertools import zip_longest
from pathlib import Path
from typing import Any, NamedTuple

import gymnasium
import numpy as np
from gymnasium.vector import AutoresetMode

import procgen_bench  # noqa: F401 - the program's process needs the ids registered

CHECKOUT = Path(__file__).parents[3]


class Moment(NamedTuple):
    """What an environment returned: a reset (no reward, no ends) or a step."""

    observation: Any
    reward: Any
    terminated: Any
    truncated: Any
    info: dict[str, Any]


def play(env: gymnasium.Env, seed: int, steps: int, task=None, after_each: Callable = lambda: None) -> list[Moment]:
    """Seeded reset, then random actions drawn from ``seed``; an episode that ends is followed by a bare reset."""
    actions = seeded_space(env.action_space, seed)
    moments = [_begun(env.reset(seed=seed, options={"task": task}))]
    after_each()
    for _ in range(steps):
        moments.append(Moment(*env.step(actions.sample())))
        after_each()
        if moments[-1].terminated or moments[-1].truncated:
            moments.append(_begun(env.reset()))
            after_each()
    return moments


def play_vector(env: gymnasium.vector.VectorEnv, seed: int, steps: int, task=None) -> list[Moment]:
    """As :func:`play`, for all rows at once; under ``DISABLED`` the rows that ended are reset by mask."""
    actions = seeded_space(env.action_space, seed)
    moments = [_begun(env.reset(seed=seed, options={"task": task}))]
    for _ in range(steps):
        moments.append(Moment(*env.step(actions.sample())))
        ended = moments[-1].terminated | moments[-1].truncated
        if ended.any() and env.metadata["autoreset_mode"] == AutoresetMode.DISABLED:
            moments.append(_begun(env.reset(options={"reset_mask": ended})))
    return moments


def seeded_space(space: gymnasium.Space, seed: int) -> gymnasium.Space:
    """A copy of an action space with a generator of its own, so that nobody else's draws are disturbed."""
    space = copy.deepcopy(space)
    space.seed(seed)
    return space


def _begun(reset: tuple[Any, dict[str, Any]]) -> Moment:
    return Moment(reset[0], None, None, None, reset[1])


def leaves(value: Any, path: str = "") -> Iterator[tuple[str, bytes]]:
    """Every part of a nested value with its path: exact to type, shape and bit."""
    match value:
        case Moment():
            yield from leaves(value._asdict(), path)
        case dict():
            for key in sorted(value):
                yield from leaves(value[key], f"{path}.{key}")
        case list() | tuple():
            for index, part in enumerate(value):
                yield from leaves(part, f"{path}[{index}]")
        case np.ndarray() if value.dtype == object:
            yield from leaves(value.tolist(), path)
        case np.ndarray() | np.generic():
            yield path, f"{value.dtype.str}{value.shape}".encode() + value.tobytes()
        case None | bool() | int() | float() | str():
            yield path, repr(value).encode()
        case _:
            raise TypeError(f"no exact comparison is known for the {type(value).__name__} at {path or 'the top'}")


def digest(value: Any) -> str:
    """SHA-256 (hexadecimal) over all leaves."""
    total = hashlib.sha256()
    for path, content in leaves(value):
        total.update(f"{path}|{len(content)}|".encode() + content)
    return total.hexdigest()


def assert_equal(found: Any, expected: Any, message: str) -> None:
    """Raise an AssertionError that names the first leaf in which two values differ, in a single bit or more."""
    for one, other in zip_longest(leaves(found), leaves(expected), fillvalue=("the end", b"")):
        assert one == other, (
            f"{message}: they first differ at {one[0]}{'' if one[0] == other[0] else f', not {other[0]}'}"
        )


def digests(player: Callable, factory: Callable, seeds: range, steps: int) -> list[str]:
    """One digest per seed, played one after the other in one environment."""
    env = factory()
    found = [digest(player(env, seed, steps)) for seed in seeds]
    env.close()
    return found


class OtherProcess:
    """An interpreter of its own, started afresh, that plays what it is sent; it ends with this process."""

    def __init__(self, hash_seed: int, threads: int):
        environment = os.environ | {"PYTHONHASHSEED": str(hash_seed)}
        for name in ("NUMBA_NUM_THREADS", "OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"):
            environment[name] = str(threads)
        self._process = subprocess.Popen(
            [sys.executable, "-m", "tests.envs.conformance.trajectory"],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            cwd=CHECKOUT,
            env=environment,
        )
        atexit.register(self.end)

    def send(self, *played: Any) -> None:
        """Have it play; :meth:`receive` waits for the digests."""
        self._process.stdin.write(base64.b64encode(pickle.dumps((digests, *played))) + b"\n")
        self._process.stdin.flush()

    def receive(self) -> list[str]:
        """The digests of what it was sent."""
        line = self._process.stdout.readline()
        if not line:
            other_process.cache_clear()
            raise AssertionError(f"the other process ended with exit code {self._process.wait()}")
        return json.loads(line)

    def end(self) -> None:
        """Let it end."""
        self._process.stdin.close()
        self._process.wait()
        self._process.stdout.close()


@functools.cache
def other_process(python_path: str | None) -> OtherProcess:
    """A process that differs from this one in its hash seed and number of threads; started once for a PYTHONPATH."""
    ours = os.environ.get("PYTHONHASHSEED")
    return OtherProcess(hash_seed=1 if ours == "2" else 2, threads=2)


def digests_here_and_there(player: Callable, factory: Callable, seeds: range, steps: int) -> list[list[str]]:
    """:func:`digests`, in this process and in :func:`other_process`, which finds compiled what this one compiles."""
    here = digests(player, factory, seeds, steps)
    other = other_process(os.environ.get("PYTHONPATH"))
    other.send(player, factory, seeds, steps)
    return [here, other.receive()]


if __name__ == "__main__":
    for sent in sys.stdin.buffer:
        hashed, *played = pickle.loads(base64.b64decode(sent))  # of the module, whose Moment is not this program's
        print(json.dumps(hashed(*played)), flush=True)


def check_backends_are_equal(environment_id: str, mode: AutoresetMode) -> None:
    """Rows of the compiled rules and of the Minigrid library play alike, and draw the same tasks."""
    ours, library = (
        gymnasium.make_vec(
            environment_id,
            num_envs=5,
            vectorization_mode="vector_entry_point",
            backend=backend,
            autoreset_mode=mode,
            max_episode_steps=40,
        )
        for backend in ("numba", "minigrid")
    )
    found, expected = play_vector(ours, 3, 150), play_vector(library, 3, 150)
    assert any(moment.truncated is not None and moment.truncated.any() for moment in found)
    assert_equal(found, expected, mode.name)
    assert ours.unwrapped.tasks == library.unwrapped.tasks
