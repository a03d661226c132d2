"""Why our verifier and XLA's disagree on a class of mutants, and who is right: reviewed by hand.

`side` says who rejects, `said` matches our code or XLA's message, `mutation` and `line` narrow it down."""
REASONS = []
