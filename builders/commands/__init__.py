"""The commands of ``paramproof`` that have a file of their own."""
