"""A folder a paper: its learner, its own parts, its teacher, and what of them is not as published."""
