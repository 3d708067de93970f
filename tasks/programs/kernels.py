"""All programs' pre-conditions, goals and post-conditions as one compiled function each, over states and programs.

The functions take states (float64 (S, 15 N + 10)), the numbers of programs (int64 (S, K), or (1, K) for the same ones
in every state) and a library's table (int64 (P, 3 + A)), and write into their last argument: nothing is allocated. A
row of the table holds the numbers of the program's pre-condition, goal setter and post-condition, then its arguments.
"""

from procgen_bench.core.compiled import njit
from procgen_bench.tasks.programs import conditions

#: The paper's functions, whose numbers in a table are their places here; the user's own follow.
PHIS = (conditions.always, conditions.can_stack, conditions.can_move_to_zone)
THETAS = (conditions.no_goal, conditions.set_stack_goal, conditions.set_zone_goal)
PSIS = (
    conditions.goal_is_met,
    conditions.all_in_zones,
    conditions.all_stacked_in_zones,
    conditions.all_stacked,
)
#: Columns of a table.
PHI, THETA, PSI, ARGUMENTS = 0, 1, 2, 3


@njit
def own_phi(number, state, arguments):
    """Whether the pre-condition of an own program holds; libraries with such programs put theirs in this place."""
    return False


@njit
def own_theta(number, state, arguments, goal):
    """Write the goal of an own program."""


@njit
def own_psi(number, state, arguments, goal):
    """Whether the post-condition of an own program holds."""
    return False


@njit
def phi(number, state, arguments):
    """Whether the pre-condition of this number holds."""
    if number == 0:
        return True
    if number == 1:
        return conditions.can_stack(state, arguments)
    if number == 2:
        return conditions.can_move_to_zone(state, arguments)
    return own_phi(number, state, arguments)


@njit
def theta(number, state, arguments, goal):
    """Write the goal of the goal setter of this number."""
    if number == 0:
        conditions.no_goal(state, arguments, goal)
    elif number == 1:
        conditions.set_stack_goal(state, arguments, goal)
    elif number == 2:
        conditions.set_zone_goal(state, arguments, goal)
    else:
        own_theta(number, state, arguments, goal)


@njit
def psi(number, state, arguments, goal):
    """Whether the post-condition of this number holds."""
    if number == 0:
        return conditions.goal_is_met(state, arguments, goal)
    if number == 1:
        return conditions.all_in_zones(state, arguments, goal)
    if number == 2:
        return conditions.all_stacked_in_zones(state, arguments, goal)
    if number == 3:
        return conditions.all_stacked(state, arguments, goal)
    return own_psi(number, state, arguments, goal)


@njit
def write_preconditions(states, programs, table, results):
    """Write whether each program can start in each state: bool (S, K)."""
    for i in range(states.shape[0]):
        chosen = programs[min(i, programs.shape[0] - 1)]
        for k in range(chosen.shape[0]):
            row = table[chosen[k]]
            results[i, k] = phi(row[PHI], states[i], row[ARGUMENTS:])


@njit
def write_goals(states, programs, table, goals):
    """Write the goals that the programs set when they begin in these states: float64 (S, K, 3 N), zeros of others."""
    for i in range(states.shape[0]):
        chosen = programs[min(i, programs.shape[0] - 1)]
        for k in range(chosen.shape[0]):
            row = table[chosen[k]]
            theta(row[THETA], states[i], row[ARGUMENTS:], goals[i, k])


@njit
def write_postconditions(states, programs, goals, table, results):
    """Write whether each program has done its work in each state, given its goals (S, K, 3 N): bool (S, K)."""
    for i in range(states.shape[0]):
        chosen = programs[min(i, programs.shape[0] - 1)]
        for k in range(chosen.shape[0]):
            row = table[chosen[k]]
            results[i, k] = psi(row[PSI], states[i], row[ARGUMENTS:], goals[i, k])
