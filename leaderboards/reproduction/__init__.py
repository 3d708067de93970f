"""Running a paper's figure again: its sweep of training runs, and the figure drawn from their curves."""
