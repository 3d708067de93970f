"""Pages of sites, read for a network: equal elements, equal neighbourhoods and equal fields of many rows are read once.

An element's content is 35 numbers of words: tag (behind the words), value, text, attributes and classes. A page has 35
to 190 elements, of which a step changes one or two; so rows of many steps hold few different ones.
"""

from typing import NamedTuple

import numpy as np

from procgen_bench.baselines.policies.arrays import Arrays
from procgen_bench.core.compiled import njit
from procgen_bench.tasks.sites.element_arrays import NUM_CLASSES
from procgen_bench.tasks.sites.vocabulary import TAG_NUMBERS, TEXT_LENGTH, num_tokens

#: Words of each attribute of an element, and of a field: its key, and its value.
ELEMENT_WORDS = (1, TEXT_LENGTH, TEXT_LENGTH, TEXT_LENGTH, NUM_CLASSES)
FIELD_WORDS = (TEXT_LENGTH, TEXT_LENGTH)
#: Numbers of an element beside its words: has the focus, was filled in, is new, is a div; left, top, width and height
#: as shares of the page's.
NUM_FEATURES = 8
#: Elements of a neighbourhood, in the middle of which one is; and words that there are: those of texts, then tags.
WINDOW, NUM_WORDS = 5, num_tokens() + len(TAG_NUMBERS) + 1
_TAG_BASE, _DIV = num_tokens(), TAG_NUMBERS["div"]
#: What a row that is not one has in place of a number.
NOWHERE = -1
OFFSET, _PRIME = np.uint64(0xCBF29CE484222325), np.uint64(0x100000001B3)


class Pages(NamedTuple):
    """N rows with at most E elements, U of them usable, and at most F fields.

    Attributes:
        elements: int32 (A, 35), different elements' words.
        element: int32 (N, E), the element at each place; -1 where there is none.
        features: float32 (N, E, 8).
        usable: int32 (N, U), places of the elements that an action can be made of; -1 behind the last.
        fields: int32 (B, 20), different fields' words.
        field: int32 (N, F), the field at each place; -1 where there is none.
    """

    elements: np.ndarray
    element: np.ndarray
    features: np.ndarray
    usable: np.ndarray
    fields: np.ndarray
    field: np.ndarray


def read_pages(seen: Arrays) -> Pages:
    """What rows observe (int16 and int8 (N, ...), contiguous) as pages."""
    words = [seen[name] for name in ("element_values", "texts", "attributes", "classes")]
    rows, longest = len(seen["tags"]), reach((seen["tags"] > 0) | (seen["element_mask"] > 0))
    most_usable = int(seen["element_mask"].sum(axis=1).max(initial=1))
    element, usable, field = (
        np.full((rows, most), NOWHERE, np.int32) for most in (longest, most_usable, reach(seen["field_mask"] > 0))
    )
    firsts = np.empty((rows * longest, 2), np.int32)
    count = _number_elements(seen["tags"], *words, hash_table(rows * longest), firsts, element)
    places = tuple(firsts[:count].T)
    elements = np.concatenate(
        [_TAG_BASE + seen["tags"][places][:, None], *(array[places] for array in words)], axis=1, dtype=np.int32
    )
    features = np.zeros((rows, longest, NUM_FEATURES), np.float32)
    flags = seen["active"], seen["filled"], seen["new"]
    _write_features(seen["tags"], seen["boxes"], *flags, seen["element_mask"], features, usable)
    firsts = np.empty((rows * field.shape[1], 2), np.int32)
    count = _number_fields(
        seen["field_labels"], seen["field_values"], seen["field_mask"], hash_table(field.size), firsts, field
    )
    places = tuple(firsts[:count].T)
    fields = np.concatenate([seen[name][places] for name in ("field_labels", "field_values")], axis=1, dtype=np.int32)
    return Pages(elements, element, features, usable, fields, field)


def number_windows(pages: Pages) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """The neighbourhoods of usable elements, each once.

    Returns:
        Elements int32 (W, 5) of the W neighbourhoods, -1 beyond the page; their features float32 (W, 5, 8); and which
        of them is around each usable element, int32 (N, U), -1 behind the last.
    """
    windows, firsts = np.full(pages.usable.shape, NOWHERE, np.int32), np.empty((pages.usable.size, 2), np.int32)
    table = hash_table(pages.usable.size)
    count = _number_windows(pages.element, pages.features.view(np.int32), pages.usable, table, firsts, windows)
    rows, middles = firsts[:count].T
    places = middles[:, None] + np.arange(WINDOW) - WINDOW // 2
    inside = (places >= 0) & (places < pages.element.shape[1])
    places = np.where(inside, places, 0)
    elements = np.where(inside, pages.element[rows[:, None], places], NOWHERE)
    there = (elements != NOWHERE)[:, :, None]
    return elements, np.where(there, pages.features[rows[:, None], places], np.float32(0)), windows


def reach(present: np.ndarray) -> int:
    """Up to which column, at least 1, any row of (N, E) has something that is not 0."""
    places = np.flatnonzero(present.any(axis=0))
    return int(places[-1]) + 1 if len(places) else 1


def hash_table(entries: int) -> np.ndarray:
    """An empty table of hashes, at most half of which so many entries fill."""
    return np.full(1 << int(2 * entries).bit_length(), NOWHERE, np.int32)


@njit
def mixed(hashed, value):
    """A hash (FNV-1a) with one more number in it."""
    return (hashed ^ np.uint64(value & 0xFFFFFFFF)) * _PRIME


@njit
def first_slot(hashed, table):
    """Where an entry of this hash is looked for first."""
    return (hashed ^ (hashed >> np.uint64(29))) & np.uint64(table.shape[0] - 1)


@njit
def _number_elements(tags, values, texts, attributes, classes, table, firsts, element):
    count = 0
    for row in range(tags.shape[0]):
        for place in range(element.shape[1]):
            if tags[row, place] == 0:
                continue
            hashed = mixed(OFFSET, tags[row, place])
            for k in range(values.shape[2]):
                hashed = mixed(hashed, values[row, place, k])
                hashed = mixed(hashed, texts[row, place, k])
                hashed = mixed(hashed, attributes[row, place, k])
            for k in range(classes.shape[2]):
                hashed = mixed(hashed, classes[row, place, k])
            slot = first_slot(hashed, table)
            while table[slot] >= 0:
                first, other = firsts[table[slot], 0], firsts[table[slot], 1]
                same = tags[row, place] == tags[first, other]
                for k in range(values.shape[2]):
                    same &= values[row, place, k] == values[first, other, k]
                    same &= texts[row, place, k] == texts[first, other, k]
                    same &= attributes[row, place, k] == attributes[first, other, k]
                for k in range(classes.shape[2]):
                    same &= classes[row, place, k] == classes[first, other, k]
                if same:
                    break
                slot = (slot + np.uint64(1)) & np.uint64(table.shape[0] - 1)
            if table[slot] < 0:
                table[slot] = count
                firsts[count, 0], firsts[count, 1] = row, place
                count += 1
            element[row, place] = table[slot]
    return count


@njit
def _number_fields(labels, values, masks, table, firsts, field):
    count = 0
    for row in range(labels.shape[0]):
        for place in range(field.shape[1]):
            if masks[row, place] == 0:
                continue
            hashed = OFFSET
            for k in range(labels.shape[2]):
                hashed = mixed(mixed(hashed, labels[row, place, k]), values[row, place, k])
            slot = first_slot(hashed, table)
            while table[slot] >= 0:
                first, other, same = firsts[table[slot], 0], firsts[table[slot], 1], True
                for k in range(labels.shape[2]):
                    same &= labels[row, place, k] == labels[first, other, k]
                    same &= values[row, place, k] == values[first, other, k]
                if same:
                    break
                slot = (slot + np.uint64(1)) & np.uint64(table.shape[0] - 1)
            if table[slot] < 0:
                table[slot] = count
                firsts[count, 0], firsts[count, 1] = row, place
                count += 1
            field[row, place] = table[slot]
    return count


@njit
def _write_features(tags, boxes, active, filled, new, masks, features, usable):
    for row in range(tags.shape[0]):
        width, height, count = max(boxes[row, 0, 2], 1), max(boxes[row, 0, 3], 1), 0
        for place in range(features.shape[1]):
            if masks[row, place]:
                usable[row, count] = place
                count += 1
            if tags[row, place] == 0:
                continue
            own = features[row, place]
            own[0], own[1], own[2] = active[row, place], filled[row, place], new[row, place]
            own[3] = tags[row, place] == _DIV
            own[4], own[5] = boxes[row, place, 0] / width, boxes[row, place, 1] / height
            own[6], own[7] = boxes[row, place, 2] / width, boxes[row, place, 3] / height


@njit
def _number_windows(element, features, usable, table, firsts, windows):
    """``features`` are bits: equal ones are equal numbers."""
    count, around = 0, WINDOW // 2
    for row in range(usable.shape[0]):
        for k in range(usable.shape[1]):
            middle = usable[row, k]
            if middle < 0:
                break
            hashed = OFFSET
            for place in range(middle - around, middle + around + 1):
                if 0 <= place < element.shape[1]:
                    hashed = mixed(hashed, element[row, place])
                    for f in range(features.shape[2]):
                        hashed = mixed(hashed, features[row, place, f])
                else:
                    hashed = mixed(hashed, NOWHERE)
            slot = first_slot(hashed, table)
            while table[slot] >= 0:
                if _same_window(element, features, row, middle, firsts[table[slot], 0], firsts[table[slot], 1], around):
                    break
                slot = (slot + np.uint64(1)) & np.uint64(table.shape[0] - 1)
            if table[slot] < 0:
                table[slot] = count
                firsts[count, 0], firsts[count, 1] = row, middle
                count += 1
            windows[row, k] = table[slot]
    return count


@njit
def _same_window(element, features, row, middle, other_row, other_middle, around):
    for step in range(-around, around + 1):
        place, other = middle + step, other_middle + step
        here, there = 0 <= place < element.shape[1], 0 <= other < element.shape[1]
        number = element[row, place] if here else NOWHERE
        other_number = element[other_row, other] if there else NOWHERE
        if number != other_number:
            return False
        if here and there:
            for f in range(features.shape[2]):
                if features[row, place, f] != features[other_row, other, f]:
                    return False
    return True
