"""Elements of sites by their names, and what of a field stands in them: equal words are seen, whether known or not.

An element's name is what a person or a screen reader takes for it: its own words, those of the label or legend beside
it, and those of the two elements around it. A field is compared with it word by word, so that words which no training
showed can be found again; and an element with the two that are next to it among those which can be used, so that a
line and another of nearly the same name can be told apart.
"""

from typing import NamedTuple

import numpy as np

from procgen_bench.baselines.papers.code.site_matches import NUM_MATCHES, common_share, match_row, num_words
from procgen_bench.baselines.parts.site_pages import NOWHERE, OFFSET, first_slot, hash_table, mixed
from procgen_bench.baselines.policies.arrays import Arrays
from procgen_bench.core.compiled import njit
from procgen_bench.tasks.sites.element_arrays import NUM_CLASSES
from procgen_bench.tasks.sites.vocabulary import TAG_NUMBERS, TEXT_LENGTH, num_tokens

#: Texts that a name is made of: its own, its attributes, the label's, and the attributes of the two around it.
NUM_TEXTS = 5
NAME_LENGTH = NUM_TEXTS * TEXT_LENGTH
#: Words of an element: its tag, its value, the first word of its attributes (its type), its classes, and its name.
NAMED_WORDS = (1, TEXT_LENGTH, 1, NUM_CLASSES, NAME_LENGTH)
#: Numbers of an element: has the focus, was filled in, is new; left, top, width and height as shares of the page's; the
#: length of its name; whether it is the second, fourth, ... of alike ones (of one tag and type) in a row. Then of the
#: one before and the one behind it: whether it is alike, and if so, whether it was filled in, which share of this one's
#: name stands in that one's, which share of that in this, and how much longer that one's name is.
NUM_OWN, NUM_BESIDE = 9, 5
NUM_NAMED_FEATURES = NUM_OWN + 2 * NUM_BESIDE
#: Words of a name by which its length is divided.
LONG = 10
LABELS = (TAG_NUMBERS["label"], TAG_NUMBERS["h6"])
#: In place of a word that is hidden from a learner, though not from comparisons.
HIDDEN = -1
_TAG_BASE = num_tokens()
_LABEL, _LEGEND = LABELS
_MOST = 1 << 24


class NamedPages(NamedTuple):
    """N rows with at most U usable elements and at most F fields.

    Attributes:
        elements: int32 (A, 66), different elements' words (:data:`NAMED_WORDS`); -1 for words that are hidden.
        element: int32 (N, U), the element at each place; -1 behind the last.
        features: float32 (N, U, 19).
        usable: int32 (N, U), their places on the page; -1 behind the last.
        matches: float32 (N, F, U, 6).
    """

    elements: np.ndarray
    element: np.ndarray
    features: np.ndarray
    usable: np.ndarray
    matches: np.ndarray


def read_names(seen: Arrays, hides: bool) -> NamedPages:
    """What rows observe (int16 and int8 (N, ...), contiguous) by the names of elements.

    Args:
        seen: Observations by name.
        hides: Whether words of names are hidden, for training: in half of the pages, a share of the words. A hash of
            the page's texts and the instruction's values draws both. So a page hides the same words at every step, and
            a learner cannot rely on knowing them.
    """
    count = len(seen["tags"])
    most = int(seen["element_mask"].sum(axis=1).max(initial=1))
    fields = seen["field_mask"].shape[1]
    usable = np.full((count, max(most, 1)), NOWHERE, np.int32)
    words = np.zeros((*usable.shape, sum(NAMED_WORDS)), np.int32)
    features = np.zeros((*usable.shape, NUM_NAMED_FEATURES), np.float32)
    matches = np.zeros((count, fields, usable.shape[1], NUM_MATCHES), np.float32)
    _read_rows(
        *(seen[name] for name in ("tags", "classes", "texts", "attributes", "element_values", "parents", "boxes")),
        *(seen[name] for name in ("active", "filled", "new", "element_mask")),
        *(seen[name] for name in ("field_labels", "field_values", "field_mask")),
        hides,
        usable,
        words,
        features,
        matches,
    )
    flat = words.reshape(-1, words.shape[2])
    element, firsts = np.full(usable.size, NOWHERE, np.int32), np.empty(usable.size, np.int32)
    different = _number_rows(flat, usable.ravel(), hash_table(usable.size), firsts, element)
    return NamedPages(flat[firsts[:different]], element.reshape(usable.shape), features, usable, matches)


@njit
def _drawn(hashed):
    """A hash as a number in [0, 1)."""
    hashed = hashed ^ (hashed >> np.uint64(33))
    hashed = hashed * np.uint64(0xFF51AFD7ED558CCD)
    hashed = hashed ^ (hashed >> np.uint64(33))
    hashed = hashed * np.uint64(0xC4CEB9FE1A85EC53)
    hashed = hashed ^ (hashed >> np.uint64(33))
    return (hashed >> np.uint64(40)) / _MOST


@njit
def _hash_of(values, texts):
    """Of what does not change while a page is filled in: the instruction's values and the page's texts."""
    hashed = OFFSET
    for words in (values, texts):
        for row in range(words.shape[0]):
            for k in range(words.shape[1]):
                if words[row, k]:
                    hashed = mixed(hashed, words[row, k])
    return hashed


@njit
def _number_rows(rows, usable, table, firsts, numbers):
    """Number different rows, int32 (M, C), of usable elements by a table of hashes; how many there are."""
    count, size = 0, np.uint64(table.shape[0] - 1)
    for row in range(rows.shape[0]):
        if usable[row] < 0:
            continue
        hashed = OFFSET
        for k in range(rows.shape[1]):
            hashed = mixed(hashed, rows[row, k])
        slot = first_slot(hashed, table)
        while table[slot] >= 0:
            first, same = firsts[table[slot]], True
            for k in range(rows.shape[1]):
                if rows[row, k] != rows[first, k]:
                    same = False
                    break
            if same:
                break
            slot = (slot + np.uint64(1)) & size
        if table[slot] < 0:
            table[slot] = count
            firsts[count] = row
            count += 1
        numbers[row] = table[slot]
    return count


@njit
def _around(parents, row, place):
    """The place of the element around one, -1 without one."""
    parent = parents[row, place] if place >= 0 else -1
    return parent if parent < parents.shape[1] else -1


@njit
def _label_of(tags, parents, row, place):
    """The place of the first label or legend beside an element, -1 without one."""
    for other in range(tags.shape[1]):
        if (
            other != place
            and parents[row, other] == parents[row, place]
            and (tags[row, other] == _LABEL or tags[row, other] == _LEGEND)
        ):
            return other
    return -1


@njit
def _read_rows(
    tags,
    classes,
    texts,
    attributes,
    values,
    parents,
    boxes,
    active,
    filled,
    new,
    element_mask,
    field_labels,
    field_values,
    field_mask,
    hides,
    usable,
    words,
    features,
    matches,
):
    most, length = usable.shape[1], texts.shape[2]
    names = np.zeros((most, NAME_LENGTH), np.int32)
    sources, alike = np.zeros(NUM_TEXTS, np.int64), np.zeros((most, 2), np.bool_)
    for row in range(tags.shape[0]):
        count = 0
        for place in range(element_mask.shape[1]):
            if element_mask[row, place]:
                usable[row, count] = place
                count += 1
        task = _hash_of(field_values[row], texts[row]) if hides else OFFSET
        hidden = 2 * _drawn(task) - 1 if hides else 0.0
        width, height = max(boxes[row, 0, 2], 1), max(boxes[row, 0, 3], 1)
        for u in range(count):
            place = usable[row, u]
            parent = _around(parents, row, place)
            sources[0], sources[1], sources[2] = place, place, _label_of(tags, parents, row, place)
            sources[3], sources[4] = parent, _around(parents, row, parent)
            for s in range(NUM_TEXTS):
                for k in range(length):
                    word = 0
                    if sources[s] >= 0:
                        of_text = s == 0 or s == 2
                        word = texts[row, sources[s], k] if of_text else attributes[row, sources[s], k]
                    names[u, s * length + k] = word
            own = words[row, u]
            own[0] = _TAG_BASE + tags[row, place]
            for k in range(length):
                own[1 + k] = values[row, place, k]
            own[1 + length] = attributes[row, place, 0]
            for k in range(classes.shape[2]):
                own[2 + length + k] = classes[row, place, k]
            start = 2 + length + classes.shape[2]
            for k in range(NAME_LENGTH):
                word = names[u, k]
                hide = hides and word > 0 and k != length and _drawn(mixed(task, word)) < hidden
                own[start + k] = HIDDEN if hide else word
            own_features = features[row, u]
            own_features[0], own_features[1], own_features[2] = active[row, place], filled[row, place], new[row, place]
            own_features[3], own_features[4] = boxes[row, place, 0] / width, boxes[row, place, 1] / height
            own_features[5], own_features[6] = boxes[row, place, 2] / width, boxes[row, place, 3] / height
            own_features[7] = num_words(names[u]) / LONG
        for u in range(count):
            for side in range(2):
                other = u - 1 + 2 * side
                alike[u, side] = False
                if 0 <= other < count:
                    here, there = usable[row, u], usable[row, other]
                    alike[u, side] = (
                        tags[row, here] == tags[row, there] and attributes[row, here, 0] == attributes[row, there, 0]
                    )
                if alike[u, side]:
                    if side == 0:
                        features[row, u, NUM_OWN - 1] = 1 - features[row, other, NUM_OWN - 1]
                    start = NUM_OWN + side * NUM_BESIDE
                    features[row, u, start] = 1
                    features[row, u, start + 1] = filled[row, usable[row, other]]
                    features[row, u, start + 2] = common_share(names[u], names[other])
                    features[row, u, start + 3] = common_share(names[other], names[u])
                    features[row, u, start + 4] = (num_words(names[other]) - num_words(names[u])) / LONG
        match_row(
            tags[row],
            texts[row],
            attributes[row],
            values[row],
            parents[row],
            field_labels[row],
            field_values[row],
            field_mask[row],
            usable[row, :count],
            names[:count],
            matches[row],
        )
