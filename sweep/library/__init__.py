"""Configuration classes and models of transformers: which there are, and how to build them."""
