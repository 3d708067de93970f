"""GoalAttention: what is known of the world is read once for the whole goal and once for each of its options.

The source is "Open-Ended Learning Leads to Generally Capable Agents" (2021), section 5.1 and appendix A.6, whose
formulas our copy has lost; this is how they are restored. A goal is worth at least what each of its options is. So
where one of them is worth more, the state that is read for it takes the place of the goal's, and a loss draws the
goal's to it:

- The known, 1024 numbers of it as 32 rows of 32, is attended to by a query for the goal, 0, and for each option i.
- H_i is what is read, v_i = MLP(H_i) its value, in the units of a normalised critic.
- H = sum of w_i H_i with w = softmax(v / 0.1), through which no gradient goes; actor and critic read H.
- (v_0 - max v_i)^2 + |H_0 - H_argmax|^2, towards the option, and (v - MLP(H))^2 with the critic's value v.

Two choices are ours: a query of 32 features for each row of an embedding is asked, and their answers are averaged; H_i
have length 1. Else they grow in training (their root mean square to 27, with 0.1 of variation between steps), and
logits with them, until the policy draws always the same.
"""

from typing import NamedTuple

import torch
from torch import nn

from procgen_bench.baselines.papers.open_ended.auxiliary_loss import AuxiliaryLoss
from procgen_bench.baselines.parts.actor_critic import Evaluated, dense
from procgen_bench.baselines.policies.tensors import Tensors

_SIDE, _READ, _VALUE_WIDTH, _TEMPERATURE = 32, 128, 256, 0.1


class Attended(NamedTuple):
    """What is read of n steps, for the goal and for each of up to k options.

    Attributes:
        states: (n, 1 + k, width), H_0 to H_k.
        values: (n, 1 + k); minus infinity where a goal has no such option.
        state: (n, width), H.
        value: (n,), of H.
    """

    states: torch.Tensor
    values: torch.Tensor
    state: torch.Tensor
    value: torch.Tensor


class GoalAttention(nn.Module):
    """Attention of goals, and their options, to what is known of the world.

    Args:
        known: Numbers that are known, without the goal.
        embedding: Numbers of an option's embedding, a multiple of 32.
    """

    #: Numbers that are read.
    features = _READ

    def __init__(self, known: int, embedding: int):
        super().__init__()
        assert embedding % _SIDE == 0
        self.rows = dense(known, _SIDE * _SIDE, gain=1.0)
        self.query, self.key, self.read = (dense(_SIDE, _READ, gain=1.0) for _ in range(3))
        self.value = nn.Sequential(dense(_READ, _VALUE_WIDTH), nn.ReLU(), dense(_VALUE_WIDTH, 1, gain=1.0))

    @property
    def head(self) -> nn.Linear:
        """The last layer of the values."""
        head = self.value[-1]
        assert isinstance(head, nn.Linear)
        return head

    def forward(self, known: torch.Tensor, options: torch.Tensor, is_option: torch.Tensor) -> Attended:
        """Known (n, m), embeddings of options (n, k, e), 0 where there is none, and where there is one, (n, k)."""
        goals = torch.cat([options.sum(dim=1, keepdim=True), options], dim=1)
        states = self.attend(known, goals)
        is_there = torch.cat([torch.ones_like(is_option[:, :1]), is_option], dim=1) > 0
        values = self.value(states)[:, :, 0].masked_fill(~is_there, -torch.inf)
        weights = torch.softmax(values.detach() / _TEMPERATURE, dim=1)
        state = (states * weights[:, :, None]).sum(dim=1)
        return Attended(states, values, state, self.value(state)[:, 0])

    def attend(self, known: torch.Tensor, goals: torch.Tensor) -> torch.Tensor:
        """Known (n, m) and embeddings (n, g, e) -> what is read for each, of length 1, (n, g, width)."""
        rows = self.rows(known).unflatten(1, (_SIDE, _SIDE))
        queries = self.query(goals.unflatten(2, (-1, _SIDE)))
        likeness = torch.einsum("ngqd,nrd->ngqr", queries, self.key(rows)) / _READ**0.5
        answers = (torch.softmax(likeness, dim=3) @ self.read(rows)[:, None]).mean(dim=2)
        return nn.functional.normalize(answers, dim=2)


class ConsistencyLoss(AuxiliaryLoss):
    """Draws the value and the state of a whole goal to those of its best option, and both critics to each other."""

    name = "consistency"

    def loss(self, evaluated: Evaluated, kept: Tensors) -> torch.Tensor:
        """The mean over steps."""
        attended, weights = evaluated.attended, kept["weights"]
        assert attended is not None  # of a network with a GoalAttention
        return (consistency(attended, evaluated.values) * weights).sum() / weights.sum()


def consistency(attended: Attended, values: torch.Tensor) -> torch.Tensor:
    """The three losses (n,) together, with the critic's values (n,)."""
    greatest, place = attended.values.max(dim=1)
    best = attended.states[torch.arange(len(place), device=place.device), place]
    of_value = (attended.values[:, 0] - greatest.detach()).square()
    of_state = (attended.states[:, 0] - best.detach()).square().sum(dim=1)
    return of_value + of_state + (values - attended.value).square()
