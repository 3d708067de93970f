"""The level editor: a page to draw on, and the program that it reports to."""
