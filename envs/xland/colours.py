"""The colours of XLand's things on pictures: red, green and blue, 0 to 255."""

FLOOR_COLOURS = {
    "brown": (140, 98, 68),
    "olive": (138, 140, 62),
    "orange": (232, 146, 62),
    "blue": (86, 132, 196),
    "grey": (150, 152, 158),
    "white": (236, 236, 230),
}
OBJECT_COLOURS = {"black": (44, 44, 50), "purple": (136, 62, 172), "yellow": (244, 204, 40)}
PLAYER_COLOURS = {"blue": (40, 84, 214), "red": (214, 44, 44), "green": (36, 160, 74)}
WALL_COLOUR = (206, 210, 216)
BACKGROUND_COLOUR = (250, 250, 248)
EDGE_COLOUR = (0, 0, 0, 60)
