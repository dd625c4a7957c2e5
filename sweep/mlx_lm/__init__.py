"""Entries for model types that transformers lacks, derived from the models of mlx-lm."""
