"""The raycaster of XLand in parts: what is drawn, what rays meet, and in which colours."""
