"""What of a field stands in the names of a page's elements: equal words are seen, whether they are known or not."""

import numpy as np

from procgen_bench.core.compiled import njit

#: Numbers of a field and an element: how many words of the key stand in the name, each by how many fields and names
#: have it; which shares of the key and of the name stand in the other; the share of the value's words that the element
#: offers, and that it holds; and the greatest share that any element of the page holds.
NUM_MATCHES = 6
_DISTINCT, _IN_KEY, _IN_NAME, _OFFERED, _HELD, _HELD_BY_ANY = range(NUM_MATCHES)


@njit
def match_row(tags, texts, attributes, values, parents, labels, wanted, field_mask, usable, names, matches):
    """Compare a row's fields with its usable elements.

    Args:
        tags: int16 (E,), of all elements.
        texts, attributes, values: int16 (E, 10), their words.
        parents: int16 (E,), the places of the elements around them.
        labels, wanted: int16 (F, 10), words of the fields' keys and values.
        field_mask: int8 (F,), which fields there are.
        usable: int32 (U,), places of the elements that can be used.
        names: int32 (U, 50), the words of their names.
        matches: float32 (F, at least U, 6), zeros; what is written. See :data:`NUM_MATCHES`.
    """
    for field in range(field_mask.shape[0]):
        if not field_mask[field]:
            continue
        key_length, most_held = max(num_words(labels[field]), 1), np.float32(0)
        for u in range(usable.shape[0]):
            matches[field, u, _OFFERED] = _offered(tags, texts, attributes, parents, usable[u], wanted[field])
            matches[field, u, _HELD] = common_share(wanted[field], values[usable[u]])
            most_held = max(most_held, matches[field, u, _HELD])
        for u in range(usable.shape[0]):
            matches[field, u, _HELD_BY_ANY] = most_held
        for k in range(labels.shape[1]):
            word = labels[field, k]
            if word == 0:
                continue
            in_fields, in_names = 0, 0
            for other in range(field_mask.shape[0]):
                in_fields += field_mask[other] and count_of(labels[other], word) > 0
            for u in range(usable.shape[0]):
                in_names += count_of(names[u], word) > 0
            if not in_names:
                continue
            for u in range(usable.shape[0]):
                found = count_of(names[u], word)
                if found:
                    matches[field, u, _DISTINCT] += np.float32(1) / np.float32(in_fields * in_names)
                    matches[field, u, _IN_KEY] += np.float32(1) / np.float32(key_length)
                    matches[field, u, _IN_NAME] += np.float32(found) / np.float32(max(num_words(names[u]), 1))


@njit
def count_of(words, word):
    """How often a word stands among words, int (n,)."""
    found = 0
    for k in range(words.shape[0]):
        found += words[k] == word
    return found


@njit
def _offered(tags, texts, attributes, parents, place, wanted):
    """Which share of a value's words an element offers: as options in it, or as an option among others of its kind."""
    around = _grandparent(parents, place)
    found, count = 0, 0
    for k in range(wanted.shape[0]):
        if wanted[k] == 0:
            continue
        count += 1
        for other in range(tags.shape[0]):
            inside = parents[other] == place and count_of(texts[other], wanted[k]) > 0
            if inside or (
                around >= 0
                and attributes[other, 0] == attributes[place, 0]
                and _grandparent(parents, other) == around
                and count_of(attributes[other], wanted[k]) > 0
            ):
                found += 1
                break
    return np.float32(found) / np.float32(max(count, 1))


@njit
def _grandparent(parents, place):
    parent = parents[place]
    return parents[parent] if 0 <= parent < parents.shape[0] else -1


@njit
def common_share(some, others):
    """Which share of some words, int32 (a,), padded by 0, stands among others, int32 (b,)."""
    found, count = 0, 0
    for k in range(some.shape[0]):
        if some[k] == 0:
            continue
        count += 1
        for j in range(others.shape[0]):
            if others[j] == some[k]:
                found += 1
                break
    return np.float32(found) / np.float32(max(count, 1))


@njit
def num_words(words):
    """How many of words, int (n,), are no padding."""
    count = 0
    for k in range(words.shape[0]):
        count += words[k] != 0
    return count
