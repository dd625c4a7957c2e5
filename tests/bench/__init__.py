"""What counting costs, measured: ``python -m tests.bench.run``. No test, and none is timed."""
