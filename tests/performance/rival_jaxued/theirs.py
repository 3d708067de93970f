"""JaxUED's side of the comparison: its own example script, run as it is; see :mod:`.__main__`.

``python theirs.py ORDER``, by a Python that has JaxUED, jax, optax, distrax and orbax-checkpoint, and needs nothing of
ours. Pictures and logging are exchanged from outside, and clocks put around its functions; learner, network, levels,
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

SCRIPTS = {"uniform": "maze_dr.py", "robust-plr": "maze_plr.py", "accel": "maze_plr.py"}
#: What the example's own training returns as numbers of a weak type, as jax calls it.
_LOOSELY_TYPED = ("update_state", "last_obs")
_COMMAND_LINE = 'if __name__=="__main__":'
_NUMBER = jax.ShapeDtypeStruct((), jnp.float32)


class TrainingIsOver(Exception):
    """Raised from the example's own logging, to end its loop."""


class Journal(types.ModuleType):
    """Stands in for wandb: says what the training so far took, and waits until it may go on; shows and sends nothing.

    Everything is compiled into one function, so callbacks from within tell when its parts begin and end: what a part
    is given depends on the one, and what follows it on the other.
    """

    def __init__(self):
        super().__init__("wandb")
        self.weights = self.learned = self.turns = 0
        self.seconds = dict.fromkeys(("rollout", "learning update", "idle update", "evaluation"), 0.0)

    def init(self, config, **_):
        """Begin the run."""
        self.config = config
        self._wait()
        self.began = time.process_time()

    def log(self, measures):
        """Say how far the run has come, and go on when a line comes in."""
        config, levels = self.config, measures.get("level_sampler/size", 1)
        total = time.process_time() - self.began
        self.turns += 1
        filled = levels >= config.get("minimum_fill_ratio", 0) * config.get("level_buffer_capacity", 0)
        parts = {name: seconds for name, seconds in self.seconds.items() if name != "evaluation"}
        stamp = {
            "ready": bool(filled and self.turns > 1),  # PLR compiles again in its second turn
            "steps": int(measures["num_updates"]) * config["num_train_envs"] * config["num_steps"],
            "learned": self.learned * config["num_train_envs"] * config["num_steps"],
            "seconds": parts | {"teacher": total - sum(self.seconds.values())},
            "weights": self.weights,
        }
        print(json.dumps(stamp), flush=True)
        self._wait()

    def _wait(self):
        if not sys.stdin.readline():
            raise TrainingIsOver

    def define_metric(self, *_, **__):
        """Nothing is drawn."""

    def Image(self, *_, **__):
        """Nothing is shown."""

    Video = Image

    def timed_rollout(self, collect):
        """``sample_trajectories_rnn`` or ``evaluate_rnn``, whose observations are the sixth argument."""

        def timed(rng, env, env_params, train_state, memory, observations, *others):
            given = train_state.step, jax.tree_util.tree_leaves(observations)
            observations = observations.replace(image=observations.image + self._begin(given))
            return collect(rng, env, env_params, train_state, memory, observations, *others)

        def timed_collection(*arguments):
            state, (seen, actions, rewards, *others) = timed(*arguments)
            return state, (seen, actions, rewards + self._end("rollout", (rewards, state[-1])), *others)

        def timed_evaluation(*arguments):
            states, rewards, lengths = timed(*arguments)
            return states, rewards + self._end("evaluation", rewards), lengths

        return timed_evaluation if collect.__name__ == "evaluate_rnn" else timed_collection

    def timed_update(self, update):
        """``update_actor_critic_rnn``."""

        def timed(rng, train_state, memory, batch, *others, update_grad):
            observations, *columns, advantages = batch
            begun = self._begin(advantages)
            batch = observations.replace(image=observations.image + begun), *columns, advantages + begun
            (rng, train_state), losses = update(rng, train_state, memory, batch, *others, update_grad=update_grad)
            part = "learning update" if update_grad else "idle update"
            ended = self._end(part, (losses, jax.tree_util.tree_leaves(train_state.params)))
            return (rng, train_state), jax.tree_util.tree_map(lambda loss: loss + ended, losses)

        return timed

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

    def _begin(self, given):
        """Zero, once what is given has been computed."""

        def begin(_):
            self.begun = time.process_time()
            return jnp.float32(0)

        return jax.experimental.io_callback(begin, _NUMBER, _last_numbers(given))

    def _end(self, part, made):
        """Zero, once what a part makes has been computed."""

        def end(_):
            self.seconds[part] += time.process_time() - self.begun
            self.learned += part == "learning update"
            return jnp.float32(0)

        return jax.experimental.io_callback(end, _NUMBER, _last_numbers(made))


def _last_numbers(arrays):
    """A number of each array."""
    return [jnp.ravel(array)[-1] for array in jax.tree_util.tree_leaves(arrays)]


class NoPictures:
    """Stands in for the renderer, which is no part of training."""

    def __init__(self, *_, **__):
        pass

    def render_level(self, level, _):
        """A picture of no size."""
        return jnp.zeros((0, 0, 3), jnp.uint8)

    render_state = render_level


def read_example(source: str, script: str) -> tuple[types.ModuleType, dict]:
    """The example as a module, and the settings that its command line has by default."""
    module = types.ModuleType("example")
    exec(compile(source, script, "exec"), vars(module))
    command_line = source.split(_COMMAND_LINE)[1].split('config["group_name"]')[0]
    names = {"argparse": argparse}
    sys.argv = [script]
    exec(compile("if True:" + command_line, script, "exec"), names)
    return module, names["config"]


def main(order: dict) -> None:
    """Train for some updates whenever a line comes in, and say what all of them took."""
    script = Path(order["checkout"]) / "examples" / SCRIPTS[order["teacher"]]
    sys.modules["wandb"] = types.ModuleType("wandb")  # what the example imports; its journal replaces it
    module, settings = read_example(script.read_text(), script.name)
    settings |= order["settings"] | {"eval_num_attempts": 1, "checkpoint_save_interval": 0, "group_name": ""}
    settings |= {"seed": order["seed"], "eval_freq": order["updates"]}
    if order["teacher"] == "accel":
        settings["use_accel"] = True
    journal = Journal()
    module.TrainState.create = journal.counting(module.TrainState.create)
    vars(module).update(
        wandb=journal,
        MazeRenderer=NoPictures,
        sample_trajectories_rnn=journal.timed_rollout(module.sample_trajectories_rnn),
        evaluate_rnn=journal.timed_rollout(module.evaluate_rnn),
        update_actor_critic_rnn=journal.timed_update(module.update_actor_critic_rnn),
    )
    try:
        module.main(settings)
    except TrainingIsOver:
        return


if __name__ == "__main__":
    main(json.loads(sys.argv[1]))
