"""VoxelBuild's 21 actions, after the discrete movement commands of Malmo, the paper's platform."""

#: By action: its name.
ACTIONS = (
    "no-op",
    "move forward",
    "move backward",
    "move left",
    "move right",
    "jump forward",
    "jump backward",
    "jump left",
    "jump right",
    "turn left",
    "turn right",
    "turn round",
    "look up",
    "look down",
    "place stone",
    "place planks",
    "place diamond",
    "jump and place stone",
    "jump and place planks",
    "jump and place diamond",
    "break",
)

NO_OP = 0
MOVE_FORWARD, MOVE_BACKWARD, MOVE_LEFT, MOVE_RIGHT = range(1, 5)
JUMP_FORWARD, JUMP_BACKWARD, JUMP_LEFT, JUMP_RIGHT = range(5, 9)
TURN_LEFT, TURN_RIGHT, TURN_ROUND = range(9, 12)
LOOK_UP, LOOK_DOWN = 12, 13
#: The first block type's; the others' follow.
PLACE, JUMP_PLACE = 14, 17
BREAK = 20
