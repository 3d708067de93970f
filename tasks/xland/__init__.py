"""XLand: worlds and games as data (Open-Ended Learning Team, 2021)."""
