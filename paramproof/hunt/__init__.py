"""Random models and the catalogue, in tasks, for as many machines as one has."""
