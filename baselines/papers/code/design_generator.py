"""DesignGenerator: the network that places primitives one by one (CoDE, figure 17 and section 5.1)."""

import math
from typing import NamedTuple

import numpy as np
import torch
from torch import nn

from procgen_bench.baselines.curricula.designs import Design
from procgen_bench.baselines.policies.tensors import NEVER

#: Numbers in every layer, and of the noise that a design begins with.
WIDTH = 100


class Drawn(NamedTuple):
    """B designs of n choices, as the generator drew them.

    Attributes:
        noise: float32 (B, 100), what they began with.
        numbers: int64 (B,), how many places there are, less 1.
        primitives: int64 (B, n), 0 for SKIP.
        places: int64 (B, n).
    """

    noise: np.ndarray
    numbers: np.ndarray
    primitives: np.ndarray
    places: np.ndarray

    def design(self, row: int) -> Design:
        """One of them."""
        return Design(int(self.numbers[row]) + 1, self.primitives[row], self.places[row])

    def of(self, rows: list[int]) -> "Drawn":
        """Some of them."""
        return Drawn(*(array[rows] for array in self))


class Likelihoods(NamedTuple):
    """Of B designs, with gradients.

    Attributes:
        log_probabilities: (B,), of all choices together.
        entropies: (B,), mean of the choices', as shares of the uniform distributions': of the number of places, of the
            primitives apart from SKIP, and of the places of what is not skipped. With SKIP among them, diverse designs
            would have to be long ones.
        difficulties: (B,), N^: the sum over the choices of -log of SKIP's probability, which counts up to that of a
            uniform choice. Unbounded, it grows for ever with the logits of one primitive: the generator makes a single
            design, whose choices no entropy bonus spreads again.
        excesses: (B,), the sum over the choices of how far each is above that bound.
    """

    log_probabilities: torch.Tensor
    entropies: torch.Tensor
    difficulties: torch.Tensor
    excesses: torch.Tensor


class DesignGenerator(nn.Module):
    """Noise -> how many places -> choice by choice a primitive or SKIP, and its place; it sees no learner.

    Every part is two dense layers with a tanh between them; the LSTM has one bias, as the published number of
    parameters says: 152,461 with 40 primitives and ten pages.

    Args:
        num_primitives: Without SKIP.
        most_places: How many places there can be.
        chooses_number: Whether it chooses how many there are.
        slots: Choices of a design, n.
        rng: Draws the first weights.
    """

    def __init__(
        self, num_primitives: int, most_places: int, chooses_number: bool, slots: int, rng: np.random.Generator
    ):
        super().__init__()
        self.num_primitives, self.most_places, self.slots = num_primitives, most_places, slots
        with torch.random.fork_rng(devices=[]):
            torch.manual_seed(int(rng.integers(2**63)))
            self.first = _two_layers(WIDTH, WIDTH)
            self.number = _two_layers(WIDTH, most_places) if chooses_number else None
            self.primitive = _two_layers(WIDTH, num_primitives + 1)
            self.place = _two_layers(WIDTH, most_places) if most_places > 1 else None
            self._choice_size = num_primitives + 2 + (most_places if most_places > 1 else 0)
            self.choice = _two_layers(self._choice_size, WIDTH)
            self.seen, self.kept = nn.Linear(WIDTH, 4 * WIDTH), nn.Linear(WIDTH, 4 * WIDTH, bias=False)

    @property
    def num_parameters(self) -> int:
        """Numbers that are learned."""
        return sum(parameter.numel() for parameter in self.parameters())

    @torch.no_grad()
    def draw(self, count: int, rng: np.random.Generator) -> Drawn:
        """So many designs."""
        noise = rng.standard_normal((count, WIDTH), np.float32)
        hidden = self.first(torch.from_numpy(noise))
        numbers = np.full(count, self.most_places - 1)
        if self.number is not None:
            numbers = _drawn(self.number(hidden), rng)
        primitives, places = np.zeros((2, count, self.slots), np.int64)
        state, before = (hidden, torch.zeros_like(hidden)), self._nothing(count)
        for slot in range(self.slots):
            state = self._next(before, state)
            primitives[:, slot] = _drawn(self.primitive(state[0]), rng)
            if self.place is not None:
                places[:, slot] = _drawn(self._place_logits(state[0], numbers), rng)
            before = self._encoded(primitives[:, slot], places[:, slot])
        return Drawn(noise, numbers, primitives, places)

    def likelihoods(self, drawn: Drawn) -> Likelihoods:
        """How likely the present network makes designs, and what would make them longer."""
        count = len(drawn.noise)
        hidden = self.first(torch.from_numpy(drawn.noise))
        logs, entropies, terms, difficulties, excesses = (torch.zeros(count) for _ in range(5))
        if self.number is not None:
            own = torch.log_softmax(self.number(hidden), dim=1)
            logs = logs + _at(own, drawn.numbers)
            entropies, terms = entropies + _entropy_shares(own, self.most_places), terms + 1
        state, before = (hidden, torch.zeros_like(hidden)), self._nothing(count)
        for slot in range(self.slots):
            state = self._next(before, state)
            own = torch.log_softmax(self.primitive(state[0]), dim=1)
            logs = logs + _at(own, drawn.primitives[:, slot])
            difficulty = (-own[:, 0]).clamp(max=self._hardest_choice)
            difficulties, excesses = difficulties + difficulty, excesses - own[:, 0] - difficulty
            apart = _entropy_shares(torch.log_softmax(own[:, 1:], dim=1), self.num_primitives)
            entropies, terms = entropies + apart, terms + 1
            if self.place is not None:
                # The place of what is skipped says nothing.
                chosen = torch.from_numpy(drawn.primitives[:, slot] != 0).float()
                own = torch.log_softmax(self._place_logits(state[0], drawn.numbers), dim=1)
                logs = logs + chosen * _at(own, drawn.places[:, slot])
                chosen = chosen * torch.from_numpy(drawn.numbers > 0)  # and of one place there is no choice
                entropies = entropies + chosen * _entropy_shares(own, torch.from_numpy(drawn.numbers) + 1)
                terms = terms + chosen
            before = self._encoded(drawn.primitives[:, slot], drawn.places[:, slot])
        return Likelihoods(logs, entropies / terms, difficulties, excesses)

    @property
    def longest(self) -> float:
        """N^ of a generator that chooses uniformly."""
        return self.slots * self._hardest_choice

    @property
    def _hardest_choice(self) -> float:
        return math.log(self.num_primitives + 1)

    def _next(
        self, before: torch.Tensor, state: tuple[torch.Tensor, torch.Tensor]
    ) -> tuple[torch.Tensor, torch.Tensor]:
        hidden, cell = state
        let_in, forget, new, let_out = (self.seen(self.choice(before)) + self.kept(hidden)).chunk(4, dim=1)
        cell = torch.sigmoid(forget) * cell + torch.sigmoid(let_in) * torch.tanh(new)
        return torch.sigmoid(let_out) * torch.tanh(cell), cell

    def _place_logits(self, hidden: torch.Tensor, numbers: np.ndarray) -> torch.Tensor:
        """Of places that there are: a remainder in their place would favour the first ones."""
        assert self.place is not None
        beyond = torch.arange(self.most_places)[None] > torch.from_numpy(numbers)[:, None]
        return self.place(hidden).masked_fill(beyond, NEVER)

    def _nothing(self, count: int) -> torch.Tensor:
        """What precedes the first choice."""
        before = torch.zeros(count, self._choice_size)
        before[:, self.num_primitives + 1] = 1
        return before

    def _encoded(self, primitives: np.ndarray, places: np.ndarray) -> torch.Tensor:
        before = torch.zeros(len(primitives), self._choice_size)
        before.scatter_(1, torch.from_numpy(primitives)[:, None], 1)
        if self.place is not None:
            before.scatter_(1, torch.from_numpy(self.num_primitives + 2 + places)[:, None], 1)
        return before


def _two_layers(inputs: int, outputs: int) -> nn.Sequential:
    return nn.Sequential(nn.Linear(inputs, WIDTH), nn.Tanh(), nn.Linear(WIDTH, outputs))


def _drawn(logits: torch.Tensor, rng: np.random.Generator) -> np.ndarray:
    """A choice for each row of logits (B, k)."""
    reached = torch.softmax(logits.double(), dim=1).cumsum(dim=1).numpy()
    return np.minimum((reached <= rng.random((len(reached), 1)) * reached[:, -1:]).sum(axis=1), reached.shape[1] - 1)


def _at(logs: torch.Tensor, chosen: np.ndarray) -> torch.Tensor:
    return logs.gather(1, torch.from_numpy(chosen)[:, None])[:, 0]


def _entropy_shares(logs: torch.Tensor, choices: int | torch.Tensor) -> torch.Tensor:
    """Entropies (B,) of distributions with these log-probabilities (B, k), as shares of those of so many choices."""
    return -(logs.exp() * logs).sum(dim=1) / torch.as_tensor(choices).clamp(min=2).log()
