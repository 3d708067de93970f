"""A page of the person's own browser in which a game goes on in real time."""
