"""What counting costs, measured: ``python -m bench``. No test, and none is timed."""
