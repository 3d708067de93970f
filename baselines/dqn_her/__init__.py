"""DQN with hindsight experience replay (Andrychowicz et al., 2017), as Sibling Rivalry's rival (table 2)."""
