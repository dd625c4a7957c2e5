"""What is shown of models: a table of columns, rows and notes, and the renderers that print it."""
