"""The things of XLand by name: shapes, colours, floors, players and gadgets. Arrays hold places in these tuples."""

#: Shapes of objects; slabs are tools that no game speaks of.
SHAPES = ("cube", "sphere", "pyramid", "slab")
GOAL_SHAPES = SHAPES[:3]
#: Colours of objects.
COLOURS = ("black", "purple", "yellow")
#: Colours of floors.
FLOORS = ("brown", "olive", "orange", "blue", "grey", "white")
#: Colours of players.
PLAYERS = ("blue", "red", "green")
#: What players carry (section 2.1).
GADGETS = ("freeze", "tag")

CUBE, SPHERE, PYRAMID, SLAB = range(4)
FREEZE, TAG = range(2)

MAX_PLAYERS = len(PLAYERS)
#: Height of a player in metres (A.2.1), and its radius.
PLAYER_HEIGHT, PLAYER_RADIUS = 1.65, 0.3
