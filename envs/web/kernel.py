"""The native twin's compiled rules: what actions do to sites, all rows in one call.

Arguments: ``sites``, ``pages`` and ``view`` are the arrays of :mod:`procgen_bench.envs.web.site_arrays`; ``elements``,
``primitives`` and ``values`` the libraries of :mod:`procgen_bench.tasks.sites.library`.
"""

from numba import njit

from procgen_bench.envs.web.page_kernel import set_hidden, show_page, turn
from procgen_bench.envs.web.rewards import FAILURE_REWARD, SUCCESS_REWARD
from procgen_bench.outcomes import begin, count_steps
from procgen_bench.tasks.sites.design import HORIZON
from procgen_bench.tasks.sites.elements import CHECKED, VISITED, Behaviour
from procgen_bench.tasks.sites.library import NOTHING
from procgen_bench.tasks.sites.vocabulary import token

# Compiled code compares integers faster than an enumeration's members.
_TYPE, _SELECT, _CHECK, _CHOOSE = map(int, (Behaviour.TYPE, Behaviour.SELECT, Behaviour.CHECK, Behaviour.CHOOSE))
_TOGGLE, _FORWARD, _BACK = map(int, (Behaviour.TOGGLE, Behaviour.FORWARD, Behaviour.BACK))
_LEAVE, _SUBMIT = map(int, (Behaviour.LEAVE, Behaviour.SUBMIT))
_VISITED, _CHECKED = token(VISITED), token(CHECKED)


@njit(cache=True)
def start_rows(rows, sites, pages, elements, primitives, values, view, outcomes):
    """Begin an episode in every row of ``rows`` (bool (N,)): its instruction and its first page."""
    begin(outcomes, rows)
    for i in range(rows.shape[0]):
        if not rows[i]:
            continue
        view.field_labels[i], view.field_values[i], view.field_masks[i] = 0, 0, 0
        for place in range(sites.num_fields[i]):
            view.field_labels[i, place] = values.labels[sites.fields[i, place]]
            view.field_values[i, place] = sites.value_tokens[i, place]
            view.field_masks[i, place] = 1
        pages.numbers[i], pages.num_right[i], pages.previous[i] = 0, 0, NOTHING
        show_page(i, sites, pages, elements, primitives, view)


@njit(cache=True)
def step_rows(
    actions, active, max_episode_steps, step_penalty, repeat_penalty, sites, pages, elements, primitives, view, outcomes
):
    """Advance every active row by its action, int64 (N, 2): element and field."""
    count_steps(outcomes, active, max_episode_steps)
    rewards, terminations, _, successes, elapsed = outcomes
    for i in range(actions.shape[0]):
        if not active[i]:
            continue
        element, field = actions[i, 0], actions[i, 1]
        reward = -step_penalty
        if element == pages.previous[i, 0] and field == pages.previous[i, 1]:
            reward -= repeat_penalty
        pages.previous[i, 0], pages.previous[i, 1] = element, field
        before = pages.num_right[i]
        sent = False
        if element < pages.num_elements[i] and field < sites.num_fields[i] and view.element_masks[i, element]:
            sent = _act(i, element, field, sites, pages, elements, primitives, view)
        reward += (pages.num_right[i] - before) / sites.num_active[i]
        solved = sent and pages.num_right[i] == sites.num_active[i]
        if solved:
            reward += SUCCESS_REWARD
        elif sent or elapsed[i] == HORIZON:
            reward += FAILURE_REWARD
        rewards[i], terminations[i], successes[i] = reward, sent, solved


@njit(cache=True)
def _act(i, element, field, sites, pages, elements, primitives, view):
    """Do an action that there is; whether the site is sent off by it."""
    inside = pages.elements[i, element]
    behaviour = elements.behaviours[inside]
    block_start = pages.block_starts[i, pages.blocks[i, element]]
    if behaviour == _SELECT and not _offers(inside, sites.value_ids[i, field], elements):
        return False
    if behaviour == _LEAVE and pages.numbers[i] + 1 < sites.num_pages[i]:
        pages.numbers[i] += 1
        show_page(i, sites, pages, elements, primitives, view)
        return False
    _set_focus(i, element, pages, view)
    if behaviour == _SUBMIT:
        return True
    if behaviour in (_TYPE, _SELECT):
        pages.typed[i, element] = field
        view.values[i, element] = view.field_values[i, field]
        _judge(i, element, sites.value_ids[i, field], sites, pages, primitives)
    elif behaviour == _CHECK:
        checked = not pages.checked[i, element]
        _set_checked(i, element, checked, pages, view)
        _judge(i, element, elements.text_ids[inside] if checked else NOTHING, sites, pages, primitives)
    elif behaviour == _CHOOSE:
        _choose(i, element, block_start, pages, elements, view)
        _judge(i, element, elements.text_ids[inside], sites, pages, primitives)
    elif behaviour == _TOGGLE:
        target = block_start + elements.targets[inside]
        set_hidden(i, target, not pages.hidden[i, target], pages, elements, view)
    elif behaviour in (_FORWARD, _BACK):
        direction = 1 if behaviour == _FORWARD else -1
        turn(i, block_start + elements.targets[inside], direction, pages, elements, view)
    else:  # VISIT, or LEAVE on the last page
        view.classes[i, element, elements.state_places[inside]] = _VISITED
    if not pages.shown[i, element]:
        _set_focus(i, NOTHING, pages, view)
    return False


@njit(cache=True)
def _set_focus(i, element, pages, view):
    if pages.focus[i] != NOTHING:
        view.active[i, pages.focus[i]] = 0
    pages.focus[i] = element
    if element != NOTHING:
        view.active[i, element] = 1


@njit(cache=True)
def _set_checked(i, element, checked, pages, view):
    pages.checked[i, element] = checked
    view.values[i, element, 0] = _CHECKED if checked else 0


@njit(cache=True)
def _choose(i, element, block_start, pages, elements, view):
    """Check this option of its block, and no other one."""
    first = pages.elements[i, block_start]
    for other in range(block_start, block_start + elements.sizes[first]):
        if elements.behaviours[pages.elements[i, other]] == _CHOOSE:
            _set_checked(i, other, other == element, pages, view)


@njit(cache=True)
def _offers(select, value_id, elements):
    """Whether one of the options inside ``select`` has this text."""
    for option in range(select + 1, select + elements.sizes[select]):  # noqa: SIM110 (Numba compiles no generators)
        if elements.text_ids[option] == value_id:
            return True
    return False


@njit(cache=True)
def _judge(i, element, value_id, sites, pages, primitives):
    """The block of ``element`` holds this value now: is it the one that the instruction asks for?"""
    block = pages.blocks[i, element]
    field = primitives.fields[sites.primitives[i, pages.numbers[i], block]]
    if field == NOTHING:
        return
    right = value_id == sites.value_ids[i, sites.places[i, field]]
    if right != pages.right[i, block]:
        pages.right[i, block] = right
        pages.num_right[i] += 1 if right else -1
