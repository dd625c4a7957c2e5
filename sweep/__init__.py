"""Derives every model type of transformers, and writes what the catalogue has of it."""
