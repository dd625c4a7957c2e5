"""A table as data, and its renderers: for the terminal, as Markdown, as HTML and as JSON."""
