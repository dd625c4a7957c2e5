"""Verify random models and the catalogue, split in tasks for any number of machines."""
