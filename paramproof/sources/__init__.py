"""Readers for what users give: JSON, checkpoints, live models and functions."""
