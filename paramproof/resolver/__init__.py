"""Find the model that a user names: ``resolve`` is the only way in."""

from paramproof.resolver.lookup import derive_formula, entry_of, request_for_name, resolve
from paramproof.resolver.models import Model

__all__ = ["Model", "derive_formula", "entry_of", "request_for_name", "resolve"]
