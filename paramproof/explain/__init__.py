"""Where a number of parameters comes from."""
