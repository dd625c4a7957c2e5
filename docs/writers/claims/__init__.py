"""The ledger of published numbers about the size of models, with a verdict on each."""
