"""How models are shown: a table of columns, rows and notes, and the renderers that print it."""
