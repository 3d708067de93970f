"""The layer above core: what makes an environment of a simulation, and runs many of them."""
