"""Build one model in one framework and compare it with the formula."""
