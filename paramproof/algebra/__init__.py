"""Counts in letters: a family's letters as symbols, its terms, and what differs."""
