"""Find the model that a user names: ``resolve`` is the only way in."""

from paramproof.resolver.lookup import derive_request, entry_of, resolve, resolve_request
from paramproof.resolver.models import LiveModel, Model
from paramproof.resolver.request import STANDARD_INPUT, Request, read_request, request_for_name

__all__ = [
    "STANDARD_INPUT",
    "LiveModel",
    "Model",
    "Request",
    "derive_request",
    "entry_of",
    "read_request",
    "request_for_name",
    "resolve",
    "resolve_request",
]
