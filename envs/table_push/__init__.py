"""TablePush-v0: pushing cans on a table of blocks, in PyBullet (APT-Gen, section A.2)."""
