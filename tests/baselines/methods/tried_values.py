"""With which values every setting is tried: usual ones, others, and in which runs a setting matters."""

from typing import Any

import numpy as np

#: The usual values of those names that a method has: all parts of it in use after a few steps.
USUAL: dict[str, Any] = {
    "num_envs": 4,
    "rollout_steps": 4,
    "minibatches": 2,
    "epochs": 2,
    "width": 8,
    "batch_size": 4,
    "learning_starts": 8,
    "updates_per_step": 0.5,
    "buffer_size": 64,
    "bonus_starts": 8,
    "bonus_width": 8,
    "target_update_interval": 4,
    "evaluation_tasks": 1,
    "evaluation_episodes": 1,
    "evaluate_every": 10**9,
    "checkpoint_every": 24,
}
#: Of methods that learn from whole episodes of 50 steps, as one of these settings says.
WHOLE = {"rollouts": 4, "num_envs": 2, "buffer_size": 800, "updates_per_step": 0.1}
STEPS, WHOLE_STEPS = 48, {"rollouts": 400, "hindsight": 160}
#: Of single methods: the steps, in which all phases of stage 1 are reached, each with a rollout or more that is
#: learned from, and some dozen programs are played.
STEPS_OF = {"npi-goals": 700, "alphanpi-x": 4_000}
USUAL_OF: dict[str, dict[str, Any]] = {
    "npi-goals": {
        "num_envs": 2,
        "greedy_rows": 1,
        "batch_size": 16,
        "learning_starts": 100,
        "updates_per_step": 0.05,
        "buffer_size": 1_000,
        "phase_1_steps": 400,
        "states_kept": 1,
        "continued": 1.0,
    },
    "alphanpi-x": {
        "library": "2",
        "episodes": 6,
        "simulations": 6,
        "recorded_calls": 8,
        "model_epochs": 1,
    },
}
#: Other values where another number of the same kind would not do.
OTHER: dict[str, Any] = {
    "teacher": "robust-plr",
    "teacher_options": "buffer_size=2,replay_probability=1.0",
    "device": "meta",
    "network": "tests.baselines.methods.test_every_setting:Sums",
    "low_level": "shipped",
    "precision": "bfloat16",
    "max_kl": 1e-9,
    "barrier_weight": 0.3,
    "rollouts": 2,
    "group_size": 2,
    "max_gradient": 1e-4,
    "clip_range": 1e-4,
    "buffer_size": 16,
    "exploration_fraction": 0.9,
    "exploration_final": 0.9,
    "minibatches": 4,
    "bootstrap": True,
    "per_step": True,
    "epochs": 1,
    "learning_rate_decay": 0.5,
    "entropy_weight": 0.3,
    "discount": 0.5,
    "epsilon": 0.01,
    "action_l2": 3.0,
    "hindsight": 0,
    "relabelled": 0,
    "updates_per_step": 1.0,
    "evaluate_every": 24,
    "checkpoint_every": 10**9,
    "target_update_interval": 32,
    "bonus_starts": 40,
    "target_period": 50,
    "popart_share": 1.0,
    "co_players": "noop",
    "distil_share": 0.9,
    "observation": "pixels",
}
WHOLE_OTHER = {"learning_starts": 140, "updates_per_step": 0.2, "evaluate_every": 100}
#: The least replays that hold an episode of each row.
LEAST_REPLAY = {"rollouts": 200, "hindsight": 120}
OTHER_OF: dict[str, dict[str, Any]] = {
    "npi-goals": {
        "greedy_rows": 0,
        "learning_starts": 300,
        "updates_per_step": 0.1,
        "buffer_size": 200,
        "evaluate_every": 200,
        "continued": 0.0,
        "added_starts": 1.0,
        "least_weight": 1.0,
        "last_tolerance": 0.001,
    },
    "alphanpi-x": {
        "library": "3",
        "discounted": "atomic",
        "model": "learned",
        "model_loss": "mean",
        "calls": "library",
        "plays": "no-plan",
        "curriculum": "progress",
        "buffer_size": 1,
        "evaluate_every": 1_000,
    },
}
#: What else is set in both runs, for the setting to matter.
BESIDE: dict[str, dict[str, Any]] = {
    "teacher_options": {"teacher": "plr"},
    "checkpoint_every": {"evaluate_every": 24},
    "memory_kind": {"memory": 8},
}
_MODEL = {"model": "learned"}
#: Thirty episodes of each kind, without which success at it is not known.
_MANY_EPISODES = {"num_envs": 32, "greedy_rows": 31, "phase_1_steps": 40_000, "updates_per_step": 0.001}
BESIDE_OF: dict[str, dict[str, dict[str, Any]]] = {
    "npi-goals": {
        "least_weight": _MANY_EPISODES,
        "reward": {"added_starts": 1.0, "phase_1_steps": 2_000, "updates_per_step": 0.2},  # other blocks are moved
        "checkpoint_every": {"evaluate_every": 200},
        "last_tolerance": {"decline": 1.0},
    },
    "alphanpi-x": {
        "atomic": _MODEL,
        "recorded_calls": _MODEL,
        "model_epochs": _MODEL,
        "model_loss": _MODEL,
        "failing": _MODEL,
        "checkpoint_every": {"evaluate_every": 1_000},
    },
}
#: Where it matters, if not everywhere: in the others all levels can be solved, or episodes are of many lengths, or
#: nobody else takes part.
MATTERS_IN = {
    "observation": "xland/skills",
    "privileged": "xland/small",
    "solvable": "grid-world/graded",
    "co_players": "xland/small",
    "action_repeat": "xland/small",
}
#: Steps until it matters: returns bound values as soon as episodes have ended.
MORE_STEPS = {"clip_next_values": 240, "least_weight": 16_000}


def are_near(achieved: np.ndarray, desired: np.ndarray) -> np.ndarray:
    """Whether every block is within 20 cm of its place: goals (..., 3 N) -> bool (...)."""
    apart = np.linalg.norm((achieved - desired).reshape(*achieved.shape[:-1], -1, 3), axis=-1)
    return (apart <= 0.2).all(axis=-1)


#: What is something else in both runs of a case: blocks need not come as near to their places, or there would be no
#: success to weigh before hours of learning.
REPLACED = {
    ("npi-goals", "least_weight"): ("procgen_bench.baselines.papers.alphanpi_x.block_phases.goal_reached", are_near)
}
#: Methods each of whose cases takes seconds, and other such cases.
SLOW_METHODS = ("npi-goals",)
SLOW = {("alphanpi-x", name) for name, beside in BESIDE_OF["alphanpi-x"].items() if beside is _MODEL}
SLOW |= {("ppo", "action_repeat")}
SLOW |= {("ppo@XLandSmall-v0", name) for name in ("co_players", "observation", "privileged")}
