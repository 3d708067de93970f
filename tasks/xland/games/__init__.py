"""Games: goals over atomic predicates, their properties, and how they are made."""
