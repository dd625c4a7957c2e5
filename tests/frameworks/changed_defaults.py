"""Change a default of a framework, and list the published answers that no longer agree."""

import inspect

from paramproof.builders.registry import framework
from paramproof.differences.answer import recorded
from paramproof.differences.ask import defaults


def with_default(monkeypatch, function, name, value):
    function = inspect.unwrap(function)
    if name in (function.__kwdefaults__ or {}):
        monkeypatch.setitem(function.__kwdefaults__, name, value)
        return
    parameters = inspect.signature(function).parameters.values()
    given = [p for p in parameters if p.default is not p.empty and p.kind is not p.KEYWORD_ONLY]
    values = tuple(value if p.name == name else p.default for p in given)
    monkeypatch.setattr(function, "__defaults__", values)


def drifted(name):
    """Return the answers of a framework that differ from the published ones."""
    asked = defaults(framework(name), ["layer_norm_eps", "gelu"])
    return [cell.id for cell in asked if cell not in recorded()[1]]
