"""The whole state of a stable-baselines3 algorithm as arrays and plain values: a run resumed from it goes on exactly.

Besides the networks and the optimiser that is the replay buffer, the environment's rows, the counters and
every random generator that stable-baselines3 draws from.
"""

from operator import attrgetter
from typing import Any

import numpy as np
import torch
from stable_baselines3 import HerReplayBuffer
from stable_baselines3.common.off_policy_algorithm import OffPolicyAlgorithm

from procgen_bench.baselines.named_arrays import Arrays, below
from procgen_bench.baselines.optimizer_arrays import optimizer_arrays, restore_optimizer
from procgen_bench.baselines.sb3.resumable import Resumable

_COUNTERS = (
    "num_timesteps",
    "_episode_num",
    "_n_updates",
    "_n_calls",
    "exploration_rate",
    "_current_progress_remaining",
)
#: Of hindsight: where each transition's episode begins, and how long it is (0: not over, or partly overwritten).
_REPLAY_ARRAYS = ("actions", "rewards", "dones", "timeouts", "ep_start", "ep_length")


def save_state(algorithm: Resumable) -> tuple[Arrays, dict[str, Any]]:
    """Arrays and plain values of an algorithm that is about to collect its next rollout."""
    arrays: Arrays = {f"policy.{name}": tensor.numpy() for name, tensor in algorithm.policy.state_dict().items()}
    for owner, optimizer in _optimizers(algorithm).items():
        arrays |= {f"optimizer.{owner}.{name}": array for name, array in optimizer_arrays(optimizer).items()}
    arrays |= {f"environment.{name}": array for name, array in algorithm.env.save_state().items()}
    arrays |= {f"last_obs.{name}": array for name, array in algorithm._last_obs.items()}
    arrays["last_episode_starts"] = algorithm._last_episode_starts
    numpy_state = np.random.get_state(legacy=False)
    arrays["random.torch"] = torch.get_rng_state().numpy()
    arrays["random.numpy"] = numpy_state["state"]["key"]
    own_arrays, own_values = algorithm.own_state()
    arrays |= {f"own.{name}": array for name, array in own_arrays.items()}
    replay = _replay_of(algorithm)
    if replay is not None:
        arrays |= _replay_arrays(replay)
    values = {
        "counters": {name: getattr(algorithm, name) for name in _COUNTERS if hasattr(algorithm, name)},
        "random.numpy": [numpy_state["state"]["pos"], numpy_state["has_gauss"], numpy_state["gauss"]],
        "random.action_space": algorithm.action_space.np_random.bit_generator.state,
        "own": own_values,
        "episodes": [[episode["r"], episode["l"]] for episode in algorithm.ep_info_buffer],
        "successes": [bool(success) for success in algorithm.ep_success_buffer],
    }
    if replay is not None:
        values["replay"] = [replay.pos, replay.full]
    return {name: np.asarray(array, order="C") for name, array in arrays.items()}, values


def restore_state(algorithm: Resumable, arrays: Arrays, values: dict[str, Any]) -> None:
    """Put a freshly built algorithm of the same configuration into a state that :func:`save_state` returned."""
    algorithm._setup_learn(0, None)
    tensors = {name: torch.as_tensor(array) for name, array in below(arrays, "policy").items()}
    algorithm.policy.load_state_dict(tensors)
    for owner, optimizer in _optimizers(algorithm).items():
        restore_optimizer(optimizer, below(arrays, f"optimizer.{owner}"))
    algorithm.env.restore_state(below(arrays, "environment"))
    algorithm._last_obs = below(arrays, "last_obs")
    algorithm._last_episode_starts = arrays["last_episode_starts"]
    for name, value in values["counters"].items():
        setattr(algorithm, name, value)
    for return_, length in values["episodes"]:
        algorithm.ep_info_buffer.append({"r": return_, "l": length, "t": 0.0})
    algorithm.ep_success_buffer.extend(values["successes"])
    replay = _replay_of(algorithm)
    if replay is not None:
        _restore_replay(replay, arrays, *values["replay"])
    algorithm.restore_own_state(below(arrays, "own"), values["own"])
    algorithm.action_space.np_random.bit_generator.state = values["random.action_space"]
    torch.set_rng_state(torch.as_tensor(arrays["random.torch"]))
    position, has_gauss, gauss = values["random.numpy"]
    key = {"key": arrays["random.numpy"], "pos": position}
    np.random.set_state({"bit_generator": "MT19937", "state": key, "has_gauss": has_gauss, "gauss": gauss})


def _optimizers(algorithm: Resumable) -> dict[str, torch.optim.Optimizer]:
    """The optimisers by the name of what they optimise: the policy, or its actor and its critic."""
    names = [name for name in algorithm._get_torch_save_params()[0] if name.endswith(".optimizer")]
    return {name.removesuffix(".optimizer"): attrgetter(name)(algorithm) for name in names}


def _replay_of(algorithm: Resumable) -> HerReplayBuffer | None:
    replay = algorithm.replay_buffer if isinstance(algorithm, OffPolicyAlgorithm) else None
    assert replay is None or isinstance(replay, HerReplayBuffer)  # as the goal methods'
    return replay


def _filled(buffer: HerReplayBuffer, position: int, full: bool) -> slice:
    return slice(0, buffer.buffer_size if full else position)


def _replay_arrays(buffer: HerReplayBuffer) -> Arrays:
    filled = _filled(buffer, buffer.pos, buffer.full)
    arrays = {f"replay.{name}": getattr(buffer, name)[filled] for name in _REPLAY_ARRAYS}
    arrays["replay.current_ep_start"] = buffer._current_ep_start
    for name in buffer.observations:
        arrays[f"replay.observations.{name}"] = buffer.observations[name][filled]
        arrays[f"replay.next_observations.{name}"] = buffer.next_observations[name][filled]
    return arrays


def _restore_replay(buffer: HerReplayBuffer, arrays: Arrays, position: int, full: bool) -> None:
    buffer.pos, buffer.full = position, full
    filled = _filled(buffer, position, full)
    for name in _REPLAY_ARRAYS:
        getattr(buffer, name)[filled] = arrays[f"replay.{name}"]
    buffer._current_ep_start[:] = arrays["replay.current_ep_start"]
    for name in buffer.observations:
        buffer.observations[name][filled] = arrays[f"replay.observations.{name}"]
        buffer.next_observations[name][filled] = arrays[f"replay.next_observations.{name}"]
