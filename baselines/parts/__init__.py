"""Parts that methods are put together from: networks, action distributions, advantages, replay, bonuses."""
