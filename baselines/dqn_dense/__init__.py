"""DQN with the distance reward exposed at every step, as Sibling Rivalry's rival (section 4.2 and appendix F)."""
