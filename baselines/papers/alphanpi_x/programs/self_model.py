"""SelfModel: what the atomic policy's own calls do to the state, learned from recorded ones (AlphaNPI-X, stage 2)."""

import time

import numpy as np
import torch
from torch import nn
from torch.nn import functional

from procgen_bench.baselines.papers.alphanpi_x.programs.recorded_calls import RecordedCalls
from procgen_bench.core.errors import InvalidOptionError
from procgen_bench.tasks.programs import ProgramLibrary
from procgen_bench.tasks.programs.states import BLOCK_SIZE, GRIPPER_SIZE

#: The error that is made small, and so what is predicted of differing outcomes: their mean (the paper), or the median.
LOSSES = {"mean": functional.mse_loss, "median": functional.l1_loss}
#: Share of the calls that are held out, and of a batch's numbers.
_HELD_OUT, _BATCH, _LEARNING_RATE = 0.05, 512, 1e-3
#: How many rows a curve has.
_ROWS = 20


class SelfModel(nn.Module):
    """State and goal -> the state when the call is over, as the difference to it.

    Blocks are permuted in a circle, so that the one that is moved comes first: one model is for all atomic programs,
    also a person's own. What it is shown of the goal is where each block is to go from where it is.

    Args:
        library: The programs.
        width: Of its two hidden layers.

    Attributes:
        num_blocks: Number of blocks.
        width: As it was given.
    """

    mean: torch.Tensor
    spread: torch.Tensor
    change_mean: torch.Tensor
    change_spread: torch.Tensor

    def __init__(self, library: ProgramLibrary, width: int = 512):
        super().__init__()
        self._library, self.num_blocks, self.width = library, library.num_blocks, width
        self._moved = np.array([program.blocks[0] if program.is_atomic else -1 for program in library.values()])
        size, inputs = library.state_size, library.state_size + library.goal_size
        self.layers = nn.Sequential(
            nn.Linear(inputs, width), nn.ReLU(), nn.Linear(width, width), nn.ReLU(), nn.Linear(width, size)
        )
        for name, numbers in (("mean", inputs), ("spread", inputs), ("change_mean", size), ("change_spread", size)):
            self.register_buffer(name, torch.zeros(numbers))

    @torch.inference_mode()
    def predict(self, states: np.ndarray, programs: np.ndarray) -> np.ndarray:
        """See :class:`~procgen_bench.baselines.papers.alphanpi_x.programs.search.ProgramModel`."""
        shown, columns = self._shown(states, programs)
        scaled = self.layers((torch.from_numpy(shown) - self.mean) / self.spread)
        changes = (scaled * self.change_spread + self.change_mean).numpy()
        after = states.copy()
        np.put_along_axis(after, columns, np.take_along_axis(states, columns, axis=1) + changes, axis=1)
        return after

    def fit(self, calls: RecordedCalls, loss: str, epochs: int, rng: np.random.Generator) -> list[dict[str, float]]:
        """Learn from recorded calls.

        Args:
            calls: What was recorded.
            loss: One of ``LOSSES``.
            epochs: How often each call is learned from.
            rng: Draws which calls are held out, and the batches.

        Returns:
            A row for each of some twenty epochs, the last among them: ``step``, how often each call has been learned
            from; ``seconds``; ``loss`` and ``held_out_loss``, of standardised numbers; ``agreement_move`` and
            ``agreement_stack``, shares of held-out calls whose post-condition is foreseen as it was, NaN without any.

        Raises:
            InvalidOptionError: There is no such loss.
        """
        if loss not in LOSSES:
            raise InvalidOptionError(f"loss is {loss!r}, expected one of {', '.join(LOSSES)}")
        shown, columns = self._shown(calls.before, calls.programs)
        changes = np.take_along_axis(calls.after - calls.before, columns, axis=1).astype(np.float32)
        order = rng.permutation(len(calls))
        held_out, learned = np.split(order, [max(1, int(_HELD_OUT * len(calls)))])
        for values, mean, spread in (
            (shown[learned], self.mean, self.spread),
            (changes[learned], self.change_mean, self.change_spread),
        ):
            mean.copy_(torch.from_numpy(values.mean(axis=0)))
            spread.copy_(torch.from_numpy(values.std(axis=0) + 1e-3))
        inputs = (torch.from_numpy(shown) - self.mean) / self.spread
        targets = (torch.from_numpy(changes) - self.change_mean) / self.change_spread
        optimizer = torch.optim.Adam(self.layers.parameters(), _LEARNING_RATE)
        began, curve = time.perf_counter(), []
        for epoch in range(1, epochs + 1):
            losses = []
            for batch in np.array_split(rng.permutation(learned), max(1, len(learned) // _BATCH)):
                error = LOSSES[loss](self.layers(inputs[batch]), targets[batch])
                optimizer.zero_grad()
                error.backward()
                optimizer.step()
                losses.append(error.item())
            if epoch % max(1, epochs // _ROWS) and epoch < epochs:
                continue
            with torch.inference_mode():
                validation = LOSSES[loss](self.layers(inputs[held_out]), targets[held_out]).item()
            row = {"step": epoch, "seconds": round(time.perf_counter() - began, 1), "loss": float(np.mean(losses))}
            curve.append(row | {"held_out_loss": validation} | self._agreement(calls, held_out))
        return curve

    def _agreement(self, calls: RecordedCalls, chosen: np.ndarray) -> dict[str, float]:
        """Shares of the chosen calls, int64 (n,), whose post-condition is foreseen, of either kind of program."""
        before, programs = calls.before[chosen], calls.programs[chosen]
        numbers = programs[:, np.newaxis]
        goals = self._library.goals(before, numbers)
        foreseen, real = (
            self._library.postconditions(after, goals, numbers)[:, 0]
            for after in (self.predict(before, programs), calls.after[chosen])
        )
        stacks = np.array([len(program.blocks) > 1 for program in self._library.values()])[programs]
        kinds = {"agreement_move": ~stacks, "agreement_stack": stacks}
        return {name: float((foreseen == real)[of].mean()) if of.any() else np.nan for name, of in kinds.items()}

    def _shown(self, states: np.ndarray, programs: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """What the network sees, float32 (n, 15 N + 10 + 3 N), and the states' columns in that order."""
        library = self._library
        goals = library.goals(states, programs[:, np.newaxis])[:, 0]
        blocks = (self._moved[programs][:, np.newaxis] + np.arange(library.num_blocks)) % library.num_blocks
        columns = (BLOCK_SIZE * blocks[:, :, np.newaxis] + np.arange(BLOCK_SIZE)).reshape(len(states), -1)
        gripper = np.arange(library.state_size - GRIPPER_SIZE, library.state_size)
        columns = np.concatenate([columns, np.broadcast_to(gripper, (len(states), GRIPPER_SIZE))], axis=1)
        places = (BLOCK_SIZE * blocks[:, :, np.newaxis] + np.arange(3)).reshape(len(states), -1)
        wanted = (3 * blocks[:, :, np.newaxis] + np.arange(3)).reshape(len(states), -1)
        ways = np.take_along_axis(goals, wanted, axis=1) - np.take_along_axis(states, places, axis=1)
        return np.concatenate([np.take_along_axis(states, columns, axis=1), ways], axis=1).astype(np.float32), columns
