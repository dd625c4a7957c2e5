"""What users point at: names, configurations, checkpoints, functions."""
