"""Programs that call programs: recursive tree search, the network that guides it, and models of atomic programs."""
