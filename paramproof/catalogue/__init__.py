"""Model types of Hugging Face transformers: what each has, in letters, by no framework at all.

The data are derived, never written by hand, and name the releases that they are of.
"""

from paramproof.catalogue.entries import Entry, entry
from paramproof.catalogue.files import model_types, read_type, type_of_class
from paramproof.catalogue.heads import Head

__all__ = ["Entry", "Head", "entry", "model_types", "read_type", "type_of_class"]
