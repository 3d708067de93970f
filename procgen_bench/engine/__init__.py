"""The first floor: what makes an environment of a simulation, and runs many of them."""
