"""Compare a user's model, live or in a file of weights, with a formula."""
