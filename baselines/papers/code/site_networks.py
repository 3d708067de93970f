"""PairNetwork: one softmax over the pairs of an element of a page and a field of the instruction (CoDE, section 5.4).

Elements and fields share their words, which is what generalises: a field is put where its words stand. The published
network (google-research/google-research, compositional_rl/gwob) has 104,501 parameters: a vocabulary of 500, an LSTM
over the elements in one direction, and the fields' keys without their values.
"""

from collections.abc import Iterator
from typing import Literal, NamedTuple

import numpy as np
import torch
from torch import nn
from torch.nn import functional

from procgen_bench.baselines.parts.site_pages import (
    ELEMENT_WORDS,
    FIELD_WORDS,
    NUM_FEATURES,
    NUM_WORDS,
    WINDOW,
    Pages,
    number_windows,
    reach,
    read_pages,
)
from procgen_bench.baselines.parts.sparse_inputs import row_sums
from procgen_bench.baselines.policies.tensors import NEVER, Tensors
from procgen_bench.envs.web.observations import MAX_FIELDS
from procgen_bench.tasks.sites.design import HORIZON
from procgen_bench.tasks.sites.element_arrays import page_elements
from procgen_bench.tasks.sites.pages import MAX_ELEMENTS
from procgen_bench.tasks.sites.primitives import FIELDS, PRIMITIVES
from procgen_bench.tasks.sites.vocabulary import TAG_NUMBERS, num_tokens, token, words_of

Encoder = Literal["window", "bidirectional", "forward", "names"]
#: Words that the published network tells apart.
PUBLISHED_VOCABULARY = 500
#: Numbers of a word, and of an element or a field.
WORD_SIZE, SIZE = 100, 50
#: Rows are played together that have about as many usable elements, or elements: up to so many, and the rest.
SIZES = (16, 40, 64, 128, MAX_ELEMENTS)
_READ = ("tags", "element_values", "texts", "attributes", "classes")


class Pairs(NamedTuple):
    """What the network makes of m rows with at most F fields and U usable elements.

    Attributes:
        rows: int64 (m,), which rows.
        logits: (m, F * U), log-probabilities of pairs, field by field; ``NEVER`` of those that are no action.
        values: (m,).
        usable: int32 (m, U), places of the elements on the page; -1 behind the last.
    """

    rows: np.ndarray
    logits: torch.Tensor
    values: torch.Tensor
    usable: np.ndarray


class PairNetwork(nn.Module):
    """Scores of pairs are dot products of an element's and a field's 50 numbers; the value is of the mean element.

    Args:
        encoder: How an element sees the others: ``"window"`` of five neighbours, an LSTM ``"bidirectional"`` or
            ``"forward"``, as published; ``"names"`` is :class:`.NamedPairNetwork`'s.
        values: Whether fields are read with their values, and not only their keys.
        published_words: Whether 500 words are distinguished, of which those beyond the published pages' share some; and
            whether the value knows nothing of the time, as published.
    """

    memory_width = 0
    hides = False  # whether words of names are hidden, as from a learner that reads them
    unread: tuple[str, ...] = ("depths", "parents")
    rows: torch.Tensor

    def __init__(self, encoder: Encoder, values: bool, published_words: bool):
        super().__init__()
        self.encoder, self.values = encoder, values
        rows = published_rows() if published_words else np.arange(NUM_WORDS)
        self.register_buffer("rows", torch.as_tensor(rows), persistent=False)
        self.words = nn.Embedding(int(rows.max()) + 1 if not published_words else PUBLISHED_VOCABULARY, WORD_SIZE)
        nn.init.normal_(self.words.weight, std=WORD_SIZE**-0.5)
        self.element = nn.Linear(len(ELEMENT_WORDS) * WORD_SIZE, SIZE)
        self.field = nn.Linear((2 if values else 1) * WORD_SIZE, SIZE)
        inputs = SIZE + NUM_FEATURES
        if encoder == "window":
            self.around: nn.Module = nn.Linear(WINDOW * inputs, SIZE)
        else:
            self.around = _ForwardLSTM(inputs)
        self.back = _ForwardLSTM(inputs) if encoder == "bidirectional" else None
        self.joined = nn.Linear(2 * SIZE, SIZE) if encoder == "bidirectional" else None
        self._sees_time = not published_words
        self.judge = nn.Sequential(nn.Linear(SIZE + self._sees_time, SIZE), nn.ReLU(), nn.Linear(SIZE, 1))

    @property
    def critic(self) -> nn.Linear:
        """The last layer of the values."""
        critic = self.judge[-1]
        assert isinstance(critic, nn.Linear)  # see above
        return critic

    @property
    def num_parameters(self) -> int:
        """Numbers that are learned."""
        return sum(parameter.numel() for parameter in self.parameters())

    def update_normaliser(self, observations: Tensors) -> None:
        """Nothing is normalised by what was seen."""

    def prepare(self, observations: Tensors) -> Tensors:
        """Observations (n, ...) as far as any row has elements and fields."""
        longest = max(reach(observations[name].numpy()) for name in ("tags", "element_mask"))
        fields = reach(observations["field_mask"].numpy())
        return {
            name: array[:, : longest if array.shape[1] == MAX_ELEMENTS else fields]
            if array.shape[1] in (MAX_ELEMENTS, MAX_FIELDS)
            else array
            for name, array in observations.items()
            if name not in self.unread
        }

    def pairs(self, observations: Tensors) -> Iterator[Pairs]:
        """What it makes of rows (n, ...), those of about one size together; whatever is equal is computed once."""
        pages = read_pages({name: array.contiguous().numpy() for name, array in observations.items()})
        elements = torch.relu(self.element(self._bags(pages.elements, ELEMENT_WORDS)))
        read = self._bags(pages.fields, FIELD_WORDS if self.values else FIELD_WORDS[:1])
        fields = torch.cat([torch.relu(self.field(read)), self.element.weight.new_zeros(1, SIZE)])
        if self.encoder == "window":
            parts, features, windows = number_windows(pages)
            seen = rows_at(parts, torch.cat([elements, elements.new_zeros(1, SIZE)]))
            around = torch.cat([seen, torch.from_numpy(features)], dim=2).flatten(1)
            around = torch.cat([torch.relu(self.around(around)), elements.new_zeros(1, SIZE)])
        counts = ((pages.usable if self.encoder == "window" else pages.element) >= 0).sum(axis=1)
        for least, most in zip((-1, *SIZES), SIZES):
            rows = np.flatnonzero((counts > least) & (counts <= most))
            if not len(rows):
                continue
            usable = pages.usable[rows]
            usable = usable[:, : max(int((usable >= 0).sum(axis=1).max()), 1)]
            own = pages.field[rows]
            own = own[:, : reach(own >= 0)]
            if self.encoder == "window":
                hidden = rows_at(windows[rows][:, : usable.shape[1]], around)
            else:
                hidden = self._unrolled(pages, rows, elements, usable)
            asked = rows_at(own, fields)
            mask = torch.from_numpy((own >= 0)[:, :, None] & (usable >= 0)[:, None, :])
            time = observations["time_step"][torch.from_numpy(rows)]
            logits, values = self._judged(hidden, asked @ hidden.transpose(1, 2), mask, time)
            yield Pairs(rows, logits, values, usable)

    def whole(self, observations: Tensors) -> tuple[torch.Tensor, torch.Tensor]:
        """The same of every row by itself, in plain operations for an exporter.

        Returns:
            Log-probabilities (n, 25 * 250) of all pairs, field by field, and values (n,).
        """
        columns = [observations[name].long() for name in _READ]
        columns[0] = (columns[0] + num_tokens())[:, :, None]
        valid = (observations["tags"] > 0)[:, :, None].float()
        elements = torch.relu(self.element(torch.cat([self._means(words) for words in columns], dim=2)))
        read = ("field_labels", "field_values") if self.values else ("field_labels",)
        field_words = [observations[name].long() for name in read]
        asked = torch.relu(self.field(torch.cat([self._means(words) for words in field_words], dim=2)))
        boxes = observations["boxes"].float()
        size = boxes[:, :1, 2:].clamp(min=1)
        flags = torch.stack([observations[name].float() for name in ("active", "filled", "new")], dim=2)
        is_div = (observations["tags"] == TAG_NUMBERS["div"]).float()[:, :, None]
        features = torch.cat([flags, is_div, boxes[:, :, :2] / size, boxes[:, :, 2:] / size], dim=2)
        seen = torch.cat([elements, features], dim=2) * valid
        if self.encoder == "window":
            reach = WINDOW // 2
            padded = functional.pad(seen, (0, 0, reach, reach))
            hidden = torch.relu(self.around(torch.cat([padded[:, k : k + MAX_ELEMENTS] for k in range(WINDOW)], dim=2)))
        else:
            last = valid.sum(dim=1).long() - 1
            back = (last - torch.arange(MAX_ELEMENTS)).clamp(min=0)
            hidden = self._both_ways(seen, back)
        mask = (observations["field_mask"] > 0)[:, :, None] & (observations["element_mask"] > 0)[:, None, :]
        return self._judged(hidden, asked @ hidden.transpose(1, 2), mask, observations["time_step"])

    def _judged(
        self, hidden: torch.Tensor, scores: torch.Tensor, mask: torch.Tensor, time: torch.Tensor
    ) -> tuple[torch.Tensor, torch.Tensor]:
        """Elements (n, U, 50), scores and bool (n, F, U) -> log-probabilities (n, F * U), values (n,)."""
        scores = torch.where(mask, scores, NEVER)
        logits = torch.log_softmax(scores.flatten(1), dim=1)
        shares = logits.exp().reshape(scores.shape).sum(dim=1)
        middle = (shares[:, :, None] * hidden).sum(dim=1)
        if self._sees_time:
            middle = torch.cat([middle, time.float() / HORIZON], dim=1)
        return logits, self.judge(middle)[:, 0]

    def _unrolled(self, pages: Pages, rows: np.ndarray, elements: torch.Tensor, usable: np.ndarray) -> torch.Tensor:
        """The LSTMs over rows' elements, at those that are usable: (m, U, 50)."""
        numbers = pages.element[rows]
        longest = max(int(usable.max()) + 1, reach(numbers >= 0))
        numbers = numbers[:, :longest]
        table = torch.cat([elements, elements.new_zeros(1, SIZE)])
        seen = rows_at(numbers, table)
        seen = torch.cat([seen, torch.from_numpy(pages.features[rows][:, :longest])], dim=2)
        last = (numbers >= 0).sum(axis=1) - 1
        back = torch.from_numpy((last[:, None] - np.arange(longest)).clip(min=0))
        hidden = self._both_ways(seen, back)
        at = torch.from_numpy(usable.clip(min=0).astype(np.int64))
        return torch.gather(hidden, 1, at[:, :, None].expand(-1, -1, SIZE))

    def _both_ways(self, seen: torch.Tensor, back: torch.Tensor) -> torch.Tensor:
        """Elements (n, E, 58) -> (n, E, 50); ``back`` (n, E) are the places from the last element to the first."""
        hidden = self.around(seen)
        if self.back is None or self.joined is None:
            return hidden
        turned = self.back(torch.gather(seen, 1, back[:, :, None].expand(-1, -1, seen.shape[2])))
        turned = torch.gather(turned, 1, back[:, :, None].expand(-1, -1, SIZE))
        return self.joined(torch.cat([hidden, turned], dim=2))

    def _bags(self, words: np.ndarray, lengths: tuple[int, ...]) -> torch.Tensor:
        """Mean words of each attribute: int32 (A, sum of lengths) -> (A, 100 per attribute)."""
        numbers = torch.from_numpy(words[:, : sum(lengths)].astype(np.int64))
        nothing = numbers == 0
        table = self.words.weight
        rows = self.rows[numbers].masked_fill(nothing, len(table))
        sums = [row_sums(part, table) for part in rows.split(lengths, dim=1)]
        counts = [(~part).sum(dim=1, keepdim=True).clamp(min=1) for part in nothing.split(lengths, dim=1)]
        return torch.cat([total / count for total, count in zip(sums, counts)], dim=1)

    def _means(self, words: torch.Tensor) -> torch.Tensor:
        """Mean words (n, E, K) -> (n, E, 100)."""
        there = (words > 0).float()
        total = there.new_zeros(())
        for k in range(words.shape[2]):
            total = total + self.words(self.rows[words[:, :, k]]) * there[:, :, k, None]
        return total / there.sum(dim=2, keepdim=True).clamp(min=1)


class _ForwardLSTM(nn.Module):
    """An LSTM with one bias, as published: torch's second one is none of its parameters."""

    no_bias: torch.Tensor

    def __init__(self, inputs: int):
        super().__init__()
        self.kept = nn.Parameter(torch.empty(4 * SIZE, SIZE))
        self.seen = nn.Linear(inputs, 4 * SIZE)
        nn.init.orthogonal_(self.kept)
        self.register_buffer("no_bias", torch.zeros(4 * SIZE), persistent=False)

    def forward(self, seen: torch.Tensor) -> torch.Tensor:
        """(n, E, inputs) -> (n, E, 50)."""
        nothing = seen.new_zeros(1, seen.shape[0], SIZE)
        weights = [self.seen.weight, self.kept, self.seen.bias, self.no_bias]
        return torch.lstm(seen, (nothing, nothing), weights, True, 1, 0.0, self.training, False, True)[0]


def published_rows() -> np.ndarray:
    """Of every word and tag its row among the published 500, int64 (``NUM_WORDS``,).

    What published pages and keys can show has a row of its own; all other words share the rest.
    """
    texts = {*FIELDS}
    classes = {word for name in page_elements()[1].ravel() for word in [int(name)]} - {0}
    known = {token(word) for text in texts for word in words_of(text)} | classes
    for primitive in PRIMITIVES.values():
        for element in primitive.root:
            shown = [element.text, *(value for _, value in element.attributes)]
            known |= {token(word) for text in shown for word in words_of(text)} | set(map(token, element.classes))
    rows = np.zeros(NUM_WORDS, np.int64)
    own = [*sorted(known), *range(num_tokens() + 1, NUM_WORDS)]
    rows[own] = np.arange(1, len(own) + 1)
    others = np.setdiff1d(np.arange(1, num_tokens()), own)
    rows[others] = 1 + len(own) + np.arange(len(others)) % (PUBLISHED_VOCABULARY - 1 - len(own))
    return rows


def rows_at(numbers: np.ndarray, table: torch.Tensor) -> torch.Tensor:
    """Rows (..., k) of a table (A, k) whose last one stands for -1."""
    return functional.embedding(torch.from_numpy(numbers.astype(np.int64) % len(table)), table)
