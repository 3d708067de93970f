"""ProgramNetworkPolicy: plays FetchProgram-v0 by the core network alone over a learned arm, in tensors alone."""

from typing import NamedTuple

import torch
from torch import nn

from procgen_bench.baselines.papers.alphanpi_x.programs.atomic_policies import LearnedAtomicPolicy
from procgen_bench.baselines.papers.alphanpi_x.programs.planner_parts import PlannerParts
from procgen_bench.baselines.papers.alphanpi_x.programs.program_tensors import ProgramTensors
from procgen_bench.baselines.policies.tensors import Tensors
from procgen_bench.baselines.policies.weighted import WeightedPolicy
from procgen_bench.tasks.programs import ATOMIC_STEPS
from procgen_bench.tasks.programs.states import BLOCK_SIZE, GRIPPER_SIZE

#: How often a program is played until it ends, before the arm rests in the place of a call.
_TRIES = 2


class _UnderWay(NamedTuple):
    """The programs under way in n rows: the row's own one, or one that this has called, of the lowest level.

    Attributes:
        program: int64 (n, 1), the innermost.
        memory: float32 (n, M), the network's before its next decision.
        below: float32 (n, M), the own program's, where the innermost is another.
    """

    program: torch.Tensor
    memory: torch.Tensor
    below: torch.Tensor


class ProgramNetworkPolicy(WeightedPolicy):
    """Does what :class:`~.PlannerPolicy` does in its mode "no-plan", as a function of tensors, which can be exported.

    Args:
        parts: Of programs that are made of the paper's functions, of levels up to 2; their arm is a learned one. The
            model is not used.
    """

    def __init__(self, parts: PlannerParts):
        rules, library = parts.rules, parts.rules.library
        assert isinstance(parts.atomic, LearnedAtomicPolicy) and rules.levels.max() <= 2
        self._core, self._arm, self._programs = parts.network, parts.atomic.policy.network, ProgramTensors(library)
        networks = {"network": self._core, "atomic": self._arm, "programs": self._programs}
        super().__init__(nn.ModuleDict(networks), stochastic=False, noise_width=0)
        self._num_blocks, self._stop = library.num_blocks, rules.stop
        #: Decisions after which a program ends that has called no atomic one.
        self._most_decisions = int(rules.depth_limits.max()) + 1
        self._is_atomic, self._callable = torch.as_tensor(rules.levels == 0), torch.as_tensor(rules.callable)
        self.state_shapes = {
            "steps": (),  # of the call that is under way
            "call": (),  # 1 + the atomic program that is called; 0: the arm rests
            "goal": (library.goal_size,),  # that this has set
            "called": (1,),  # 1 + the program that the own one has called, which is under way; 0: there is none
            "memory": (parts.network.memory_width,),
            "below": (parts.network.memory_width,),
        }

    def step(self, observations: Tensors, state: Tensors, noise: torch.Tensor) -> tuple[torch.Tensor, Tensors]:
        """Actions float32 (n, 4)."""
        states, own = observations["observation"], observations["program"].int().argmax(1, keepdim=True)
        startable, goals = self._programs(states)
        begins, is_atomic = state["steps"][:, None] == 0, self._is_atomic[own]
        innermost = torch.where(state["called"] > 0, state["called"].long() - 1, own)
        under_way = _UnderWay(innermost, state["memory"], state["below"])
        calls, under_way = self._next_calls(begins & ~is_atomic, own, states, startable, under_way)
        calls = torch.where(is_atomic, own + 1, calls)
        set_goals = goals.gather(1, (calls - 1).clamp(min=0)[:, :, None].expand(-1, 1, goals.shape[2]))[:, 0]
        set_goals = torch.where(is_atomic, observations["goal"], set_goals).float()
        call = torch.where(begins, calls.float(), state["call"][:, None])
        goal = torch.where(begins, set_goals, state["goal"])
        actions = torch.where(call > 0, self._arm(self._seen(call, goal, states)), 0.0)
        following = {
            "steps": torch.where(state["steps"] == ATOMIC_STEPS - 1, 0.0, state["steps"] + 1),
            "call": call[:, 0],
            "goal": goal,
            "called": torch.where(under_way.program == own, 0, under_way.program + 1).float(),
            "memory": under_way.memory,
            "below": under_way.below,
        }
        return actions, following

    def _next_calls(
        self,
        asking: torch.Tensor,
        own: torch.Tensor,
        states: torch.Tensor,
        startable: torch.Tensor,
        under_way: _UnderWay,
    ) -> tuple[torch.Tensor, _UnderWay]:
        """What is called next in rows that ask, 1 + its number, int64 (n, 1), and the programs under way after that.

        It is 0 where they do not ask, and where the program has ended in every try; it has then begun again.

        Args:
            asking: bool (n, 1).
            own: int64 (n, 1), the rows' own programs.
            states: float64 (n, 15 N + 10).
            startable: bool (n, P), which programs can start there.
            under_way: Before that.
        """
        encoded, calls = self._core.encoded(states), torch.zeros_like(own)
        startable = torch.cat([startable, torch.ones_like(startable[:, :1])], 1)
        program, memory, below = under_way
        for _ in range(_TRIES):
            left = asking & (calls == 0)
            for _ in range(self._most_decisions):
                hidden, after = self._core.remembered(encoded, program[:, 0], memory)
                allowed = self._callable[program[:, 0]] & startable
                actions = torch.where(allowed, self._core.policy(hidden), -torch.inf).argmax(1, keepdim=True)
                calling, stopping = self._is_atomic[actions], actions == self._stop
                going_on = left & ~calling
                calls = torch.where(left & calling, actions + 1, calls)
                called = going_on & ~stopping
                memory = torch.where(going_on, torch.where(stopping, below, 0.0), torch.where(left, after, memory))
                below = torch.where(called, after, below)
                left = going_on & ~(stopping & (program == own))
                program = torch.where(called, actions, torch.where(going_on, own, program))
            ended = asking & (calls == 0)
            program, memory = torch.where(ended, own, program), torch.where(ended, 0.0, memory)
        return calls, _UnderWay(program, memory, below)

    def _seen(self, call: torch.Tensor, goal: torch.Tensor, states: torch.Tensor) -> Tensors:
        """What the arm sees: states and goals with the block first that it is to move."""
        block = self._programs.blocks[(call.long() - 1).clamp(min=0)]
        order = ((block + torch.arange(self._num_blocks)) % self._num_blocks)[:, :, None]
        blocks = states[:, :-GRIPPER_SIZE].reshape(-1, self._num_blocks, BLOCK_SIZE)
        blocks = blocks.gather(1, order.expand(-1, -1, BLOCK_SIZE)).flatten(1)
        places = goal.reshape(-1, self._num_blocks, 3).gather(1, order.expand(-1, -1, 3)).flatten(1)
        return {"observation": torch.cat([blocks, states[:, -GRIPPER_SIZE:]], 1).float(), "desired_goal": places}
