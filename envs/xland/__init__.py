"""XLand: worlds to look at."""
