"""Run jobs in worker processes, one for each framework."""
