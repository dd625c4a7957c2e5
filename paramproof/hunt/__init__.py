"""Random models, random configurations and the catalogue, in tasks for as many machines as one has."""
