"""The rules in plain Python, after the specification: a second opinion for the compiled solver and kernels."""

from collections import deque

from procgen_bench.tasks.compositional_minigrid import CompositionalMiniGridTask

LEFT, RIGHT, FORWARD, PICKUP, DROP, TOGGLE, DONE = range(7)
_STEPS = ((1, 0), (0, 1), (-1, 0), (0, -1))

#: (x, y, direction, key's place, ball's place, door, box, done): places are a tile, "hand", "box" or None.
State = tuple


class ReferenceRoom:
    """One task's transitions, without rewards."""

    def __init__(self, task: CompositionalMiniGridTask):
        spots = [tuple(place) if place[0] != -1 else None for place in task.places.tolist()]
        key, self.door, ball, self.box, self.goal = spots
        self.asked = frozenset(k for k in range(5) if task.subtasks[k])
        x, y, direction = task.agent.tolist()
        self.start: State = (x, y, direction, key, ball, "locked", "closed", frozenset())

    def step(self, state: State, action: int) -> tuple[State, bool]:
        """The next state, and whether the goal was stepped on."""
        x, y, direction, key, ball, door, box, done = state
        if action in (LEFT, RIGHT):
            return (x, y, (direction + (1 if action == RIGHT else -1)) % 4, key, ball, door, box, done), False
        front = (x + _STEPS[direction][0], y + _STEPS[direction][1])
        free = all(1 <= part <= 6 for part in front) and front not in (key, ball, self.door, self.box, self.goal)
        if action == FORWARD:
            if front == self.goal:
                return (*front, direction, key, ball, door, box, done), True
            if free or (front == self.door and door == "open"):
                x, y = front
        elif action == PICKUP and "hand" not in (key, ball):
            if front == key:
                key, done = "hand", done | {0}
            elif front == ball:
                ball, done = "hand", done | {2}
        elif action == DROP:
            if ball == "hand" and front == self.box and box == "open":
                ball, done = "box", done | {4}
                box = "full"
            elif free and key == "hand":
                key = front
            elif free and ball == "hand":
                ball = front
        elif action == TOGGLE:
            if front == self.box and box == "closed":
                box, done = "open", done | {3}
            elif front == self.door and (door == "closed" or (door == "locked" and key == "hand")):
                door, done = "open", done | {1}
            elif front == self.door and door == "open":
                door = "closed"
        return (x, y, direction, key, ball, door, box, done & self.asked), False

    def shortest_length(self) -> int | None:
        """Steps of a shortest solution, by breadth-first search with all seven actions; ``None``: there is none."""
        lengths, queue = {self.start: 0}, deque([self.start])
        while queue:
            state = queue.popleft()
            for action in range(7):
                following, at_goal = self.step(state, action)
                if at_goal:
                    if following[-1] == self.asked:
                        return lengths[state] + 1
                elif following not in lengths:
                    lengths[following] = lengths[state] + 1
                    queue.append(following)
        return None
