"""What users name: models, configurations, checkpoints and functions."""
