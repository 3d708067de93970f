"""The native twin's compiled rules: what actions do to sites, all rows in one call.

Arguments: ``sites``, ``pages`` (PAGE (N,)) and ``view`` are the arrays of :mod:`procgen_bench.envs.web.site_arrays`;
``page`` is one of the pages; ``elements``, ``primitives`` and ``values`` are those of
:class:`~procgen_bench.envs.web.site_tables.SiteTables`.
"""

from procgen_bench.core.compiled import njit
from procgen_bench.engine.outcomes import begin, count_steps
from procgen_bench.envs.web.page_kernel import is_usable, nothing_is_new, set_hidden, show_page
from procgen_bench.envs.web.site_arrays import INSTRUCTION, OWN_TEXT
from procgen_bench.tasks.sites.design import HORIZON
from procgen_bench.tasks.sites.element_arrays import LEFT_ALONE, NOTHING, listed_texts
from procgen_bench.tasks.sites.elements import CHECKED, FORMED, VISITED, Behaviour
from procgen_bench.tasks.sites.primitive import NO, YES
from procgen_bench.tasks.sites.vocabulary import TEXT_LENGTH, token

# Compiled code compares integers faster than an enumeration's members.
_TYPE, _SELECT = int(Behaviour.TYPE), int(Behaviour.SELECT)
_NUMBER, _DATE, _TIME, _EMAIL = (int(behaviour) for behaviour in FORMED)
_CHECK, _CHOOSE, _TOGGLE = int(Behaviour.CHECK), int(Behaviour.CHOOSE), int(Behaviour.TOGGLE)
_LEAVE, _SUBMIT, _END = int(Behaviour.LEAVE), int(Behaviour.SUBMIT), int(Behaviour.END)
_VISITED, _CHECKED = token(VISITED), token(CHECKED)
_YES, _NO = listed_texts().index(YES), listed_texts().index(NO)
#: What an action may come to.
IDLE, CHANGED, SENT, ENDED = range(4)


@njit
def start_rows(rows, sites, pages, elements, primitives, values, view, outcomes):
    """Begin an episode in every row of ``rows`` (bool (N,)): its instruction and its first page."""
    begin(outcomes, rows)
    for i in range(rows.shape[0]):
        if not rows[i]:
            continue
        for place in range(view.field_masks.shape[1]):
            asked = place < sites.num_fields[i]
            view.field_masks[i, place] = asked
            for k in range(TEXT_LENGTH):
                name = values[sites.fields[i, place]].names[sites.variations[i, INSTRUCTION], k]
                view.field_labels[i, place, k] = name if asked else 0
                view.field_values[i, place, k] = sites.value_tokens[i, place, k] if asked else 0
        page = pages[i]
        page.number, page.num_right = 0, _num_right_at_first(i, sites, primitives)
        view.time_step[i, 0] = 0
        show_page(i, sites, page, elements, primitives, view)
        nothing_is_new(i, page, view)


@njit
def _num_right_at_first(i, sites, primitives):
    """How many of the site's active primitives hold at first what the instruction asks for."""
    count = 0
    for number in range(sites.num_pages[i]):
        for block in range(sites.page_sizes[i, number]):
            place = sites.asked[i, number, block]
            initial = primitives[sites.primitives[i, number, block]].initial
            if place >= 0 and initial == sites.value_ids[i, place]:
                count += 1
    return count


@njit
def step_rows(actions, active, max_episode_steps, amounts, literal, sites, pages, elements, primitives, view, outcomes):
    """Advance every active row by its action, int64 (N, 2): element, and field or ``OWN_TEXT``, the row's last value.

    ``amounts`` are as in ``SiteRewards``. Unless ``literal``, boxes, lists and options are used by a field's value: a
    box that is to stay as it was at first, or a list that holds the value, is only visited, and the option of the group
    that is the value is chosen. A row's own text is literal.
    """
    count_steps(outcomes, active, max_episode_steps)
    rewards, terminations, _, successes, elapsed = outcomes
    step_penalty, idle_penalty, progress_reward, success_reward, failure_penalty = amounts
    for i in range(actions.shape[0]):
        if not active[i]:
            continue
        page = pages[i]
        nothing_is_new(i, page, view)
        view.time_step[i, 0] = elapsed[i]
        element, field = actions[i, 0], actions[i, 1]
        before, outcome = page.num_right, IDLE
        if element < page.num_elements and field < sites.num_fields[i] and is_usable(element, page, elements):
            visited = False
            if not literal and field != OWN_TEXT:
                element = _meant(element, sites.value_ids[i, field], page, elements)
                visited = _stays(element, sites.value_ids[i, field], page, elements)
            outcome = _act(i, element, field, visited, sites, page, elements, primitives, view)
        reward = progress_reward * (page.num_right - before) / sites.num_active[i]
        over = outcome >= SENT
        solved = outcome == SENT and page.num_right == sites.num_active[i]
        if solved:
            reward += success_reward
        elif over or elapsed[i] == HORIZON:
            reward -= failure_penalty
        else:
            reward -= step_penalty
            if outcome == IDLE:
                reward -= idle_penalty
        rewards[i], terminations[i], successes[i] = reward, over, solved


@njit
def _meant(element, value_id, page, elements):
    """The option of an option's group that is this value, if there is one; else the element itself."""
    if elements[page.elements[element]].behaviour == _CHOOSE:
        first = page.block_starts[page.blocks[element]]
        for other in range(first, first + elements[page.elements[first]].size):
            inside = page.elements[other]
            if page.shown[other] and elements[inside].behaviour == _CHOOSE and elements[inside].text_id == value_id:
                return other
    return element


@njit
def _stays(element, value_id, page, elements):
    """Whether it is a box that this value leaves as it was at first, or a list that holds the value."""
    inside = page.elements[element]
    if elements[inside].behaviour == _CHECK:
        return value_id != (_NO if elements[inside].checked else _YES)
    return elements[inside].behaviour == _SELECT and value_id == page.held[element]


@njit
def _act(i, element, field, only_visited, sites, page, elements, primitives, view):
    """Do an action that there is; what it came to. A box or a list is changed unless it is only visited."""
    inside = page.elements[element]
    behaviour = elements[inside].behaviour
    block_start = page.block_starts[page.blocks[element]]
    value_id = sites.value_ids[i, field]
    if behaviour == _SELECT and not _offers(inside, value_id, elements):
        return IDLE
    if behaviour == _CHOOSE and elements[inside].text_id != value_id:
        return IDLE
    if behaviour == _LEAVE and page.number + 1 < sites.num_pages[i]:
        page.number += 1
        show_page(i, sites, page, elements, primitives, view)
        return CHANGED
    _set_focus(i, element, page, view)
    if behaviour == _END:
        return ENDED
    if behaviour == _SUBMIT:
        return SENT if page.number + 1 == sites.num_pages[i] else IDLE
    changed = True
    form = _form_of(behaviour)
    if form >= 0 or behaviour == _TYPE or (behaviour == _SELECT and not only_visited):
        taken = form < 0 or (sites.value_forms[i, field] >> form) & 1 == 1
        held = value_id if taken else NOTHING
        changed = held != page.held[element]
        page.held[element] = held
        for k in range(TEXT_LENGTH):
            view.element_values[i, element, k] = sites.value_tokens[i, field, k] if taken else 0
        view.filled[i, element] = 1
        _judge(i, element, held, sites, page, primitives)
    elif behaviour == _CHECK and not only_visited:
        checked = not page.checked[element]
        _set_checked(i, element, checked, page, view)
        view.filled[i, element] = 1
        _judge(i, element, _YES if checked else _NO, sites, page, primitives)
    elif behaviour == _CHOOSE:
        changed = not page.checked[element]
        _choose(i, element, block_start, page, elements, view)
        _judge(i, element, value_id, sites, page, primitives)
    elif behaviour == _TOGGLE:
        target = block_start + elements[inside].target
        set_hidden(i, target, not page.hidden[target], page, elements, view)
    else:  # VISIT, LEAVE on the last page, or a box or a list that is only visited
        if only_visited:
            view.filled[i, element] = 1
        place = elements[inside].state_place
        changed = view.classes[i, element, place] != _VISITED
        view.classes[i, element, place] = _VISITED
    if not page.shown[element]:
        _set_focus(i, NOTHING, page, view)
    return CHANGED if changed else IDLE


@njit
def _form_of(behaviour):
    """The place among ``FORMED`` of the form that a line takes alone; -1: it takes any text, or is no line."""
    if behaviour == _NUMBER:
        return 0
    if behaviour == _DATE:
        return 1
    if behaviour == _TIME:
        return 2
    return 3 if behaviour == _EMAIL else -1


@njit
def _set_focus(i, element, page, view):
    if page.focus != NOTHING:
        view.active[i, page.focus] = 0
    page.focus = element
    if element != NOTHING:
        view.active[i, element] = 1


@njit
def _set_checked(i, element, checked, page, view):
    page.checked[element] = checked
    view.element_values[i, element, 0] = _CHECKED if checked else 0


@njit
def _choose(i, element, block_start, page, elements, view):
    """Check this option of its block, and no other one; where options are one target, all of them are filled."""
    first = page.elements[block_start]
    for other in range(block_start, block_start + elements[first].size):
        if elements[page.elements[other]].behaviour == _CHOOSE:
            _set_checked(i, other, other == element, page, view)
            if view.grouped or other == element:
                view.filled[i, other] = 1


@njit
def _offers(select, value_id, elements):
    """Whether one of the options inside ``select`` has this text."""
    for option in range(select + 1, select + elements[select].size):  # noqa: SIM110 (Numba compiles no generators)
        if elements[option].text_id == value_id:
            return True
    return False


@njit
def _judge(i, element, value_id, sites, page, primitives):
    """The block of ``element`` holds this value now: is it the one that the instruction asks for, or a decoy's own?"""
    block = page.blocks[element]
    place = sites.asked[i, page.number, block]
    if place == NOTHING:
        return
    initial = primitives[sites.primitives[i, page.number, block]].initial
    right = value_id == (initial if place == LEFT_ALONE else sites.value_ids[i, place])
    if right != page.right[block]:
        page.right[block] = right
        page.num_right += 1 if right else -1
