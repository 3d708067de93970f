"""Tasks: parameter spaces, generators, predicates, named task suites. No simulator, no Gymnasium loop."""
