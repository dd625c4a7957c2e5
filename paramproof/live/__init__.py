"""A user's live model, compared by its shapes."""
