"""Find the model that a user names: ``resolve`` is the only way in."""

from paramproof.resolver.lookup import derive_formula, entry_of, resolve
from paramproof.resolver.models import Model
from paramproof.resolver.request import STANDARD_INPUT, request_for_name

__all__ = [
    "STANDARD_INPUT",
    "Model",
    "derive_formula",
    "entry_of",
    "request_for_name",
    "resolve",
]
