"""How the frameworks differ: each is asked the same questions by running it."""
