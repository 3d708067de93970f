"""NamedPairNetwork: pairs of an element, read by its name, and a field, compared word by word.

The network of :mod:`site_networks` knows words by heart, and a site in other words is a new language to it. This one
also sees which words of a field stand in the name of an element, whatever they are; words begin as nothing, so that
those which no training showed say nothing; and while it learns, words of names are hidden from it, task by task, so
that it has to make do without.
"""

from collections.abc import Iterator

import numpy as np
import torch
from torch import nn

from procgen_bench.baselines.papers.code.site_matches import NUM_MATCHES
from procgen_bench.baselines.papers.code.site_names import (
    HIDDEN,
    LABELS,
    LONG,
    NAMED_WORDS,
    NUM_BESIDE,
    NUM_NAMED_FEATURES,
    NUM_OWN,
    read_names,
)
from procgen_bench.baselines.papers.code.site_networks import (
    SIZE,
    SIZES,
    WORD_SIZE,
    Encoder,
    PairNetwork,
    Pairs,
    rows_at,
)
from procgen_bench.baselines.parts.site_pages import WINDOW, reach
from procgen_bench.baselines.parts.sparse_inputs import row_sums
from procgen_bench.baselines.policies.tensors import NEVER, Tensors
from procgen_bench.tasks.sites.pages import MAX_ELEMENTS
from procgen_bench.tasks.sites.vocabulary import TEXT_LENGTH, num_tokens

#: By how much matches, which are shares, count more than other inputs at first.
_WEIGHT = 4.0


class NamedPairNetwork(PairNetwork):
    """Scores of pairs are dot products, and what their words have in common, weighted by both.

    Args:
        encoder: ``"names"``.
        values, published_words: See :class:`PairNetwork`.
    """

    unread = ("depths",)

    def __init__(self, encoder: Encoder, values: bool, published_words: bool):
        super().__init__("window", values, published_words)
        nn.init.zeros_(self.words.weight)
        self.element = nn.Linear(len(NAMED_WORDS) * WORD_SIZE, SIZE)
        self.around: nn.Module = nn.Linear(WINDOW * (SIZE + NUM_NAMED_FEATURES), SIZE)
        self.of_element, self.of_field = (nn.Linear(SIZE, NUM_MATCHES) for _ in range(2))

    def pairs(self, observations: Tensors) -> Iterator[Pairs]:
        """See :meth:`PairNetwork.pairs`."""
        seen = {name: array.contiguous().numpy() for name, array in observations.items()}
        pages = read_names(seen, self.hides)
        elements = torch.relu(self.element(self._named_bags(pages.elements)))
        table = torch.cat([elements, elements.new_zeros(1, SIZE)])
        wanted = torch.relu(self.field(self._field_bags(observations)))
        counts = (pages.usable >= 0).sum(axis=1)
        for least, most in zip((-1, *SIZES), SIZES):
            rows = np.flatnonzero((counts > least) & (counts <= most))
            if not len(rows):
                continue
            width = max(int(counts[rows].max()), 1)
            usable, fields = pages.usable[rows, :width], seen["field_mask"][rows]
            fields = fields[:, : reach(fields)]
            deep = fields.shape[1]
            shown = torch.cat(
                [rows_at(pages.element[rows, :width], table), torch.from_numpy(pages.features[rows, :width])], dim=2
            )
            mask = torch.from_numpy((fields > 0)[:, :, None] & (usable >= 0)[:, None, :])
            own = torch.from_numpy(rows)
            matches = torch.from_numpy(pages.matches[rows, :deep, :width])
            time = observations["time_step"][own]
            hidden, asked = self._beside(shown), wanted[own, :deep]
            logits, values = self._judged(hidden, self._scores(hidden, asked, matches), mask, time)
            yield Pairs(rows, logits, values, usable)

    def whole(self, observations: Tensors) -> tuple[torch.Tensor, torch.Tensor]:
        """See :meth:`PairNetwork.whole`."""
        seen = {name: array.long() for name, array in observations.items()}
        usable = seen["element_mask"] > 0
        count, places = usable.shape[0], torch.arange(MAX_ELEMENTS)
        # Usable elements first, in their order; ``rank`` leads back.
        order = torch.argsort(torch.where(usable, places, places + MAX_ELEMENTS), dim=1)
        rank = usable.long().cumsum(dim=1) - 1
        there = torch.gather(usable, 1, order)
        names = _names(seen, order) * there[:, :, None]
        kinds = torch.stack([_at(seen["tags"], order), _at(seen["attributes"][:, :, 0], order)], dim=2)
        parts = [
            (num_tokens() + kinds[:, :, :1]) * there[:, :, None],
            _at(seen["element_values"], order),
            kinds[:, :, 1:],
            _at(seen["classes"], order),
            names,
        ]
        elements = torch.relu(self.element(torch.cat([self._means(words) for words in parts], dim=2)))
        shown = torch.cat([elements, _features(seen, order, names, kinds, there)], dim=2) * there[:, :, None]
        read = ("field_labels", "field_values") if self.values else ("field_labels",)
        wanted = torch.relu(self.field(torch.cat([self._means(seen[name]) for name in read], dim=2)))
        mask = (seen["field_mask"] > 0)[:, :, None] & there[:, None, :]
        matches = _matches(seen, order, names, there) * mask[:, :, :, None]
        hidden = self._beside(shown)
        logits, values = self._judged(hidden, self._scores(hidden, wanted, matches), mask, seen["time_step"])
        logits = logits.reshape(count, -1, MAX_ELEMENTS)
        back = rank.clamp(min=0)[:, None, :].expand_as(logits)
        logits = torch.where(usable[:, None, :], torch.gather(logits, 2, back), NEVER)
        return logits.flatten(1), values

    def _beside(self, shown: torch.Tensor) -> torch.Tensor:
        """Elements (n, U, 69), each with those next to it: (n, U, 50)."""
        middle = WINDOW // 2
        padded = nn.functional.pad(shown, (0, 0, middle, middle))
        return torch.relu(self.around(torch.cat([padded[:, k : k + shown.shape[1]] for k in range(WINDOW)], dim=2)))

    def _scores(self, hidden: torch.Tensor, asked: torch.Tensor, matches: torch.Tensor) -> torch.Tensor:
        """Elements (n, U, 50), fields (n, F, 50) and matches (n, F, U, 6), which both weigh -> (n, F, U)."""
        weights = self.of_element(hidden)[:, None] + self.of_field(asked)[:, :, None]
        return asked @ hidden.transpose(1, 2) + _WEIGHT * (weights * matches).sum(dim=3)

    def _named_bags(self, words: np.ndarray) -> torch.Tensor:
        """Mean words of each part, int32 (A, 66) -> (A, 500); those that are hidden count, and say nothing."""
        numbers = torch.from_numpy(words.astype(np.int64))
        table = self.words.weight
        rows = self.rows[numbers.clamp(min=0)].masked_fill((numbers == 0) | (numbers == HIDDEN), len(table))
        parts = zip(rows.split(NAMED_WORDS, dim=1), numbers.split(NAMED_WORDS, dim=1))
        return torch.cat(
            [row_sums(part, table) / (number != 0).sum(dim=1, keepdim=True).clamp(min=1) for part, number in parts],
            dim=1,
        )

    def _field_bags(self, observations: Tensors) -> torch.Tensor:
        """Mean words of keys, and of values where these are read: (n, F, 100 or 200)."""
        read = ("field_labels", "field_values") if self.values else ("field_labels",)
        columns = [observations[name].contiguous() for name in read]
        shape = columns[0].shape[:2]
        words = np.concatenate([column.flatten(0, 1).numpy() for column in columns], axis=1)
        return self._bags(words, (TEXT_LENGTH,) * len(read)).reshape(*shape, -1)


def _at(array: torch.Tensor, places: torch.Tensor) -> torch.Tensor:
    """What (n, E, ...) has at places (n, U); nothing at those below 0."""
    there = places >= 0
    places = places.clamp(min=0)
    if array.dim() == 3:
        places, there = places[:, :, None].expand(-1, -1, array.shape[2]), there[:, :, None]
    return torch.gather(array, 1, places) * there


def _places_around(seen: Tensors, places: torch.Tensor) -> torch.Tensor:
    """Places (n, U) of the elements around those at places (n, U); -1 without one."""
    return torch.where(places >= 0, _at(seen["parents"], places), -1)


def _names(seen: Tensors, order: torch.Tensor) -> torch.Tensor:
    """Words int64 (n, U, 50) of names of the elements at places (n, U)."""
    parent = _places_around(seen, order)
    tags, places = seen["tags"], torch.arange(MAX_ELEMENTS)
    is_label = (tags == LABELS[0]) | (tags == LABELS[1])
    beside = (seen["parents"][:, None, :] == parent[:, :, None]) & is_label[:, None, :]
    beside = beside & (places[None, None, :] != order[:, :, None])
    firsts = torch.where(beside, places, MAX_ELEMENTS).amin(dim=2)
    label = torch.where(firsts < MAX_ELEMENTS, firsts, -1)
    texts, attributes = seen["texts"], seen["attributes"]
    sources = [_at(texts, order), _at(attributes, order), _at(texts, label), _at(attributes, parent)]
    return torch.cat([*sources, _at(attributes, _places_around(seen, parent))], dim=2)


def _features(
    seen: Tensors, order: torch.Tensor, names: torch.Tensor, kinds: torch.Tensor, there: torch.Tensor
) -> torch.Tensor:
    """As :func:`.read_names` has them: (n, U, 19)."""
    boxes = seen["boxes"].float()
    size = boxes[:, :1, 2:].clamp(min=1)
    shares = _at(torch.cat([boxes[:, :, :2] / size, boxes[:, :, 2:] / size], dim=2), order)
    flags = torch.stack([_at(seen[name], order).float() for name in ("active", "filled", "new")], dim=2)
    lengths = (names > 0).float().sum(dim=2, keepdim=True)
    parts = [flags, shares, lengths / LONG, _is_second(kinds, there)]
    for step in (1, -1):
        beside, other_length, other_kinds = (torch.roll(one, step, 1) for one in (names, lengths, kinds))
        alike = torch.roll(there, step, 1) & there & (kinds == other_kinds).all(dim=2)
        alike[:, 0 if step > 0 else -1] = False
        beside_it = [
            torch.ones_like(lengths),
            torch.roll(flags[:, :, 1:2], step, 1),
            _common(names, beside) / lengths.clamp(min=1),
            _common(beside, names) / other_length.clamp(min=1),
            (other_length - lengths) / LONG,
        ]
        parts.append(torch.cat(beside_it, dim=2) * alike[:, :, None])
    assert sum(part.shape[2] for part in parts) == NUM_OWN + 2 * NUM_BESIDE
    return torch.cat(parts, dim=2)


def _is_second(kinds: torch.Tensor, there: torch.Tensor) -> torch.Tensor:
    """Whether elements (n, U, 2) are the second, fourth, ... of alike ones in a row: (n, U, 1)."""
    places = torch.arange(kinds.shape[1])
    alike = (kinds == torch.roll(kinds, 1, 1)).all(dim=2) & there & torch.roll(there, 1, 1) & (places > 0)
    earlier = (places[None, :] <= places[:, None]) & ~alike[:, None, :]
    begins = torch.where(earlier, places, 0).amax(dim=2)
    return ((places - begins) % 2).float()[:, :, None]


def _common(some: torch.Tensor, others: torch.Tensor) -> torch.Tensor:
    """How many of some words (n, U, a) stand among others (n, U, b): (n, U, 1)."""
    found = torch.zeros_like(some, dtype=torch.bool)
    for k in range(others.shape[2]):
        found = found | (some == others[:, :, k : k + 1])
    return (found & (some > 0)).float().sum(dim=2, keepdim=True)


def _matches(seen: Tensors, order: torch.Tensor, names: torch.Tensor, there: torch.Tensor) -> torch.Tensor:
    """As :func:`.read_names` has them: (n, F, U, 6)."""
    labels, wanted, asked = seen["field_labels"], seen["field_values"], seen["field_mask"] > 0
    keys = labels.flatten(1)
    found = _counts(keys, names)
    per_field = found.reshape(*labels.shape, -1)
    in_names = ((found > 0) & there[:, None, :]).float().sum(dim=2).clamp(min=1).reshape(labels.shape)
    in_fields = _counts(keys, labels * asked[:, :, None])
    in_fields = (in_fields > 0).float().sum(dim=2).clamp(min=1).reshape(labels.shape)
    is_found = (per_field > 0).float()
    key_length = (labels > 0).float().sum(dim=2).clamp(min=1)[:, :, None]
    name_length = (names > 0).float().sum(dim=2).clamp(min=1)[:, None, :]
    distinct = (is_found / (in_fields * in_names)[:, :, :, None]).sum(dim=2)
    count = (wanted > 0).float().sum(dim=2).clamp(min=1)[:, :, None]
    values = wanted.flatten(1)
    offered = _offered(seen, order, values).reshape(*wanted.shape, -1).sum(dim=2) / count
    held = (_counts(values, _at(seen["element_values"], order)) > 0).float().reshape(*wanted.shape, -1)
    held = held.sum(dim=2) / count
    most_held = (held * there[:, None, :]).amax(dim=2, keepdim=True).expand_as(held)
    shares = [is_found.sum(dim=2) / key_length, per_field.sum(dim=2) / name_length]
    return torch.stack([distinct, *shares, offered, held, most_held], dim=3)


def _counts(words: torch.Tensor, among: torch.Tensor) -> torch.Tensor:
    """How often each of words (n, K) stands in (n, U, a): (n, K, U); 0 for no word."""
    found = torch.zeros(words.shape[0], words.shape[1], among.shape[1])
    for k in range(among.shape[2]):
        found = found + (words[:, :, None] == among[:, None, :, k]).float()
    return found * (words > 0)[:, :, None]


def _offered(seen: Tensors, order: torch.Tensor, values: torch.Tensor) -> torch.Tensor:
    """Whether words (n, K) are offered by the elements at places (n, U): 0 or 1, (n, K, U)."""
    places = torch.arange(MAX_ELEMENTS).expand(order.shape[0], -1)
    around = _places_around(seen, _places_around(seen, places))
    inside = (seen["parents"][:, None, :] == order[:, :, None]).float()
    own_around = _at(around + 1, order) - 1
    first = seen["attributes"][:, :, 0]
    kin = (around[:, None, :] == own_around[:, :, None]) & (own_around >= 0)[:, :, None]
    kin = (kin & (first[:, None, :] == _at(first, order)[:, :, None])).float()
    in_texts = (_counts(values, seen["texts"]) > 0).float() @ inside.transpose(1, 2)
    in_kin = (_counts(values, seen["attributes"]) > 0).float() @ kin.transpose(1, 2)
    return ((in_texts + in_kin) > 0).float()
