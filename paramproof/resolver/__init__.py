"""Find the model that a user names: ``resolve`` is the only way in."""

from paramproof.resolver.lookup import catalogued, derive_request, resolve, resolve_request
from paramproof.resolver.models import LiveModel, Model
from paramproof.resolver.request import STANDARD_INPUT, Request, read_request, request_for_name

__all__ = [
    "STANDARD_INPUT",
    "LiveModel",
    "Model",
    "Request",
    "catalogued",
    "derive_request",
    "read_request",
    "request_for_name",
    "resolve",
    "resolve_request",
]
