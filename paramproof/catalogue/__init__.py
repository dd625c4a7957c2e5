"""Parameter counts and formulas of transformers' models, with no framework needed.

The code of the classes was traced with every value unknown. What came out are programs, which are
data: nobody writes them by hand, and each file names the releases it comes from.
"""

from paramproof.catalogue.configurations import entry
from paramproof.catalogue.entries import Entry, Head
from paramproof.catalogue.names import model_types

__all__ = ["Entry", "Head", "entry", "model_types"]
