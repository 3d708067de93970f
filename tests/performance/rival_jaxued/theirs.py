"""JaxUED's side of the comparison: its own example script, run as it is on our layouts; see :mod:`.__main__`.

``python theirs.py ORDER.json``, by a Python that has JaxUED, jax, optax, distrax and orbax-checkpoint, and needs
nothing of ours. The example's maze, its random levels and its logging are exchanged from outside; learner, network,
teacher and loop are its own.
"""

import argparse
import json
import sys
import time
import types
from pathlib import Path

import jax
import jax.numpy as jnp

if not hasattr(jax, "tree_map"):  # the published wheel calls it by a name that jax has dropped since
    jax.tree_map = jax.tree_util.tree_map

from jaxued.environments import Maze
from jaxued.environments.maze import Level
from jaxued.environments.maze.env import EnvParams
from jaxued.environments.maze.level import prefabs

SCRIPTS = {"uniform": "maze_dr.py", "robust-plr": "maze_plr.py", "accel": "maze_plr.py"}
#: What the example's own training returns as numbers of a weak type, as jax calls it.
_LOOSELY_TYPED = ("update_state", "last_obs")
_COMMAND_LINE = 'if __name__=="__main__":'


class TimeIsUp(Exception):
    """Raised from the example's own logging, to end its loop."""


class Journal(types.ModuleType):
    """Stands in for wandb: keeps how far the example has come by which time, and ends it; shows and sends nothing.

    Evaluations count for nothing. They are compiled into one function with the training before them, so callbacks from
    within tell when they begin and end.
    """

    def __init__(self, seconds: float, steps_per_update: int):
        super().__init__("wandb")
        self.seconds, self.steps_per_update = seconds, steps_per_update
        self.stamps, self.weights = [], 0
        self.evaluating = (0.0, 0.0)

    def init(self, config, **_):
        """Begin the run."""
        self.config = config
        self.began = _clocks()

    def log(self, measures):
        """Note how far the run has come; end it once its time is over, which begins when all is compiled."""
        wall, processor = (now - then - away for now, then, away in zip(_clocks(), self.began, self.evaluating))
        stamp = {
            "step": int(measures["num_updates"]) * self.steps_per_update,
            "wall": wall,
            "processor": processor,
            "solved": float(measures["solve_rate/mean"]),
        }
        self.stamps.append(stamp)
        print(json.dumps(stamp), flush=True)
        if processor - self.stamps[0]["processor"] >= self.seconds:
            raise TimeIsUp

    def define_metric(self, *_, **__):
        """Nothing is drawn."""

    def Image(self, *_, **__):
        """Nothing is shown."""

    Video = Image

    def timed(self, evaluate):
        """``evaluate``, with its time taken off."""

        def timed_evaluate(rng, env, env_params, train_state, memory, observations, states, steps):
            begun = jax.experimental.io_callback(self._begin, jax.ShapeDtypeStruct((), jnp.float32), train_state.step)
            observations = observations.replace(image=observations.image + begun)  # 0: evaluation waits for it
            states, rewards, lengths = evaluate(rng, env, env_params, train_state, memory, observations, states, steps)
            jax.debug.callback(self._end, rewards)
            return states, rewards, lengths

        return timed_evaluate

    def counting(self, create):
        """A train state's ``create``, with the network's weights counted.

        Its numbers get the types that training returns them with, else the second round would be compiled, too.
        """

        def counting_create(*, params, **others):
            self.weights = sum(leaf.size for leaf in jax.tree_util.tree_leaves(params))
            state = create(params=params, **others)
            firm = jax.tree_util.tree_map(lambda leaf: jnp.asarray(leaf, jnp.asarray(leaf).dtype), state)
            return firm.replace(**{name: others[name] for name in _LOOSELY_TYPED if name in others})

        return counting_create

    def _begin(self, _):
        self.begun = _clocks()
        return jnp.float32(0)

    def _end(self, _):
        self.evaluating = tuple(away + now - then for away, now, then in zip(self.evaluating, _clocks(), self.begun))


class NoPictures:
    """Stands in for the renderer, which is no part of training."""

    def __init__(self, *_, **__):
        pass

    def render_level(self, level, _):
        """A picture of no size."""
        return jnp.zeros((0, 0, 3), jnp.uint8)

    render_state = render_level


def maze_of(side: int, time_limit: int):
    """Makes their maze, of this side and time limit, whatever size is asked for."""

    class SmallMaze(Maze):
        @property
        def default_params(self) -> EnvParams:
            return EnvParams(max_steps_in_episode=time_limit)

    return lambda max_height, max_width, **options: SmallMaze(max_height=side, max_width=side, **options)


def level_generator(wall_share: float):
    """Makes their level generator, which draws as ours: every tile a wall or not, the agent in the corner."""

    def make(height: int, width: int, _n_walls: int):
        def sample(rng) -> Level:
            rng_walls, rng_goal, rng_direction = jax.random.split(rng, 3)
            goal = jax.random.randint(rng_goal, (), 1, height * width)
            walls = jax.random.bernoulli(rng_walls, wall_share, (height * width,))
            return Level(
                walls.at[goal].set(False).at[0].set(False).reshape(height, width),
                jnp.array([goal % width, goal // width], jnp.uint32),
                jnp.zeros(2, jnp.uint32),
                jax.random.randint(rng_direction, (), 0, 4).astype(jnp.uint8),
                jnp.int32(width),
                jnp.int32(height),
            )

        return sample

    return make


def read_example(source: str, script: str) -> tuple[types.ModuleType, dict]:
    """The example as a module, and the settings that its command line has by default."""
    module = types.ModuleType("example")
    exec(compile(source, script, "exec"), vars(module))
    command_line = source.split(_COMMAND_LINE)[1].split('config["group_name"]')[0]
    names = {"argparse": argparse}
    sys.argv = [script]
    exec(compile("if True:" + command_line, script, "exec"), names)
    return module, names["config"]


def main(order_path: str) -> None:
    """Carry out one order, and write what came of it."""
    order = json.loads(Path(order_path).read_text())
    script = Path(order["checkout"]) / "examples" / SCRIPTS[order["teacher"]]
    mazes = [f"maze {number}" for number in range(len(order["layouts"]))]
    prefabs.update(zip(mazes, order["layouts"]))
    sys.modules["wandb"] = types.ModuleType("wandb")  # what the example imports; its journal replaces it
    module, settings = read_example(script.read_text(), script.name)
    settings |= order["settings"] | {"eval_levels": mazes, "eval_num_attempts": 1, "checkpoint_save_interval": 0}
    settings |= {"seed": order["seed"], "eval_freq": order["updates_between_evaluations"], "group_name": ""}
    if order["teacher"] == "accel":
        settings["use_accel"] = True
    journal = Journal(order["seconds"], settings["num_train_envs"] * settings["num_steps"])
    module.TrainState.create = journal.counting(module.TrainState.create)
    vars(module).update(
        wandb=journal,
        Maze=maze_of(order["side"], order["time_limit"]),
        MazeRenderer=NoPictures,
        make_level_generator=level_generator(order["wall_share"]),
        evaluate_rnn=journal.timed(module.evaluate_rnn),
    )
    try:
        module.main(settings)
    except TimeIsUp:
        Path(order["out"]).write_text(json.dumps({"weights": journal.weights, "stamps": journal.stamps}))


def _clocks() -> tuple[float, float]:
    """Wall and processor seconds."""
    return time.perf_counter(), time.process_time()


if __name__ == "__main__":
    main(sys.argv[1])
