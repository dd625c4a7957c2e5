"""The pages, and in ``docs.writers`` what writes them."""
