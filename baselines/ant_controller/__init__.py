"""SparseAntMaze's low-level controller: learned on a plain, from chains of subgoals."""
