"""How the frameworks differ: asked of each of them by running it, cell by cell."""
