"""Make the entry of a model type, and update, compare and repair it."""
