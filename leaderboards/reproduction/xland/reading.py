"""What a trained network knows of an observation: its numbers layer by layer, and what it expects of a goal."""

from collections.abc import Sequence

import numpy as np
import torch

from procgen_bench.baselines.papers.open_ended.scene_encoder import SceneEncoder
from procgen_bench.baselines.parts.actor_critic import ActorPolicy, Evaluated
from procgen_bench.baselines.policies.arrays import Arrays
from procgen_bench.baselines.policies.tensors import tensors_of
from procgen_bench.core.errors import InvalidPolicyError
from procgen_bench.leaderboards.reproduction.xland.playing import load_player, with_goals
from procgen_bench.tasks.xland.games.goal import Goal


def load_reader(source: str) -> ActorPolicy:
    """A policy whose network can be looked into.

    Raises:
        InvalidPolicyError: It is none of an actor and a critic that read scenes and goals.
    """
    policy = load_player(source)
    if not (isinstance(policy, ActorPolicy) and isinstance(policy.network.encoder, SceneEncoder)):
        raise InvalidPolicyError(
            f"{source} is a {type(policy).__name__}, expected a policy of ppo, recurrent-ppo, a2c or vmpo with the "
            "network of this package, which is looked into"
        )
    return policy


@torch.inference_mode()
def representations(policy: ActorPolicy, observations: Arrays, starts: np.ndarray) -> dict[str, np.ndarray]:
    """What the network makes of observations (N, ...) that the policy is about to act upon, float32 (N, ...) by layer.

    ``scene`` is what it knows of things, ground and itself, ``goal`` what it makes of the goal's literals and options,
    ``memory`` what it remembers, if anything, and ``last layer`` what actor and critic read.
    """
    network = policy.network
    encoder = network.encoder
    assert isinstance(encoder, SceneEncoder)
    prepared = network.prepare(tensors_of(observations))
    options, _ = encoder.goal_options(prepared)
    goal = torch.cat([options.sum(dim=1), options.amax(dim=1)], dim=1)
    scene, _ = encoder.read(prepared)
    evaluated = _evaluated(policy, observations, starts)
    layers = {"scene": scene[:, : scene.shape[1] if network.goal_attention else -goal.shape[1]], "goal": goal}
    if network.memory is not None:
        layers["memory"] = evaluated.features
    layers["last layer"] = evaluated.attended.state if network.goal_attention else evaluated.features
    return {name: layer.numpy() for name, layer in layers.items()}


@torch.inference_mode()
def option_values(
    policy: ActorPolicy, observations: Arrays, starts: np.ndarray, goals: Sequence[Goal]
) -> tuple[np.ndarray, np.ndarray]:
    """What the critic expects, in its own unit, of goals of k options each, and of each of their options by itself.

    Goal attention has a value for every option. Other networks are shown goals of one option; what they remember is of
    the whole goal.

    Returns:
        float32 (N,) and (N, k).
    """
    network, options = policy.network, len(goals[0].matrix)
    whole = _evaluated(policy, observations, starts)
    if network.goal_attention is not None:
        return whole.attended.values[:, 0].numpy(), whole.attended.values[:, 1 : 1 + options].numpy()
    alone = [
        _evaluated(policy, with_goals(observations, [Goal(goal.matrix[[place]]) for goal in goals]), starts).values
        for place in range(options)
    ]
    return whole.values.numpy(), torch.stack(alone, dim=1).numpy()


def _evaluated(policy: ActorPolicy, observations: Arrays, starts: np.ndarray) -> Evaluated:
    network = policy.network
    memory = policy.kept_state(starts).get("memory", torch.zeros(len(starts), network.memory_width))
    return network.evaluate(network.prepare(tensors_of(observations)), memory, None)
