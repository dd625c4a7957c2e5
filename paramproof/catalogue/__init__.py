"""Symbolic formulas of the model types of Hugging Face transformers, with no framework needed.

A sweep over transformers' classes derives the data. Nobody writes them by hand, and each file names
the releases it was derived from.
"""

from paramproof.catalogue.derivations import Head
from paramproof.catalogue.entries import Entry, entry
from paramproof.catalogue.files import model_types, read_type, type_of_class

__all__ = ["Entry", "Head", "entry", "model_types", "read_type", "type_of_class"]
