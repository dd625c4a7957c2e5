"""The pages, and ``docs.writers``, which writes the generated parts of them."""
