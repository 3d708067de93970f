"""ProgramNetworkPolicy: plays FetchProgram-v0 by the core network alone over a learned arm, in tensors alone."""

from typing import NamedTuple

import torch
from torch import nn

from procgen_bench.baselines.parts.programs.atomic_policies import LearnedAtomicPolicy
from procgen_bench.baselines.parts.programs.planner_parts import PlannerParts
from procgen_bench.baselines.parts.programs.program_tensors import ProgramTensors
from procgen_bench.baselines.policies.tensors import Tensors
from procgen_bench.baselines.policies.weighted import WeightedPolicy
from procgen_bench.tasks.programs import ATOMIC_STEPS
from procgen_bench.tasks.programs.states import BLOCK_SIZE, GRIPPER_SIZE

#: How often a program may end, and begin again, before an atomic one is called; then the arm rests.
_MOST_ENDINGS = 2


class _Stack(NamedTuple):
    """Programs under way in n rows, the row's own first, which calls the second, and so on.

    Attributes:
        called: float32 (n, D - 1), those above the own one: 1 + their numbers, 0 where there is none.
        memories: float32 (n, D, M), what the network remembers of each; zeros where there is none.
    """

    called: torch.Tensor
    memories: torch.Tensor


class ProgramNetworkPolicy(WeightedPolicy):
    """Does what :class:`~.PlannerPolicy` does in its mode "no-plan", as a function of tensors, which can be exported.

    Args:
        parts: Of the paper's programs, with a learned arm. No model is used.
    """

    def __init__(self, parts: PlannerParts):
        assert isinstance(parts.atomic, LearnedAtomicPolicy)  # as whoever makes it sees to
        rules, library = parts.rules, parts.rules.library
        networks = {"network": parts.network, "atomic": parts.atomic.policy.network, "programs": ProgramTensors(library)}
        super().__init__(nn.ModuleDict(networks), stochastic=False, noise_width=0)
        self._core, self._arm, self._programs = networks.values()
        self._num_blocks, self._stop, deepest = library.num_blocks, rules.stop, int(rules.levels.max())
        #: Decisions without an atomic call that end a program: at most so many are made before it ends.
        self._most_idle = int(rules.depth_limits.max()) + 1
        self._levels, self._callable = torch.as_tensor(rules.levels), torch.as_tensor(rules.callable)
        self._depths = torch.arange(deepest)
        self.state_shapes = {
            "steps": (),  # of the call that is under way
            "call": (),  # 1 + the atomic program that is called; 0: the arm rests
            "goal": (library.goal_size,),  # that it set
            "called": (deepest - 1,),
            "memories": (deepest, parts.network.memory_width),
        }

    def step(self, observations: Tensors, state: Tensors, noise: torch.Tensor) -> tuple[torch.Tensor, Tensors]:
        """Actions float32 (n, 4)."""
        states, programs = observations["observation"], observations["program"].int().argmax(1)
        startable, goals = self._programs(states)
        begins, is_atomic = state["steps"] == 0, self._levels[programs] == 0
        stack = _Stack(state["called"], state["memories"])
        calls, stack = self._next_calls(begins & ~is_atomic, programs, states, startable, stack)
        calls = torch.where(is_atomic, programs + 1, calls)
        set_goals = goals.gather(1, (calls - 1).clamp(min=0)[:, None, None].expand(-1, 1, goals.shape[2]))[:, 0]
        set_goals = torch.where(is_atomic[:, None], observations["goal"], set_goals).float()
        call = torch.where(begins, calls.float(), state["call"])
        goal = torch.where(begins[:, None], set_goals, state["goal"])
        steps = torch.where(state["steps"] == ATOMIC_STEPS - 1, 0.0, state["steps"] + 1)
        actions = torch.where(call[:, None] > 0, self._arm(self._seen(call, goal, states)), 0.0)
        return actions, {"steps": steps, "call": call, "goal": goal, **stack._asdict()}

    def _next_calls(
        self,
        asking: torch.Tensor,
        programs: torch.Tensor,
        states: torch.Tensor,
        startable: torch.Tensor,
        stack: _Stack,
    ) -> tuple[torch.Tensor, _Stack]:
        """What is called next in rows that ask, 1 + its number, int64 (n,), and the programs under way after that.

        It is 0 where they do not ask, and where the program ends twice without an atomic call; it has then begun again.

        Args:
            asking: bool (n,).
            programs: int64 (n,), the rows' own programs.
            states: float64 (n, 15 N + 10).
            startable: bool (n, P), which programs can start there.
            stack: The programs that are under way.
        """
        calls, idle = torch.zeros_like(programs), torch.zeros_like(programs)
        endings_left = _MOST_ENDINGS * asking.long()
        called, memories = stack
        startable = torch.cat([startable, torch.ones_like(startable[:, :1])], 1)
        for _ in range(_MOST_ENDINGS * self._most_idle):
            depth = (called > 0).sum(1)
            here = depth[:, None] == self._depths  # (n, D)
            innermost = torch.cat([programs[:, None], called.long() - 1], 1).gather(1, depth[:, None])[:, 0]
            memory = (memories * here[:, :, None]).sum(1)
            logits, _, after = self._core(states, innermost, memory)
            actions = torch.where(self._callable[innermost] & startable, logits, -torch.inf).argmax(1)
            levels = self._levels[actions]
            deciding = endings_left > 0
            calling, pushing, stopping = levels == 0, deciding & (levels > 0), deciding & (actions == self._stop)
            calls = torch.where(deciding & calling, actions + 1, calls)
            idle = idle + 1
            ending = deciding & ~calling & ((stopping & (depth == 0)) | (idle == self._most_idle))
            called = torch.where(stopping[:, None] & here[:, 1:], 0.0, called)
            called = torch.where(pushing[:, None] & here[:, :-1], (actions + 1).float()[:, None], called)
            after = torch.where(stopping[:, None], 0.0, after)
            memories = torch.where((deciding[:, None] & here)[:, :, None], after[:, None], memories)
            called = torch.where(ending[:, None], 0.0, called)
            memories = torch.where(ending[:, None, None], 0.0, memories)
            idle = torch.where(ending, 0, idle)
            endings_left = torch.where(calling, 0, endings_left - ending.long())
        return calls, _Stack(called, memories)

    def _seen(self, call: torch.Tensor, goal: torch.Tensor, states: torch.Tensor) -> Tensors:
        """What the arm sees: states and goals with the block first that it is to move."""
        block = self._programs.blocks[(call.long() - 1).clamp(min=0)]
        order = (block[:, None] + torch.arange(self._num_blocks)) % self._num_blocks
        blocks = states[:, :-GRIPPER_SIZE].reshape(-1, self._num_blocks, BLOCK_SIZE)
        blocks = blocks.gather(1, order[:, :, None].expand(-1, -1, BLOCK_SIZE)).flatten(1)
        places = goal.reshape(-1, self._num_blocks, 3).gather(1, order[:, :, None].expand(-1, -1, 3))
        shown = torch.cat([blocks, states[:, -GRIPPER_SIZE:]], 1)
        return {"observation": shown.float(), "desired_goal": places.flatten(1)}
