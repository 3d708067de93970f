"""The native twin's compiled rules: what actions do to sites, all rows in one call.

Arguments: ``sites``, ``pages`` (PAGE (N,)) and ``view`` are the arrays of :mod:`procgen_bench.envs.web.site_arrays`;
``page`` is one of the pages; ``elements``, ``primitives`` and ``values`` are the libraries of
:mod:`procgen_bench.tasks.sites.library`.
"""

from procgen_bench.core.compiled import njit
from procgen_bench.engine.outcomes import begin, count_steps
from procgen_bench.envs.web.page_kernel import set_hidden, show_page, turn
from procgen_bench.envs.web.rewards import FAILURE_REWARD, SUCCESS_REWARD
from procgen_bench.tasks.sites.design import HORIZON
from procgen_bench.tasks.sites.elements import CHECKED, VISITED, Behaviour
from procgen_bench.tasks.sites.library import NOTHING
from procgen_bench.tasks.sites.vocabulary import TEXT_LENGTH, token

# Compiled code compares integers faster than an enumeration's members.
_TYPE, _SELECT, _CHECK, _CHOOSE = map(int, (Behaviour.TYPE, Behaviour.SELECT, Behaviour.CHECK, Behaviour.CHOOSE))
_TOGGLE, _FORWARD, _BACK = map(int, (Behaviour.TOGGLE, Behaviour.FORWARD, Behaviour.BACK))
_LEAVE, _SUBMIT = map(int, (Behaviour.LEAVE, Behaviour.SUBMIT))
_VISITED, _CHECKED = token(VISITED), token(CHECKED)


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
                view.field_labels[i, place, k] = values[sites.fields[i, place]].label[k] if asked else 0
                view.field_values[i, place, k] = sites.value_tokens[i, place, k] if asked else 0
        page = pages[i]
        page.number, page.num_right = 0, 0
        page.previous[0], page.previous[1] = NOTHING, NOTHING
        show_page(i, sites, page, elements, primitives, view)


@njit
def step_rows(
    actions, active, max_episode_steps, step_penalty, repeat_penalty, sites, pages, elements, primitives, view, outcomes
):
    """Advance every active row by its action, int64 (N, 2): element and field."""
    count_steps(outcomes, active, max_episode_steps)
    rewards, terminations, _, successes, elapsed = outcomes
    for i in range(actions.shape[0]):
        if not active[i]:
            continue
        page = pages[i]
        element, field = actions[i, 0], actions[i, 1]
        reward = -step_penalty
        if element == page.previous[0] and field == page.previous[1]:
            reward -= repeat_penalty
        page.previous[0], page.previous[1] = element, field
        before = page.num_right
        sent = False
        if element < page.num_elements and field < sites.num_fields[i] and view.element_masks[i, element]:
            sent = _act(i, element, field, sites, page, elements, primitives, view)
        reward += (page.num_right - before) / sites.num_active[i]
        solved = sent and page.num_right == sites.num_active[i]
        if solved:
            reward += SUCCESS_REWARD
        elif sent or elapsed[i] == HORIZON:
            reward += FAILURE_REWARD
        rewards[i], terminations[i], successes[i] = reward, sent, solved


@njit
def _act(i, element, field, sites, page, elements, primitives, view):
    """Do an action that there is; whether the site is sent off by it."""
    inside = page.elements[element]
    behaviour = elements[inside].behaviour
    block_start = page.block_starts[page.blocks[element]]
    if behaviour == _SELECT and not _offers(inside, sites.value_ids[i, field], elements):
        return False
    if behaviour == _LEAVE and page.number + 1 < sites.num_pages[i]:
        page.number += 1
        show_page(i, sites, page, elements, primitives, view)
        return False
    _set_focus(i, element, page, view)
    if behaviour == _SUBMIT:
        return True
    if behaviour in (_TYPE, _SELECT):
        page.typed[element] = field
        for k in range(TEXT_LENGTH):
            view.values[i, element, k] = view.field_values[i, field, k]
        _judge(i, element, sites.value_ids[i, field], sites, page, primitives)
    elif behaviour == _CHECK:
        checked = not page.checked[element]
        _set_checked(i, element, checked, page, view)
        _judge(i, element, elements[inside].text_id if checked else NOTHING, sites, page, primitives)
    elif behaviour == _CHOOSE:
        _choose(i, element, block_start, page, elements, view)
        _judge(i, element, elements[inside].text_id, sites, page, primitives)
    elif behaviour == _TOGGLE:
        target = block_start + elements[inside].target
        set_hidden(i, target, not page.hidden[target], page, elements, view)
    elif behaviour in (_FORWARD, _BACK):
        direction = 1 if behaviour == _FORWARD else -1
        turn(i, block_start + elements[inside].target, direction, page, elements, view)
    else:  # VISIT, or LEAVE on the last page
        view.classes[i, element, elements[inside].state_place] = _VISITED
    if not page.shown[element]:
        _set_focus(i, NOTHING, page, view)
    return False


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
    view.values[i, element, 0] = _CHECKED if checked else 0


@njit
def _choose(i, element, block_start, page, elements, view):
    """Check this option of its block, and no other one."""
    first = page.elements[block_start]
    for other in range(block_start, block_start + elements[first].size):
        if elements[page.elements[other]].behaviour == _CHOOSE:
            _set_checked(i, other, other == element, page, view)


@njit
def _offers(select, value_id, elements):
    """Whether one of the options inside ``select`` has this text."""
    for option in range(select + 1, select + elements[select].size):  # noqa: SIM110 (Numba compiles no generators)
        if elements[option].text_id == value_id:
            return True
    return False


@njit
def _judge(i, element, value_id, sites, page, primitives):
    """The block of ``element`` holds this value now: is it the one that the instruction asks for?"""
    block = page.blocks[element]
    field = primitives[sites.primitives[i, page.number, block]].field
    if field == NOTHING:
        return
    right = value_id == sites.value_ids[i, sites.places[i, field]]
    if right != page.right[block]:
        page.right[block] = right
        page.num_right += 1 if right else -1
