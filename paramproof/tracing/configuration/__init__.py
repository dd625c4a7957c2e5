"""Run a configuration class with unknown keys, and keep what it makes of them as expressions."""
