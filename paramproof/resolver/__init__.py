"""Find the model that a user names: ``resolve`` is the only way in."""

from paramproof.resolver.lookup import derive_formula, entry_of, resolve, resolve_any
from paramproof.resolver.models import LiveModel, Model
from paramproof.resolver.request import STANDARD_INPUT, request_for_name

__all__ = [
    "STANDARD_INPUT",
    "LiveModel",
    "Model",
    "derive_formula",
    "entry_of",
    "request_for_name",
    "resolve",
    "resolve_any",
]
