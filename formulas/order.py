"""Merge lists of names that agree on an order, such as the components of several models."""

from __future__ import annotations

from collections.abc import Iterable


def merged(orders: Iterable[Iterable[str]]) -> list[str]:
    """Return every name in ``orders``, each after the names that precede it in its own order.

    Earlier orders take precedence.
    """
    found: list[str] = []
    for order in orders:
        place = 0
        for name in order:
            if name not in found:
                found.insert(place, name)
            place = found.index(name) + 1
    return found
