"""Attributes of configuration objects, and methods of other values."""

from __future__ import annotations

import inspect
from typing import Any

from paramproof.tracing.configuration.paths import Dict, Instance, List, Raised
from paramproof.tracing.configuration.terms import (
    MISSING,
    Term,
    Unknown,
    Value,
    choose,
    instead,
    present,
    term,
)
from paramproof.tracing.configuration.values import (
    JSON_TYPES,
    Method,
    Super,
    Values,
    fields_of,
)


def with_items(source: Value) -> Dict | None:
    """Return the dictionary whose items, of which some are unknown, a loop goes through."""
    match source:
        case Term(op="items", args=(Term(op="dict", args=(base, *pairs)),)):
            return Dict((), base, zip(pairs[::2], pairs[1::2], strict=True))
        case Term(op="items", args=(base,)):
            return Dict((), base)
    return None


class Attributes(Values):
    """Reads and sets attributes."""

    def attribute(self, owner: Value, name: str) -> Value:
        if name in ("copy", "get", "items", "keys", "values"):
            owner = self.unified(owner)
        return self.require(self.each(owner, lambda one: self.attribute_of(one, name)), name)

    def attribute_of(self, owner: Value, name: str) -> Value:
        """Return an attribute, or ``MISSING``."""
        owner = self.current(owner)
        if isinstance(owner, Super):
            kinds = owner.owner.kind.__mro__
            for kind in kinds[kinds.index(owner.after) + 1 :]:
                if name in vars(kind):
                    return self.bound(vars(kind)[name], owner.owner)
            return MISSING
        if isinstance(owner, Instance):
            return self.attribute_of_instance(owner, name)
        if isinstance(owner, Term | Dict | List):
            kind = self.kind_of(owner)
            kinds = JSON_TYPES if kind is None else (kind,)
            if any(hasattr(one, name) for one in kinds):
                return Method(owner, name)
            if isinstance(owner, Term) and kind is None and owner.op == "field":
                return self.attribute_of_instance(Instance((), None, owner), name)
            return MISSING
        return getattr(owner, name, MISSING)

    def bound(self, found: Any, owner: Instance) -> Value:
        if isinstance(found, property):
            assert found.fget is not None
            if type(found).__name__ == "classproperty":
                return found.fget(owner.kind)
            return self.call(Method(owner, found.fget), [])
        if isinstance(found, staticmethod):
            return found.__func__
        if isinstance(found, classmethod):
            return getattr(owner.kind, found.__func__.__name__)
        return Method(owner, found) if inspect.isfunction(found) else found

    def attribute_of_instance(self, owner: Instance, name: str) -> Value:
        kind = owner.kind
        if name == "__class__" and kind:
            return kind
        if name == "__dict__":
            return Method(owner, name)
        name = kind.attribute_map.get(name, name) if kind else name
        static = inspect.getattr_static(kind, name, MISSING) if kind else MISSING
        if isinstance(static, property):
            return self.bound(static, owner)
        found = owner.own.get(name, MISSING)
        if present(found) is True:
            return found
        if owner.origin is not None:
            if static is not MISSING and (callable(static) or isinstance(static, classmethod)):
                return instead(found, self.bound(static, owner))
            below = term("field", owner.origin, name)
            if static is MISSING and kind and name not in fields_of(kind):
                below = choose(self.known(term("has field", owner.origin, name)), below, MISSING)
            return instead(found, below)
        if owner.rest is not None:
            given = self.lookup(owner.rest, name)
            if static is not MISSING and not isinstance(static, str | int | float | tuple | None):
                self.refuse(f"{name} is no key", self.known(present(given)))
                given = MISSING
            found = instead(found, given)
        return instead(found, MISSING if static is MISSING else self.bound(static, owner))

    def set_attribute(self, owner: Value, name: str, value: Value) -> None:
        if isinstance(owner, Term):
            owner = self.object_of(owner, Instance)
        if not isinstance(owner, Instance):
            raise Unknown(f"an attribute of {owner!r:.60} that is set")
        name = owner.kind.attribute_map.get(name, name) if owner.kind else name
        static = inspect.getattr_static(owner.kind, name, None) if owner.kind else None
        if isinstance(static, property):
            if static.fset is None:
                raise Raised(f"{name} cannot be set")
            self.call(Method(owner, static.fset), [value])
        else:
            self.write(owner, name, value)
