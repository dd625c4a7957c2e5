"""Run each framework to find out how they differ: the same questions for all."""
