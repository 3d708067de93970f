"""How well XLand's agents play: returns, best mixtures, normalised percentiles, participation (4.1)."""
