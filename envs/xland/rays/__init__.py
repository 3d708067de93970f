"""The raycaster of XLand in parts: what is drawn, where rays end, and in which colours."""
