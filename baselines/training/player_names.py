"""Names of players that every run knows."""

#: The player of a run that has no other.
STUDENT = "student"
#: Whom every student's teacher may ask to play levels beside it: acts at random, and learns nothing.
CONTROL = "control"
