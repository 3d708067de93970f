"""XLand (Open-Ended Learning Team, 2021): what its agents learn with besides V-MPO."""
