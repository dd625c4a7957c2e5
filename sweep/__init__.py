"""Derive every model type of transformers, and write the catalogue's data."""
