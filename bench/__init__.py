"""What counting costs, measured: ``python -m bench.run``. No test, and none is timed."""
