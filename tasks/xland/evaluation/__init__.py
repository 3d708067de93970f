"""The test and validation suites: their worlds, their games, how they are kept, and what they hold out of training."""
